public import MailKernelAPI
public import Secrets

/// Where the secrets of accounts are kept.
public struct AccountDrawers: Sendable {
    /// The drawer of an account.
    let drawer: @Sendable (Account) -> any SecretStore
    /// Forgets all of it.
    let remove: @Sendable (Account) async throws(SecretError) -> Void

    public init(
        drawer: @escaping @Sendable (Account) -> any SecretStore,
        remove: @escaping @Sendable (Account) async throws(SecretError) -> Void
    ) {
        self.drawer = drawer
        self.remove = remove
    }

    public init(_ keeper: SecretKeeper) {
        self.init(
            drawer: { keeper.drawer(of: .account($0.id)) },
            remove: { account throws(SecretError) in try await keeper.removeDrawer(of: .account(account.id)) }
        )
    }

    /// No account has any.
    public static let absent = AccountDrawers(
        drawer: { _ in AbsentSecrets() }, remove: { _ throws(SecretError) in })
}
