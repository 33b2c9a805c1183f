import MailKernelAPI
import Store

/// What this kernel can do for accounts that another one looks after.
extension Accounts {
    /// Whether it is this kernel that syncs an account and sends its mail.
    package nonisolated func looksAfter(_ id: Id<Account>) -> Bool { store.looksAfter(id) }

    // MARK: Secrets

    /// What records the names of an account's secrets.
    func secretNames(_ candidate: AccountCandidate, of id: Id<Account>) -> StorageChange {
        SecretNames.change(candidate.secrets.keys, of: id)
    }

    /// Whether this computer can sign in. If that cannot be told, it tries.
    func hasSecrets(_ account: Account) async -> Bool {
        if let known = localSignIns.hasSecrets[account.id] { return known }
        let drawer = secrets.drawer(account)
        do {
            for name in try await SecretNames.load(account.id, from: store) ?? []
            where try await drawer.secret(named: name) == nil {
                localSignIns.hasSecrets[account.id] = false
                return false
            }
        } catch {
            return true
        }
        localSignIns.hasSecrets[account.id] = true
        return true
    }

    // MARK: Sessions that do not sync

    /// A session for fetching parts of messages of an account that another kernel looks after.
    func visit(_ id: Id<Account>) async -> (any AccountSession)? {
        if let session = visits[id] { return session }
        guard keeper != nil, isRunning, let account = try? await store.account(id), account.status == .active,
            let provider = providers[account.pluginID], await hasSecrets(account)
        else { return nil }
        try? await hosts.allowAll(of: [account])
        guard let session = try? await provider.session(for: account, secrets: secrets.drawer(account)) else {
            return nil
        }
        if let other = visits[id] ?? syncs[id]?.session {
            await session.close()
            return other
        }
        visits[id] = session
        return session
    }

    func endVisit(_ id: Id<Account>) async { await visits.removeValue(forKey: id)?.close() }

    func endVisits() async { for id in visits.keys { await endVisit(id) } }
}
