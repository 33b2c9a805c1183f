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
    /// - Parameter setup: one of the setups of the account's plugin, or one of another plugin for services of any domain.
    package func begin(
        changing account: Account, setup: String, redirect: URL
    ) async throws(SignInRefusal) -> SignIn {
        guard
            let (pluginID, chosen) = await accounts.setups.first(where: { pluginID, offered in
                Self.id(offered, of: pluginID) == setup && offered.kind == .account
                    && (pluginID == account.pluginID || !offered.protocols.isEmpty)
            }), let provider = accounts.provider(pluginID)
        else { throw .notFound }
        // As for a service that was found and is to be changed. Plugins that do not know this sign in again.
        var service = DiscoveredService(address: account.address, isToBeChanged: true)
        let isOther = pluginID != account.pluginID
        if isOther, chosen.protocols.contains(.jmap) {
            service.jmap = await accounts.report(of: account.id)?.jmapSessionURL
        }
        // Another plugin does not know the account's settings.
        let request = AuthorizationRequest(
            setupID: chosen.id, redirect: redirect, account: isOther ? nil : account, discovered: service)
        return try begin(
            SignIn(id: ids.text("S"), setupID: setup, accountID: account.id), of: pluginID, provider,
            chosen.serviceName, request)
    }
}
