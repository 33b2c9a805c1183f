import FoundationEssentials
import MailKernelAPI
import StoreRules

extension SQLiteStorage {
    func accounts() async throws(StorageError) -> [Account] {
        try await read { database throws(StorageError) in
            try database.rows("SELECT record FROM account ORDER BY added, id") {
                row throws(StorageError) in
                try JSONRecord.decode(Account.self, row.data(0))
            }
        }
    }

    func mailboxes(
        _ ids: [Id<Mailbox>]?, in accountID: Id<Account>
    ) async throws(StorageError) -> [StoredMailbox] {
        try await read(accountID, none: []) { database, account throws(StorageError) in
            guard let ids else { return try database.mailboxes(in: accountID, account) }
            return try ids.each { id throws(StorageError) in try database.mailbox(id, in: accountID, account)
            }
        }
    }

    func emails(_ ids: [Id<Email>], in accountID: Id<Account>) async throws(StorageError) -> [StoredEmail] {
        try await read(accountID, none: []) { database, account throws(StorageError) in
            try ids.each { id throws(StorageError) in try database.email(id, in: accountID, account) }
        }
    }

    func body(of id: Id<Email>, in accountID: Id<Account>) async throws(StorageError) -> EmailBody? {
        try await read(accountID, none: nil) { database, account throws(StorageError) in
            try database.body(of: id, account: account)
        }
    }

    func threads(
        _ ids: [Id<EmailThread>], in accountID: Id<Account>
    ) async throws(StorageError) -> [EmailThread] {
        try await read(accountID, none: []) { database, account throws(StorageError) in
            try ids.each { id throws(StorageError) in try database.thread(id, account: account) }
        }
    }

    func identities(
        _ ids: [Id<Identity>]?, in accountID: Id<Account>
    ) async throws(StorageError) -> [Identity] {
        try await records(ids, in: accountID, table: "identity", order: "id")
    }

    func submissions(
        _ ids: [Id<EmailSubmission>]?, in accountID: Id<Account>
    ) async throws(StorageError) -> [EmailSubmission] {
        try await records(ids, in: accountID, table: "submission", order: "queued, id")
    }

    private func records<Record: Decodable & Sendable>(
        _ ids: [Id<Record>]?, in accountID: Id<Account>, table: String, order: String
    ) async throws(StorageError) -> [Record] {
        try await read(accountID, none: []) { database, account throws(StorageError) in
            let decode = { (row: Row) throws(StorageError) in
                try JSONRecord.decode(Record.self, row.data(0))
            }
            guard let ids else {
                return try database.rows(
                    "SELECT record FROM \(table) WHERE account = ? ORDER BY \(order)", [.integer(account)],
                    decode)
            }
            return try ids.each { id throws(StorageError) in
                try database.first(
                    "SELECT record FROM \(table) WHERE account = ? AND id = ?",
                    [.integer(account), .id(id)], decode)
            }
        }
    }
}

extension Array {
    /// `compactMap`, with the error's type kept.
    func each<Value>(
        _ transform: (Element) throws(StorageError) -> Value?
    ) throws(StorageError) -> [Value] {
        var values: [Value] = []
        for element in self {
            if let value = try transform(element) { values.append(value) }
        }
        return values
    }
}
