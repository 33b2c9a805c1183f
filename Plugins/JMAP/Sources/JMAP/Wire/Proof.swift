import FoundationEssentials
import MailKernelAPI

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
        let stored: Secret?
        do throws(SecretError) {
            stored = try await secrets.secret(named: Self.name)
        } catch {
            throw .secrets(error)
        }
        guard let stored, !stored.revealed.isEmpty else {
            throw .authenticationRequired(
                reason: "The password or token is missing from your secret store.")
        }
        guard kind == .password else { return stored }
        return Secret("Basic " + Data("\(user):\(stored.revealed)".utf8).base64EncodedString())
    }
}

/// The secrets of an account that is not added yet.
struct CandidateDrawer: SecretStore {
    let secrets: [String: Secret]

    func secret(named name: String) -> Secret? { secrets[name] }
    func store(_ secret: Secret, named name: String) throws(SecretError) {
        throw .unavailable(reason: "The account is not added yet.")
    }
    func removeSecret(named name: String) {}
}
