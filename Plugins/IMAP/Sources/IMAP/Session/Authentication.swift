import FoundationEssentials
import MailKernelAPI

/// A sign-in method, in the form sent to the server.
package enum Authentication: Equatable {
    case xoauth2(user: String, token: Secret)
    case oauthBearer(user: String, token: Secret, endpoint: Endpoint)
    case plain(user: String, password: Secret)
    case login(user: String, password: Secret)

    /// The best that both sides know; nil if there is none.
    package static func choose(
        _ credentials: IMAPCredentials, capabilities: Set<String>, endpoint: Endpoint
    ) -> Authentication? {
        switch credentials {
        case .oauth(let user, let token):
            if capabilities.contains("AUTH=XOAUTH2") { return .xoauth2(user: user, token: token) }
            if capabilities.contains("AUTH=OAUTHBEARER") {
                return .oauthBearer(user: user, token: token, endpoint: endpoint)
            }
            return nil
        case .password(let user, let password):
            if capabilities.contains("AUTH=PLAIN") { return .plain(user: user, password: password) }
            return capabilities.contains("LOGINDISABLED") ? nil : .login(user: user, password: password)
        }
    }

    /// - Parameter isOneStep: the server takes the answer together with the command (`SASL-IR`).
    func command(isOneStep: Bool) -> Command {
        guard let mechanism else {
            if case .login(let user, let password) = self {
                return Command("LOGIN").astring(user).astring(password.revealed)
            }
            return .noop
        }
        let command = Command("AUTHENTICATE").raw(mechanism).withEffect(.waits)
        return isOneStep ? command.raw(answer) : command
    }

    package var mechanism: String? {
        switch self {
        case .xoauth2: "XOAUTH2"
        case .oauthBearer: "OAUTHBEARER"
        case .plain: "PLAIN"
        case .login: nil
        }
    }

    /// In Base64, as transmitted.
    package var answer: String {
        let text =
            switch self {
            case .xoauth2(let user, let token): "user=\(user)\u{1}auth=Bearer \(token.revealed)\u{1}\u{1}"
            case .oauthBearer(let user, let token, let endpoint):
                "n,a=\(Self.escaped(user)),\u{1}host=\(endpoint.host)\u{1}port=\(endpoint.port)\u{1}"
                    + "auth=Bearer \(token.revealed)\u{1}\u{1}"
            case .plain(let user, let password): "\0\(user)\0\(password.revealed)"
            case .login: ""
            }
        return Data(text.utf8).base64EncodedString()
    }

    /// What to say after the server explained why it refuses: only then does it say `NO`.
    package var answerToRefusal: String {
        switch self {
        case .xoauth2: ""
        case .oauthBearer: "AQ=="
        case .plain, .login: "*"
        }
    }

    private static func escaped(_ user: String) -> String {
        user.replacing("=", with: "=3D").replacing(",", with: "=2C")
    }
}

/// What signs in, at the moment it is needed.
package enum IMAPCredentials: Equatable {
    case oauth(user: String, token: Secret)
    case password(user: String, password: Secret)
}
