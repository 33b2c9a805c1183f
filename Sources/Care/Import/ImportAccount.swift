import Accounts
import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// Which account an import goes to.
package enum ImportAccount {
    /// - Parameter address: the one that the user named; nil for the only one there is, which is made if
    ///   there is none.
    package static func choose(
        _ address: String?, of accounts: Accounts, in store: MailStore
    ) async throws -> Account {
        var fitting: [Account] = []
        for account in try await store.read.accounts() where account.status == .active {
            // What an account can do is known once its mailboxes have been listed.
            await accounts.settle(account.id)
            let map = try await RemoteMap.load(account.id, from: store)
            if map.features.contains(.imports) { fitting.append(account) }
        }
        if let address {
            guard let named = fitting.first(where: { $0.address.lowercased() == address.lowercased() }) else {
                throw ImportProblem.unknownAccount(address, known: fitting.map(\.address))
            }
            return named
        }
        if fitting.count > 1 { throw ImportProblem.severalAccounts(fitting.map(\.address)) }
        if let only = fitting.first { return only }
        guard let made = try await accounts.addLocal() else { throw ImportProblem.noAccount }
        await accounts.settle(made.id)
        return made
    }
}
