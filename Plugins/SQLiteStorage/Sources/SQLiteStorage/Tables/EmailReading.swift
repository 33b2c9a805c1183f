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
            let (mailboxIDs, keywords) = try marks(ofEmail: row.int64(0))
            let email = row.withBytes(2) { bytes in
                PackedEmail.email(id, in: accountID, bytes, mailboxIDs: mailboxIDs, keywords: keywords)
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

    /// The mailboxes and keywords of an email, in one statement: actions and rules read those of all mail.
    func marks(
        ofEmail email: Int64
    ) throws(StorageError) -> (mailboxIDs: Set<Id<Mailbox>>, keywords: Set<Keyword>) {
        var mailboxIDs: Set<Id<Mailbox>> = []
        var keywords: Set<Keyword> = []
        try each(
            """
            SELECT 0, b.id FROM email_mailbox m JOIN mailbox b ON b.row = m.mailbox WHERE m.email = ?1
            UNION ALL SELECT 1, keyword FROM email_keyword WHERE email = ?1
            """, [.integer(email)]
        ) { row in
            if row.flag(0) {
                keywords.insert(Keyword(rawValue: row.text(1)))
            } else {
                mailboxIDs.insert(row.id(1))
            }
            return true
        }
        return (mailboxIDs, keywords)
    }

    func thread(
        _ id: Id<EmailThread>, account: Int64
    ) throws(StorageError) -> EmailThread? {
        // A thread has at least one email.
        let emails = try rows(
            """
            SELECT e.id FROM thread t JOIN email e ON e.thread = t.row WHERE t.account = ? AND t.id = ?
            ORDER BY e.received, e.id
            """, [.integer(account), .id(id)]
        ) { $0.id(0) as Id<Email> }
        guard !emails.isEmpty else { return nil }
        return EmailThread(id: id, emailIDs: emails)
    }
}
