import FoundationEssentials
import MailKernelAPI
import SigningIn

/// How an account proves who it is.
struct Proof: Sendable {
    static let name = "password"

    enum Kind: String, Sendable, Codable {
        case password
        case token
    }

    let kind: Kind
    let user: String
    let secrets: any SecretStore

    /// For `HTTPRequest.bearer`: a token, or a user name and password as HTTP's Basic scheme writes them.
    func secret() async throws(AccountError) -> Secret {
        let stored = try await secrets.required(Self.name, "The password or token")
        guard kind == .password else { return stored }
        return Secret("Basic " + Data("\(user):\(stored.revealed)".utf8).base64EncodedString())
    }
}
