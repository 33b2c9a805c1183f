import MailKernelAPI
import StoreRules

extension PostgreSQLStorage: StorageInsights {
    func insights(
        of emailIDs: [Id<Email>], in accountID: Id<Account>
    ) async throws(StorageError) -> [EmailInsight] {
        try await read(accountID, none: []) { connection, account throws(StorageError) in
            let found = try connection.rows(
                """
                SELECT id, model, category, corrected, summary, embedding FROM insight
                WHERE account = $1 AND id = ANY ($2)
                """, [.integer(account), .ids(emailIDs)]
            ) { row in
                EmailInsight(
                    emailID: row.id(0), accountID: accountID, modelID: row.text(1),
                    category: EmailCategory(rawValue: row.text(2)) ?? .uncategorized,
                    isCorrected: row.flag(3), summary: row.textOrNil(4),
                    embedding: row.withBytes(5, Embedding.vector))
            }
            return emailIDs.picking(from: found, \.emailID)
        }
    }

    func emailsWithoutInsight(
        by modelID: String, in accountID: Id<Account>, limit: Int
    ) async throws(StorageError) -> [Id<Email>] {
        try await read(accountID, none: []) { connection, account throws(StorageError) in
            try connection.rows(
                """
                SELECT e.id FROM email e WHERE e.account = $1 AND NOT EXISTS (
                    SELECT 1 FROM insight i WHERE i.account = e.account AND i.id = e.id AND i.model = $2)
                ORDER BY e.received DESC, e.id LIMIT $3
                """, [.integer(account), .string(modelID), .integer(max(0, limit))]
            ) { $0.id(0) }
        }
    }

    func nearestEmails(
        to vector: [Float], by modelID: String, in accountIDs: [Id<Account>], limit: Int
    ) async throws(StorageError) -> [NearEmail] {
        guard limit > 0 else { return [] }
        let vectors = try store().vectors
        let near = try await store().together(accountIDs) { parts, _ throws(StorageError) in
            var near: [NearEmail] = []
            for part in parts {
                near += try vectors.nearest(
                    to: vector, by: modelID, in: Set(part.ids), limit: limit, from: part.connection)
            }
            return near
        }
        let best = near.sorted { one, other in
            (other.similarity, one.emailID, one.accountID) < (one.similarity, other.emailID, other.accountID)
        }
        return Array(best.prefix(limit))
    }
}
