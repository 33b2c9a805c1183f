import FoundationEssentials
import MailKernelAPI
import StoreRules

extension PostgreSQLStorage {
    func identities(
        _ ids: [Id<Identity>]?, in accountID: Id<Account>
    ) async throws(StorageError) -> [Identity] {
        try await records(.identity, ids, in: accountID)
    }

    func submissions(
        _ ids: [Id<EmailSubmission>]?, in accountID: Id<Account>
    ) async throws(StorageError) -> [EmailSubmission] {
        try await records(.submission, ids, in: accountID)
    }

    private func records<Record: Decodable & Sendable>(
        _ type: DataType, _ ids: [Id<Record>]?, in accountID: Id<Account>
    ) async throws(StorageError) -> [Record] {
        try await read(accountID, none: []) { connection, account throws(StorageError) in
            let all = try connection.rows(
                """
                SELECT id, record FROM record WHERE account = $1 AND type = $2 AND ($3 OR id = ANY ($4))
                ORDER BY queued, id
                """,
                [.integer(account), .string(type.rawValue), .flag(ids == nil), .ids(ids ?? [])]
            ) { row throws(StorageError) in
                (id: row.id(0) as Id<Record>, record: try JSONRecord.decode(Record.self, row.data(1)))
            }
            return (ids.map { $0.picking(from: all, \.id) } ?? all).map(\.record)
        }
    }

    func document(_ key: DocumentKey) async throws(StorageError) -> Document? {
        let document = try await read(orNone: key.accountID) { connection, account throws(StorageError) in
            try connection.first(
                "SELECT record FROM record WHERE account = $1 AND type = $2 AND id = $3",
                [
                    .integer(account), .string(DataType.documents(key.collection).rawValue),
                    .string(key.name),
                ]
            ) { row throws(StorageError) in
                Document(key, value: try JSONRecord.decode(JSONValue.self, row.data(0)))
            }
        }
        return document ?? nil
    }

    func documents(
        in collection: String, accountID: Id<Account>?, after: String?, limit: Int
    ) async throws(StorageError) -> [Document] {
        let documents = try await read(orNone: accountID) { connection, account throws(StorageError) in
            try connection.rows(
                """
                SELECT id, record FROM record WHERE account = $1 AND type = $2 AND ($3::bytea IS NULL OR id > $3)
                ORDER BY id LIMIT $4
                """,
                [
                    .integer(account), .string(DataType.documents(collection).rawValue), .string(after),
                    .integer(max(0, limit)),
                ]
            ) { row throws(StorageError) in
                Document(
                    DocumentKey(collection, row.text(0), accountID: accountID),
                    value: try JSONRecord.decode(JSONValue.self, row.data(1)))
            }
        }
        return documents ?? []
    }
}

// MARK: What the service calls it

extension PostgreSQLStorage {
    func emailIDs(
        for remoteIDs: [RemoteMessageID], feed: FeedID, in accountID: Id<Account>
    ) async throws(StorageError) -> [RemoteMessageID: Id<Email>] {
        try await read(accountID, none: [:]) { connection, account throws(StorageError) in
            let found = try connection.rows(
                "SELECT remote, email FROM remote WHERE account = $1 AND feed = $2 AND remote = ANY ($3)",
                [.integer(account), .id(feed), .ids(remoteIDs)]
            ) { ($0.id(0) as RemoteMessageID, $0.id(1) as Id<Email>) }
            return Dictionary(found) { first, _ in first }
        }
    }

    func remoteRefs(
        of emailIDs: [Id<Email>], in accountID: Id<Account>
    ) async throws(StorageError) -> [RemoteRef] {
        try await read(accountID, none: []) { connection, account throws(StorageError) in
            let found = try connection.rows(
                """
                SELECT email, feed, remote FROM remote WHERE account = $1 AND email = ANY ($2) ORDER BY feed
                """, [.integer(account), .ids(emailIDs)]
            ) { RemoteRef(emailID: $0.id(0), accountID: accountID, feed: $0.id(1), remoteID: $0.id(2)) }
            let byEmail = Dictionary(grouping: found, by: \.emailID)
            return emailIDs.flatMap { byEmail[$0] ?? [] }
        }
    }

    func remoteIDs(
        feed: FeedID, after: RemoteMessageID?, limit: Int, in accountID: Id<Account>
    ) async throws(StorageError) -> [RemoteMessageID] {
        try await read(accountID, none: []) { connection, account throws(StorageError) in
            try connection.rows(
                """
                SELECT remote FROM remote WHERE account = $1 AND feed = $2 AND ($3::bytea IS NULL OR remote > $3)
                ORDER BY remote LIMIT $4
                """,
                [
                    .integer(account), .id(feed), .string(after?.rawValue), .integer(max(0, limit)),
                ]
            ) { $0.id(0) }
        }
    }
}
