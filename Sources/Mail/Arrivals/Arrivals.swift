import FoundationEssentials
import MailKernelAPI
import Store

/// Tells newly arrived mail from mail that is only new here: a first sync, or messages that were moved into the inbox.
package struct Arrivals: Sendable {
    /// Servers' clocks differ. Messages that were read before the rules began are known anyway.
    private static let grace = 300.0
    /// Older messages have not just arrived.
    private static let longest = 30 * 86_400.0

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
        let seconds = Dictionary(grouping: new.filter { $0.receivedAt >= first }) {
            $0.receivedAt.timeIntervalSince1970.rounded(.down)
        }
        for (second, emails) in seconds.sorted(by: { $0.key < $1.key }) {
            let here = try await names(at: second)
            for email in emails where !here.contains(SeenArrival.name(email)) {
                let seen = SeenArrival(email)
                guard try await store.read.document(seen.key) == nil else { continue }
                marks += [Arrival(emailID: email.id, accountID: accountID).isWaiting, seen.change(at: now)]
            }
        }
        return marks
    }

    /// The messages in the store, wherever they are, that were received in this second.
    private func names(at second: Double) async throws(StorageError) -> Set<String> {
        let date = Date(timeIntervalSince1970: second)
        let filter = EmailFilter.and([.after(date), .before(date.addingTimeInterval(1))])
        let query = EmailQuery(in: [accountID], filter: filter, limit: 1_000)
        let ids = try await store.read.queryEmails(query).hits.map(\.emailID)
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
