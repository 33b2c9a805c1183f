import FoundationEssentials
import MailKernelAPI
import Store

/// Who has sent how much. A store has no index of senders, so an account's mail is read once, without the bodies, and
/// the changes after that.
package actor Senders {
    fileprivate static let mostMessages = 5_000_000

    private let store: MailStore
    private let clock: any HostClock
    private var tallies: [Id<Account>: Task<SenderTally, any Error>] = [:]

    package init(store: MailStore, clock: any HostClock) { (self.store, self.clock) = (store, clock) }

    /// Everyone who has sent mail to an account, in no order.
    package func all(in accountID: Id<Account>) async throws -> [SenderSummary] {
        let own = Set(
            try await store.read.identities(nil, in: accountID).map { $0.email.lowercased() }
                + [try await store.account(accountID)?.address.lowercased()].compactMap(\.self))
        return try await tally(of: accountID).summaries(at: clock.now, besides: own)
    }

    /// The messages of one sender in a mailbox, newest first.
    package func emails(
        from email: String, inMailbox mailboxID: Id<Mailbox>, of accountID: Id<Account>
    ) async throws -> [Id<Email>] {
        let all = try await tally(of: accountID).messages(from: email.lowercased())
        guard !all.isEmpty else { return [] }
        let query = EmailQuery(in: [accountID], filter: .inMailbox(mailboxID), limit: Self.mostMessages)
        return try await store.read.queryEmails(query).hits.map(\.emailID).filter(all.contains)
    }

    /// One after the other, so that mail is not read twice.
    private func tally(of accountID: Id<Account>) async throws -> SenderTally {
        let before = tallies[accountID]
        let task = Task { [store] in
            let reading = SenderReading(store: store, accountID: accountID)
            // After a failure, all is read again.
            return try await reading.current(after: try? await before?.value)
        }
        tallies[accountID] = task
        return try await task.value
    }
}

/// Reads the senders of an account's mail from the store.
private struct SenderReading {
    private static let page = 1000
    /// Mail that is in these alone does not count: the user wrote it, or wants none of it.
    private static let leftRoles: Set<Mailbox.Role> = [.trash, .junk, .drafts, .sent]

    let store: MailStore
    let accountID: Id<Account>

    func current(after known: SenderTally?) async throws(StorageError) -> SenderTally {
        let left = Set(
            try await store.read.mailboxes(nil, in: accountID).map(\.mailbox)
                .filter { $0.role.map(Self.leftRoles.contains) ?? false }.map(\.id))
        guard var tally = known, tally.left == left else { return try await whole(without: left) }
        do throws(StorageError) {
            try await follow(&tally)
            return tally
        } catch .cannotCalculateChanges {
            return try await whole(without: left)
        }
    }

    private func whole(without left: Set<Id<Mailbox>>) async throws(StorageError) -> SenderTally {
        // What changes while this reads is read again afterwards.
        var tally = SenderTally(
            state: try await store.read.state(of: .email, in: accountID), without: left)
        let query = EmailQuery(in: [accountID], limit: Senders.mostMessages)
        try await put(try await store.read.queryEmails(query).hits.map(\.emailID), into: &tally)
        return tally
    }

    private func follow(_ tally: inout SenderTally) async throws(StorageError) {
        while true {
            let changes = try await store.read.changes(
                of: .email, in: accountID, since: tally.state, limit: Self.page)
            for id in changes.destroyed { tally.remove(Id(id)) }
            try await put((changes.created + changes.updated).map { Id($0) }, into: &tally)
            tally.state = changes.newState
            guard changes.hasMoreChanges else { return }
        }
    }

    private func put(_ ids: [Id<Email>], into tally: inout SenderTally) async throws(StorageError) {
        var rest = ids[...]
        while !rest.isEmpty {
            let some = Array(rest.prefix(Self.page))
            rest = rest.dropFirst(some.count)
            for stored in try await store.read.emails(some, in: accountID) { tally.put(stored.email) }
        }
    }
}
