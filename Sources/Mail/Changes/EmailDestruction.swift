import MailKernelAPI
import Store

/// Permanently destroys emails, locally and on the service, even while changes to them are being sent.
package struct EmailDestruction {
    let store: MailStore
    let accountID: Id<Account>
    let clock: any HostClock

    package init(store: MailStore, accountID: Id<Account>, clock: any HostClock) {
        self.store = store
        self.accountID = accountID
        self.clock = clock
    }

    /// - Parameter name: of the change that tells the service.
    package func changes(
        of ids: [Id<Email>], named name: Id<PendingChange>
    ) async throws -> [StorageChange] {
        let emails = try await store.read.emails(ids, in: accountID).map(\.email)
        let all = try await store.read.remoteRefs(of: emails.map(\.id), in: accountID)
        let refs = all.current
        let named = Set(refs.map(\.emailID))
        // They are destroyed at the account's new place when they are found there.
        let setAside = Set(all.map(\.emailID)).subtracting(named)
        var changes = try await withdrawing(emails, besides: setAside)
        changes += emails.map { .destroyEmail($0.id, in: accountID) }
        if !refs.isEmpty {
            let addresses = refs.map { RemoteAddress(feed: $0.feed, id: $0.remoteID) }
            let queue = PendingChanges(store: store, accountID: accountID)
            var change = PendingChange(.destroy(addresses))
            change.lost = emails.filter { named.contains($0.id) }.map(LostEmail.init)
            changes.append(try queue.put(change, name: name.rawValue))
        }
        return changes
    }

    /// Withdraws pending additions. Additions in progress are destroyed when they are found.
    func withdrawing(
        _ emails: [Email], besides setAside: Set<Id<Email>> = []
    ) async throws -> [StorageChange] {
        let queue = PendingChanges(store: store, accountID: accountID)
        let pending = try await queue.all()
        let unnamed = UnnamedEmails(store: store, accountID: accountID)
        var changes = try await unnamed.destroying(
            emails, pending.map(\.change), besides: setAside, at: clock.now)
        let doomed = Set(emails.map(\.id))
        for (name, change) in pending {
            if case .append(let id) = change.kind, doomed.contains(id) { changes.append(queue.remove(name)) }
        }
        return changes
    }
}
