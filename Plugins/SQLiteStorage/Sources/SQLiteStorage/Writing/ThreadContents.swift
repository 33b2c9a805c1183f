import MailKernelAPI
import StoreRules

typealias ThreadContents = StoreRules.ThreadContents<Int64>

extension ThreadContents {
    init(_ thread: Int64, in database: Database) throws(StorageError) {
        self.init()
        try database.each(
            """
            SELECT e.row, e.id, e.unread, m.mailbox FROM email e
            LEFT JOIN email_mailbox m ON m.email = e.row
            WHERE e.thread = ? ORDER BY e.received, e.id
            """, [.integer(thread)]
        ) { row in
            add(row.id(1), isUnread: row.flag(2), mailbox: row.isNull(3) ? nil : row.int64(3))
            return true
        }
    }
}
