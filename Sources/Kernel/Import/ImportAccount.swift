import FoundationEssentials
public import MailKernelAPI

/// Which account an import goes to.
public enum ImportAccount {
    /// - Parameter address: the one that the user named; nil for the only one there is, which is made if
    ///   there is none.
    public static func choose(_ address: String?, in kernel: MailKernel) async throws -> Account {
        var fitting: [Account] = []
        for account in try await kernel.store.backend.accounts() where account.status == .active {
            // What an account can do is known once its mailboxes have been listed.
            await kernel.accounts.settle(account.id)
            if try await kernel.mail.features(of: account.id).contains(.imports) { fitting.append(account) }
        }
        if let address {
            guard let named = fitting.first(where: { $0.address.lowercased() == address.lowercased() }) else {
                throw ImportProblem.unknownAccount(address, known: fitting.map(\.address))
            }
            return named
        }
        if fitting.count > 1 { throw ImportProblem.severalAccounts(fitting.map(\.address)) }
        if let only = fitting.first { return only }
        let made = try await kernel.accounts.addLocal()
        await kernel.accounts.settle(made.id)
        return made
    }
}
