import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// Takes mail off this device that is older than its account keeps, in small steps. At the service it stays.
package struct WindowPurge {
    /// Small, so that other writers never wait long.
    private static let step = 100

    let account: Account
    let store: MailStore
    let clock: any HostClock

    package init(account: Account, store: MailStore, clock: any HostClock) {
        self.account = account
        self.store = store
        self.clock = clock
    }

    package func run() async throws {
        guard try await isDue else { return }
        while try await purgeSome() { try Task.checkCancellation() }
    }

    /// Not while the account is inactive, because its mail could not be fetched again. Not while changes are
    /// pending: they may be about this mail, or the mail may be only local.
    private var isDue: Bool {
        get async throws(StorageError) {
            guard account.status == .active, account.windowStart(at: clock.now) != nil,
                let map = try await RemoteMap.stored(account.id, in: store), !map.features.contains(.local)
            else { return false }
            let queue = PendingChanges(store: store, accountID: account.id)
            guard try await queue.all().isEmpty else { return false }
            return try await !UnnamedEmails(store: store, accountID: account.id).isAwaitingAny
        }
    }

    /// Returns whether there may be more.
    private func purgeSome() async throws(StorageError) -> Bool {
        // The user may want more of it by now.
        guard let current = try await store.account(account.id),
            let start = current.windowStart(at: clock.now), try await isDue
        else { return false }
        // What is gone from here could not return to the inbox.
        let snoozed = try await Snooze.all(in: account.id, store).keys
        let opened = try await OpenedMail.kept(in: account.id, at: clock.now, store)
        let reminded = try await Reminder.all(in: account.id, store).compactMap(\.emailID)
        let kept = try await store.read.emails(
            Set(snoozed).union(opened).union(reminded).sorted(), in: account.id
        ).map(\.email.receivedAt)
        return try await store.purge(
            before: min(start, kept.min() ?? start), in: account.id, sparing: [.drafts], limit: Self.step) > 0
    }
}

extension Account {
    /// Mail from before this is not kept on this device; nil if all of it is.
    func windowStart(at now: Date) -> Date? {
        syncWindowDays > 0 ? now.addingTimeInterval(-Double(syncWindowDays) * 86_400) : nil
    }
}
