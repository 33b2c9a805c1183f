import FoundationEssentials
import MailKernelAPI
import StoreRules

// MARK: What the server calls it

extension SQLiteStorage {
    func emailIDs(
        for remoteIDs: [RemoteMessageID], feed: FeedID, in accountID: Id<Account>
    ) async throws(StorageError) -> [RemoteMessageID: Id<Email>] {
        try await read(accountID, none: [:]) { database, account throws(StorageError) in
            var known: [RemoteMessageID: Id<Email>] = [:]
            for remoteID in remoteIDs {
                known[remoteID] = try database.first(
                    """
                    SELECT e.id FROM remote r JOIN email e ON e.row = r.email
                    WHERE r.account = ? AND r.feed = ? AND r.remote = ?
                    """, [.integer(account), .id(feed), .id(remoteID)]
                ) { $0.id(0) }
            }
            return known
        }
    }

    func remoteRefs(
        of emailIDs: [Id<Email>], in accountID: Id<Account>
    ) async throws(StorageError) -> [RemoteRef] {
        try await read(accountID, none: []) { database, account throws(StorageError) in
            var refs: [RemoteRef] = []
            for id in emailIDs {
                refs += try database.rows(
                    """
                    SELECT r.feed, r.remote FROM email e JOIN remote r ON r.email = e.row
                    WHERE e.account = ? AND e.id = ? ORDER BY r.feed
                    """, [.integer(account), .id(id)]
                ) { RemoteRef(emailID: id, accountID: accountID, feed: $0.id(0), remoteID: $0.id(1)) }
            }
            return refs
        }
    }

    func remoteIDs(
        feed: FeedID, after: RemoteMessageID?, limit: Int, in accountID: Id<Account>
    ) async throws(StorageError) -> [RemoteMessageID] {
        try await read(accountID, none: []) { database, account throws(StorageError) in
            // Every id is after the empty one but that itself.
            let start = after == nil ? ">=" : ">"
            return try database.rows(
                """
                SELECT remote FROM remote WHERE account = ? AND feed = ? AND remote \(start) ?
                ORDER BY remote LIMIT ?
                """,
                [.integer(account), .id(feed), .id(after ?? Id("")), .integer(max(0, limit))]
            ) { $0.id(0) }
        }
    }
}

// MARK: Insights

extension SQLiteStorage {
    func insights(
        of emailIDs: [Id<Email>], in accountID: Id<Account>
    ) async throws(StorageError) -> [EmailInsight] {
        try await read(accountID, none: []) { database, account throws(StorageError) in
            try emailIDs.each { id throws(StorageError) in
                try database.first(
                    """
                    SELECT i.model, i.category, i.corrected, i.summary, i.embedding
                    FROM email e JOIN insight i ON i.email = e.row WHERE e.account = ? AND e.id = ?
                    """, [.integer(account), .id(id)]
                ) { row in
                    EmailInsight(
                        emailID: id, accountID: accountID, modelID: row.text(0),
                        category: EmailCategory(rawValue: row.text(1)) ?? .uncategorized,
                        isCorrected: row.flag(2), summary: row.textOrNil(3),
                        embedding: row.withBytes(4, Embedding.vector))
                }
            }
        }
    }

    func emailsWithoutInsight(
        by modelID: String, in accountID: Id<Account>, limit: Int
    ) async throws(StorageError) -> [Id<Email>] {
        try await read(accountID, none: []) { database, account throws(StorageError) in
            try database.rows(
                """
                SELECT e.id FROM email e WHERE e.account = ?
                AND NOT EXISTS (SELECT 1 FROM insight i WHERE i.email = e.row AND i.model = ?)
                ORDER BY e.received DESC, e.id LIMIT ?
                """, [.integer(account), .text(modelID), .integer(max(0, limit))]
            ) { $0.id(0) }
        }
    }
}

// MARK: Documents

extension SQLiteStorage {
    func document(_ key: DocumentKey) async throws(StorageError) -> Document? {
        try await read { database throws(StorageError) in
            guard let account = try database.documentAccount(key.accountID) else { return nil }
            return try database.first(
                "SELECT record FROM document WHERE account = ? AND collection = ? AND name = ?",
                [.integer(account), .text(key.collection), .text(key.name)]
            ) { row throws(StorageError) in
                Document(key, value: try JSONRecord.decode(JSONValue.self, row.data(0)))
            }
        }
    }

    func documents(
        in collection: String, accountID: Id<Account>?, after: String?, limit: Int
    ) async throws(StorageError) -> [Document] {
        try await read { database throws(StorageError) in
            guard let account = try database.documentAccount(accountID) else { return [] }
            let start = after == nil ? ">=" : ">"
            return try database.rows(
                """
                SELECT name, record FROM document
                WHERE account = ? AND collection = ? AND name \(start) ? ORDER BY name LIMIT ?
                """,
                [.integer(account), .text(collection), .text(after ?? ""), .integer(max(0, limit))]
            ) { row throws(StorageError) in
                Document(
                    DocumentKey(collection, row.text(0), accountID: accountID),
                    value: try JSONRecord.decode(JSONValue.self, row.data(1)))
            }
        }
    }
}

extension Database {
    /// The row of a document's account, 0 if it belongs to none; nil if there is no such account.
    func documentAccount(_ id: Id<Account>?) throws(StorageError) -> Int64? {
        guard let id else { return 0 }
        return try account(id)?.row
    }
}
