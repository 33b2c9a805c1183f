import MailKernelAPI
import StoreRules

extension SQLiteStorage {
    func nearestEmails(
        to vector: [Float], by modelID: String, in accountIDs: [Id<Account>], limit: Int
    ) async throws(StorageError) -> [NearEmail] {
        guard limit > 0 else { return [] }
        let store = try store()
        return try await store.read { database throws(StorageError) in
            var near: [NearEmail] = []
            let accountIDs = Set(accountIDs)
            let candidates = try store.vectors.candidates(
                for: vector, by: modelID, in: accountIDs, limit: limit, from: database)
            for accountID in accountIDs {
                guard let account = try database.account(accountID) else { continue }
                near += try database.nearest(
                    vector, modelID, account, limit, among: candidates[accountID])
            }
            let best = near.sorted { one, other in
                (other.similarity, one.emailID, one.accountID)
                    < (one.similarity, other.emailID, other.accountID)
            }
            return Array(best.prefix(limit))
        }
    }
}

extension Database {
    /// The nearest of one account, in no order: at least `limit` if there are so many, and all that are as
    /// near as the last of them.
    ///
    /// - Parameter rows: the emails to look at; nil for all, in the order in which they lie in the file. Ids
    ///   are looked up for the few that are wanted.
    fileprivate func nearest(
        _ vector: [Float], _ modelID: String, _ account: AccountReference, _ limit: Int, among rows: [Int64]?
    ) throws(StorageError) -> [NearEmail] {
        let question = Embedding.data(vector)
        var all: [(row: Int64, similarity: Float)] = []
        let take = { (row: Row) throws(StorageError) -> Bool in
            let cosine = row.withBytes(1) { other in
                question.withUnsafeBytes { Embedding.cosine($0, other) }
            }
            if let cosine { all.append((row.int64(0), cosine)) }
            return true
        }
        if let rows {
            for row in rows.sorted() {
                try each(
                    "SELECT email, embedding FROM insight WHERE email = ? AND account = ? AND model = ?",
                    [.integer(row), .integer(account.row), .text(modelID)], take)
            }
        } else {
            try each(
                "SELECT email, embedding FROM insight WHERE +account = ? AND model = ?",
                [.integer(account.row), .text(modelID)], take)
        }
        all.sort { $0.similarity > $1.similarity }
        let least = all.count > limit ? all[limit - 1].similarity : -.infinity
        var near: [NearEmail] = []
        for (row, similarity) in all where similarity >= least {
            let id = try first("SELECT id FROM email WHERE row = ?", [.integer(row)]) {
                $0.id(0) as Id<Email>
            }
            if let id { near.append(NearEmail(accountID: account.id, emailID: id, similarity: similarity)) }
        }
        return near
    }
}
