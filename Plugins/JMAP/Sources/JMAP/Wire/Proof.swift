import FoundationEssentials
import MailKernelAPI
import SigningIn

/// How an account proves who it is.
struct Proof: Sendable {
    static let name = "password"

    enum Kind: String, Sendable, Codable {
        case password
        case token
        /// A token that is renewed, from a sign-in with the browser.
        case oauth
    }

    let kind: Kind
    let user: String
    let secrets: any SecretStore
    /// Gets a token, another one if one was refused; nil unless signed in with the browser.
    var renewed: (@Sendable (_ refused: Secret?) async throws(AccountError) -> Secret)?

    /// For `HTTPRequest.bearer`: a token, or a user name and password as HTTP's Basic scheme writes them.
    ///
    /// - Parameter refused: one that the service has just refused.
    func secret(refused: Secret? = nil) async throws(AccountError) -> Secret {
        if let renewed { return try await renewed(refused) }
        let stored = try await secrets.required(Self.name, "The password or token")
        guard kind == .password else { return stored }
        return Secret("Basic " + Data("\(user):\(stored.revealed)".utf8).base64EncodedString())
    }
}
