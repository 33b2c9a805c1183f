public import MailKernelAPI

/// How a session reads the secrets of its account.
extension SecretStore {
    /// Nil if it is missing or empty.
    public func existing(_ name: String) async throws(AccountError) -> Secret? {
        do throws(SecretError) {
            return try await secret(named: name).flatMap { $0.revealed.isEmpty ? nil : $0 }
        } catch {
            throw .secrets(error)
        }
    }

    /// - Parameter what: what is missing if there is none, as a sentence begins: “The password”.
    public func required(_ name: String, _ what: String) async throws(AccountError) -> Secret {
        guard let secret = try await existing(name) else {
            throw .authenticationRequired(reason: "\(what) is missing from your secret store.")
        }
        return secret
    }
}

/// The secrets of a candidate, before there is a drawer.
public struct CandidateSecrets: SecretStore {
    private let secrets: [String: Secret]

    public init(_ candidate: AccountCandidate) { self.init(candidate.secrets) }

    public init(_ secrets: [String: Secret]) { self.secrets = secrets }

    public func secret(named name: String) -> Secret? { secrets[name] }

    public func store(_ secret: Secret, named name: String) throws(SecretError) {
        throw .unavailable(reason: "Nothing can be stored before the account is added.")
    }

    public func removeSecret(named name: String) {}
}
