import FoundationEssentials
import MailKernelAPI
import Store

/// Tells newly arrived mail from mail that is only new here: a first sync, or messages that were moved into the inbox.
package struct Arrivals: Sendable {
    /// Servers' clocks differ. Messages that were read before the rules began are known anyway.
    private static let grace = 300.0
    /// Older messages have not just arrived.
    private static let longest = 30 * 86_400.0
    /// Messages that one query asks for.
    private static let most = 1_000

    let store: MailStore
    let accountID: Id<Account>

    package init(store: MailStore, accountID: Id<Account>) {
        (self.store, self.accountID) = (store, accountID)
    }

    /// What has to be committed together with these changes, so that new messages get their rules.
    package func marks(
        of changes: [StorageChange], inboxes: Set<Id<Mailbox>>, at now: Date
    ) async throws(StorageError) -> [StorageChange] {
        let new = changes.compactMap { change -> Email? in
            guard case .putEmail(let email, _) = change, !email.keywords.contains(.draft),
                !email.mailboxIDs.isDisjoint(with: inboxes)
            else { return nil }
            return email
        }
        guard !new.isEmpty, let since = try await ArrivalWatch.since(in: accountID, store) else { return [] }
        let first = max(since.addingTimeInterval(-Self.grace), now.addingTimeInterval(-Self.longest))
        var marks: [StorageChange] = []
        let arrived = new.filter { $0.receivedAt >= first }
        let here = try await names(
            at: Set(arrived.map { $0.receivedAt.timeIntervalSince1970.rounded(.down) }))
        for email in arrived where !here.contains(SeenArrival.name(email)) {
            let seen = SeenArrival(email)
            guard try await store.read.document(seen.key) == nil else { continue }
            marks += [Arrival(emailID: email.id, accountID: accountID).isWaiting, seen.change(at: now)]
        }
        return marks
    }

    /// The messages in the store, wherever they are, that were received in these seconds.
    private func names(at seconds: Set<Double>) async throws(StorageError) -> Set<String> {
        guard let first = seconds.min(), let last = seconds.max() else { return [] }
        // A batch of arriving mail spans minutes: what is between its seconds is asked for with one query.
        let all = try await ids(from: first, to: last)
        if all.count < Self.most { return try await names(of: all) }
        var names: Set<String> = []
        for second in seconds.sorted() {
            names.formUnion(try await self.names(of: ids(from: second, to: second)))
        }
        return names
    }

    private func ids(from first: Double, to last: Double) async throws(StorageError) -> [Id<Email>] {
        let filter = EmailFilter.and([
            .after(Date(timeIntervalSince1970: first)), .before(Date(timeIntervalSince1970: last + 1)),
        ])
        let query = EmailQuery(in: [accountID], filter: filter, limit: Self.most)
        return try await store.read.queryEmails(query).hits.map(\.emailID)
    }

    private func names(of ids: [Id<Email>]) async throws(StorageError) -> Set<String> {
        guard !ids.isEmpty else { return [] }
        return Set(try await store.read.emails(ids, in: accountID).map { SeenArrival.name($0.email) })
    }

    /// Forgets messages that no longer count as new.
    package func removeOld(at now: Date) async throws(StorageError) {
        let all = try await store.allDocuments(in: SeenArrival.collection, accountID: accountID)
        let old = all.filter {
            now.timeIntervalSince1970 - ($0.value.numberValue ?? 0) > Self.longest + 86_400
        }
        for some in old.slices(of: 500) { try await store.commit(some.map { .destroyDocument($0.key) }) }
    }
}
