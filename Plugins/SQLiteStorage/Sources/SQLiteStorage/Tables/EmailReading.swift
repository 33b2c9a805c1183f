import FoundationEssentials
import MailKernelAPI
import StoreRules

extension Database {
    func email(
        _ id: Id<Email>, in accountID: Id<Account>, _ account: Int64
    ) throws(StorageError) -> StoredEmail? {
        try first(
            """
            SELECT e.row, t.id, b.core FROM email e JOIN thread t ON t.row = e.thread
            JOIN email_body b ON b.email = e.row WHERE e.account = ? AND e.id = ?
            """, [.integer(account), .id(id)]
        ) { row throws(StorageError) in
            let mailboxIDs = try mailboxIDs(ofEmail: row.int64(0))
            let keywords = try keywords(ofEmail: row.int64(0))
            let email = row.withBytes(2) { bytes in
                PackedEmail.email(
                    id, in: accountID, bytes, mailboxIDs: Set(mailboxIDs), keywords: Set(keywords))
            }
            return StoredEmail(email: email, threadID: row.id(1))
        }
    }

    func body(ofEmail email: Int64) throws(StorageError) -> EmailBody? {
        try first(
            "SELECT headers, content FROM email_body WHERE email = ?", [.integer(email)], Self.body)
    }

    func body(of id: Id<Email>, account: Int64) throws(StorageError) -> EmailBody? {
        try first(
            """
            SELECT b.headers, b.content FROM email e JOIN email_body b ON b.email = e.row
            WHERE e.account = ? AND e.id = ?
            """, [.integer(account), .id(id)], Self.body)
    }

    private static func body(_ row: Row) -> EmailBody {
        row.withBytes(0) { headers in
            row.withBytes(1) { PackedBody.body(headers: headers, content: $0) }
        }
    }

    /// In the order of their text.
    func mailboxIDs(ofEmail email: Int64) throws(StorageError) -> [Id<Mailbox>] {
        try rows(
            """
            SELECT b.id FROM email_mailbox m JOIN mailbox b ON b.row = m.mailbox
            WHERE m.email = ? ORDER BY b.id
            """, [.integer(email)]
        ) { $0.id(0) }
    }

    /// In the order of their text.
    func keywords(ofEmail email: Int64) throws(StorageError) -> [Keyword] {
        try rows("SELECT keyword FROM email_keyword WHERE email = ?", [.integer(email)]) {
            Keyword(rawValue: $0.text(0))
        }
    }

    func thread(
        _ id: Id<EmailThread>, account: Int64
    ) throws(StorageError) -> EmailThread? {
        guard let thread = try threadRow(id, account: account) else { return nil }
        let emails = try rows(
            "SELECT id FROM email WHERE thread = ? ORDER BY received, id", [.integer(thread)]
        ) { $0.id(0) as Id<Email> }
        return EmailThread(id: id, emailIDs: emails)
    }
}
