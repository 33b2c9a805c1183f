import FoundationEssentials
import MailKernelAPI

/// Sign-ins of accounts that are there.
extension SignIns {
    /// Begins to sign in again.
    package func begin(again account: Account, redirect: URL) async throws(SignInRefusal) -> SignIn {
        guard let provider = accounts.provider(account.pluginID), let setup = await provider.setups.first
        else {
            throw .notFound
        }
        return try begin(
            SignIn(id: ids.text("S"), setupID: nil, accountID: account.id), of: account.pluginID, provider,
            setup.serviceName,
            AuthorizationRequest(setupID: setup.id, redirect: redirect, account: account))
    }

    /// Begins to change how an account signs in: its password, its servers or the way. The account keeps its sign-in until
    /// the new one has been tried.
    ///
    /// - Parameter setup: one of the setups of the account's plugin.
    package func begin(
        changing account: Account, setup: String, redirect: URL
    ) async throws(SignInRefusal) -> SignIn {
        guard let provider = accounts.provider(account.pluginID),
            let chosen = await provider.setups.first(where: {
                $0.kind == .account && Self.id($0, of: account.pluginID) == setup
            })
        else { throw .notFound }
        // As for a service that was found and is to be changed. Plugins that do not know this sign in again.
        let service = DiscoveredService(address: account.address, isToBeChanged: true)
        return try begin(
            SignIn(id: ids.text("S"), setupID: setup, accountID: account.id), of: account.pluginID, provider,
            chosen.serviceName,
            AuthorizationRequest(
                setupID: chosen.id, redirect: redirect, account: account, discovered: service))
    }
}
