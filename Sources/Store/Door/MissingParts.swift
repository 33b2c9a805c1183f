import FoundationEssentials
import MailKernelAPI

/// Stands in for a store without `StorageInsights`: nothing is sorted, and nothing waits to be.
struct NoInsights: StorageInsights {
    func insights(of emailIDs: [Id<Email>], in accountID: Id<Account>) -> [EmailInsight] { [] }

    func emailsWithoutInsight(
        by modelID: String, in accountID: Id<Account>, limit: Int
    ) -> [Id<Email>] { [] }

    func nearestEmails(
        to vector: [Float], by modelID: String, in accountIDs: [Id<Account>], limit: Int
    ) -> [NearEmail] { [] }
}

extension StorageChange {
    var isInsight: Bool { if case .putInsight = self { true } else { false } }
}

extension MailStore {
    /// `StorageCare.purge` for a store without it.
    func purgeByQuery(
        before date: Date, in accountID: Id<Account>, sparing: Set<Mailbox.Role>, limit: Int
    ) async throws(StorageError) -> Int {
        while true {
            let state = try await read.state(of: .email, in: accountID)
            let old = try await purgeable(before: date, in: accountID, sparing: sparing, limit: limit)
            guard !old.isEmpty else { return 0 }
            do throws(StorageError) {
                try await commit(
                    old.map { .destroyEmail($0, in: accountID) },
                    preconditions: [.init(.email, in: accountID, is: state)])
                return old.count
            } catch .stateMismatch {
                // One of them may be a draft by now: look again.
            }
        }
    }

    private func purgeable(
        before date: Date, in accountID: Id<Account>, sparing: Set<Mailbox.Role>, limit: Int
    ) async throws(StorageError) -> [Id<Email>] {
        let isSpared = EmailFilter.or(sparing.map { .inRole($0) })
        var query = EmailQuery(
            in: [accountID], filter: .and([.before(date), .not([isSpared])]), sort: [EmailSort(.receivedAt)],
            limit: limit)
        var found: [Id<Email>] = []
        var position = 0
        while found.count < limit {
            query.window = .position(position)
            let ids = try await read.queryEmails(query).hits.map(\.emailID)
            guard !ids.isEmpty else { break }
            // An email that no service knows may exist in this store only.
            let known = Set(try await read.remoteRefs(of: ids, in: accountID).map(\.emailID))
            found += ids.filter(known.contains)
            position += ids.count
        }
        return Array(found.prefix(limit))
    }
}
