import FoundationEssentials
import MailKernelAPI
import StoreRules

extension PostgreSQLStorage {
    func accounts() async throws(StorageError) -> [Account] {
        let sql =
            try store().isSpread ? Self.accountsEverywhere : "SELECT record FROM account ORDER BY added, id"
        return try await read { connection throws(StorageError) in
            try connection.rows(sql) { row throws(StorageError) in
                try JSONRecord.decode(Account.self, row.data(0))
            }
        }
    }

    private static let accountsEverywhere = """
        SELECT record FROM (
            SELECT record, added, id FROM account UNION ALL
            SELECT record, added, id FROM account_place p
            WHERE NOT EXISTS (SELECT 1 FROM account a WHERE a.account = p.account)) every
        ORDER BY added, id
        """

    func mailboxes(
        _ ids: [Id<Mailbox>]?, in accountID: Id<Account>
    ) async throws(StorageError) -> [StoredMailbox] {
        try await read(accountID, none: []) { connection, account throws(StorageError) in
            let all = try connection.rows(
                """
                SELECT record, total_emails, unread_emails, total_threads, unread_threads FROM mailbox
                WHERE account = $1 AND ($2 OR id = ANY ($3)) ORDER BY sort_order, id
                """, [.integer(account), .flag(ids == nil), .ids(ids ?? [])]
            ) { row throws(StorageError) in
                StoredMailbox(
                    mailbox: try JSONRecord.decode(Mailbox.self, row.data(0)), counts: row.counts(from: 1))
            }
            return ids.map { $0.picking(from: all) { $0.mailbox.id } } ?? all
        }
    }

    func emails(_ ids: [Id<Email>], in accountID: Id<Account>) async throws(StorageError) -> [StoredEmail] {
        try await read(accountID, none: []) { connection, account throws(StorageError) in
            let found = try connection.rows(
                """
                SELECT e.id, e.thread, e.mailboxes, e.keywords, b.core
                FROM email e JOIN email_body b ON b.account = e.account AND b.id = e.id
                WHERE e.account = $1 AND e.id = ANY ($2)
                """, [.integer(account), .ids(ids)]
            ) { row in
                let email = row.withBytes(4) { core in
                    PackedEmail.email(
                        row.id(0), in: accountID, core, mailboxIDs: Set(row.texts(2).map { Id($0) }),
                        keywords: Set(row.texts(3).map { Keyword(rawValue: $0) }))
                }
                return StoredEmail(email: email, threadID: row.id(1))
            }
            return ids.picking(from: found) { $0.email.id }
        }
    }

    func body(of id: Id<Email>, in accountID: Id<Account>) async throws(StorageError) -> EmailBody? {
        try await read(accountID, none: nil) { connection, account throws(StorageError) in
            try connection.first(
                "SELECT headers, content FROM email_body WHERE account = $1 AND id = $2",
                [.integer(account), .id(id)]
            ) { $0.body(headers: 0, content: 1) }
        }
    }

    func threads(
        _ ids: [Id<EmailThread>], in accountID: Id<Account>
    ) async throws(StorageError) -> [EmailThread] {
        try await read(accountID, none: []) { connection, account throws(StorageError) in
            var members: [Id<EmailThread>: [Id<Email>]] = [:]
            for (thread, email) in try connection.rows(
                """
                SELECT thread, id FROM email WHERE account = $1 AND thread = ANY ($2) ORDER BY received, id
                """, [.integer(account), .ids(ids)], { ($0.id(0) as Id<EmailThread>, $0.id(1) as Id<Email>) })
            {
                members[thread, default: []].append(email)
            }
            return ids.compactMap { id in members[id].map { EmailThread(id: id, emailIDs: $0) } }
        }
    }
}

extension Row {
    func counts(from column: Int) -> MailboxCounts {
        MailboxCounts(
            totalEmails: int(column), unreadEmails: int(column + 1), totalThreads: int(column + 2),
            unreadThreads: int(column + 3))
    }

    func body(headers: Int, content: Int) -> EmailBody {
        withBytes(headers) { headers in
            withBytes(content) { PackedBody.body(headers: headers, content: $0) }
        }
    }
}

extension Array {
    /// The values that have these ids, in the order of the ids.
    func picking<Value>(from values: [Value], _ id: (Value) -> Element) -> [Value] where Element: Hashable {
        let byID = Dictionary(values.map { (id($0), $0) }) { first, _ in first }
        return compactMap { byID[$0] }
    }
}
