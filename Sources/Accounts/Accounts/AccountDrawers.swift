import MailKernelAPI
import Secrets

/// Where the secrets of accounts are kept.
package struct AccountDrawers: Sendable {
    /// The drawer of an account.
    package let drawer: @Sendable (Account) -> any SecretStore
    /// Forgets all of it.
    package let remove: @Sendable (Account) async throws(SecretError) -> Void

    package init(
        drawer: @escaping @Sendable (Account) -> any SecretStore,
        remove: @escaping @Sendable (Account) async throws(SecretError) -> Void
    ) {
        self.drawer = drawer
        self.remove = remove
    }

    package init(_ keeper: SecretKeeper) {
        self.init(
            drawer: { keeper.drawer(of: .account($0.id)) },
            remove: { account throws(SecretError) in try await keeper.removeDrawer(of: .account(account.id)) }
        )
    }

    /// No account has any.
    package static let absent = AccountDrawers(
        drawer: { _ in AbsentSecrets() }, remove: { _ throws(SecretError) in })
}

/// Stands where there is nothing to keep secrets in.
package struct AbsentSecrets: SecretStore {
    package init() {}

    private static let error = SecretError.unavailable(reason: "No secret store is available.")

    package func secret(named name: String) throws(SecretError) -> Secret? { throw Self.error }
    package func store(_ secret: Secret, named name: String) throws(SecretError) { throw Self.error }
    package func removeSecret(named name: String) throws(SecretError) { throw Self.error }
}
