import MailKernelAPI
import StoreRules

extension Database {
    private static let mailboxColumns = """
        id, name, parent, role, sort_order, subscribed, rights,
        total_emails, unread_emails, total_threads, unread_threads
        """

    /// One mailbox of the account `accountID`, whose row is `account`.
    func mailbox(
        _ id: Id<Mailbox>, in accountID: Id<Account>, _ account: Int64
    ) throws(StorageError) -> StoredMailbox? {
        try first(
            "SELECT \(Self.mailboxColumns) FROM mailbox WHERE account = ? AND id = ?",
            [.integer(account), .id(id)]
        ) { Self.mailbox($0, accountID) }
    }

    func mailboxes(
        in accountID: Id<Account>, _ account: Int64
    ) throws(StorageError) -> [StoredMailbox] {
        try rows(
            "SELECT \(Self.mailboxColumns) FROM mailbox WHERE account = ? ORDER BY sort_order, id",
            [.integer(account)]
        ) { Self.mailbox($0, accountID) }
    }

    private static func mailbox(_ row: Row, _ accountID: Id<Account>) -> StoredMailbox {
        let mailbox = Mailbox(
            id: row.id(0), accountID: accountID, name: row.text(1), parentID: row.textOrNil(2).map { Id($0) },
            role: row.textOrNil(3).flatMap(Mailbox.Role.init), sortOrder: row.int(4),
            isSubscribed: row.flag(5), rights: MailboxRights(rawValue: row.int(6)))
        let counts = MailboxCounts(
            totalEmails: row.int(7), unreadEmails: row.int(8), totalThreads: row.int(9),
            unreadThreads: row.int(10))
        return StoredMailbox(mailbox: mailbox, counts: counts)
    }

    /// The mailboxes of an account that have one of these roles.
    func mailboxRows(
        withRoleIn roles: Set<Mailbox.Role>, account: Int64
    ) throws(StorageError) -> [Int64] {
        let found = try rows(
            "SELECT row, role FROM mailbox WHERE account = ? AND role IS NOT NULL", [.integer(account)]
        ) { ($0.int64(0), Mailbox.Role(rawValue: $0.text(1))) }
        return found.filter { $0.1.map(roles.contains) ?? false }.map(\.0)
    }

    func trash(of account: Int64) throws(StorageError) -> Set<Int64> {
        Set(try mailboxRows(withRoleIn: [.trash], account: account))
    }
}
