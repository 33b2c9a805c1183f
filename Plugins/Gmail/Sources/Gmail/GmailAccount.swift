import IMAP
import MailKernelAPI
import OAuth

/// What is kept of an account: in its settings who it is, in its drawer what proves that.
enum GmailAccount {
    private enum Key {
        static let address = "address"
        static let clientID = "clientId"
        static let clientSecret = "clientSecret"
        static let refreshToken = "refreshToken"
    }

    static func candidate(
        _ address: String, client: OAuthClient, refreshToken: Secret
    ) -> AccountCandidate {
        var secrets = [Key.refreshToken: refreshToken]
        secrets[Key.clientSecret] = client.secret
        return AccountCandidate(
            settings: [Key.address: .string(address), Key.clientID: .string(client.id)], secrets: secrets)
    }

    static func address(in settings: [String: JSONValue]) throws(AccountError) -> String {
        guard let address = settings[Key.address]?.stringValue else {
            throw .invalid(field: Key.address, reason: "The account's settings name no address.")
        }
        return address
    }

    static func clientID(of account: Account) -> String? { account.settings[Key.clientID]?.stringValue }

    /// The sign-in of an account, in its drawer.
    struct Drawer: SignInStore {
        let settings: [String: JSONValue]
        let secrets: any SecretStore

        func signIn() async throws(AccountError) -> (refreshToken: Secret, client: OAuthClient) {
            guard let id = settings[Key.clientID]?.stringValue,
                let refreshToken = try await secret(Key.refreshToken)
            else { throw .authenticationRequired(reason: "The sign-in is not in your secret store.") }
            return (refreshToken, OAuthClient(id: id, secret: try await secret(Key.clientSecret)))
        }

        /// Nil if there is none.
        func refreshToken() async throws(AccountError) -> Secret? { try await secret(Key.refreshToken) }

        func keep(_ refreshToken: Secret) async throws(AccountError) {
            do throws(SecretError) {
                try await secrets.store(refreshToken, named: Key.refreshToken)
            } catch {
                throw .secrets(error)
            }
        }

        private func secret(_ name: String) async throws(AccountError) -> Secret? {
            do throws(SecretError) {
                return try await secrets.secret(named: name)
            } catch {
                throw .secrets(error)
            }
        }
    }
}

/// The secrets of a candidate, before there is a drawer.
struct CandidateSecrets: SecretStore {
    let secrets: [String: Secret]

    func secret(named name: String) -> Secret? { secrets[name] }

    func store(_ secret: Secret, named name: String) throws(SecretError) {
        throw .unavailable(reason: "Nothing is kept before the account is added.")
    }

    func removeSecret(named name: String) {}
}
