import FoundationEssentials
import MailKernelAPI

/// The emails of a thread at one moment: its properties, and its share of the counts of its mailboxes.
struct ThreadContents {
    struct Member {
        var email: Id<Email>
        var isUnread: Bool
        var mailboxes: [Int64]
    }

    /// Oldest first.
    var members: [Member] = []

    static let none = ThreadContents()

    init() {}

    init(_ thread: Int64, in database: Database) throws(StorageError) {
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

    mutating func add(_ email: Id<Email>, isUnread: Bool, mailbox: Int64?) {
        if members.last?.email != email {
            members.append(Member(email: email, isUnread: isUnread, mailboxes: []))
        }
        if let mailbox { members[members.count - 1].mailboxes.append(mailbox) }
    }

    /// Counts are sums over threads, so a change of some threads costs what these threads cost.
    func counts(trash: Set<Int64>) -> [Int64: MailboxCounts] {
        // The trash and the rest do not make each other's threads unread (RFC 8621, section 2).
        let unread = members.filter(\.isUnread).flatMap(\.mailboxes)
        let isUnreadInTrash = unread.contains(where: trash.contains)
        let isUnreadElsewhere = unread.contains { !trash.contains($0) }
        var counts: [Int64: MailboxCounts] = [:]
        for member in members {
            for mailbox in member.mailboxes {
                let isUnread = trash.contains(mailbox) ? isUnreadInTrash : isUnreadElsewhere
                var count =
                    counts[mailbox] ?? MailboxCounts(totalThreads: 1, unreadThreads: isUnread ? 1 : 0)
                count.totalEmails += 1
                count.unreadEmails += member.isUnread ? 1 : 0
                counts[mailbox] = count
            }
        }
        return counts
    }
}
