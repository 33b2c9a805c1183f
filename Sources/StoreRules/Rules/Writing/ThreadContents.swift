public import MailKernelAPI

/// The emails of a thread at one moment: its properties, and its share of the counts of its mailboxes.
public struct ThreadContents<MailboxKey: Hashable> {
    /// An email as far as its thread's counts need it.
    public struct Member {
        /// The email.
        public var email: Id<Email>
        /// Whether it has neither `$seen` nor `$draft`.
        public var isUnread: Bool
        /// The mailboxes that it is in.
        public var mailboxes: [MailboxKey]

        public init(email: Id<Email>, isUnread: Bool, mailboxes: [MailboxKey]) {
            self.email = email
            self.isUnread = isUnread
            self.mailboxes = mailboxes
        }
    }

    /// Oldest first.
    public var members: [Member]

    public init(_ members: [Member] = []) {
        self.members = members
    }

    /// Adds an email, or another mailbox of the email that was added last.
    public mutating func add(_ email: Id<Email>, isUnread: Bool, mailbox: MailboxKey?) {
        if members.last?.email != email {
            members.append(Member(email: email, isUnread: isUnread, mailboxes: []))
        }
        if let mailbox { members[members.count - 1].mailboxes.append(mailbox) }
    }

    /// Counts are sums over threads, so a change of some threads costs what these threads cost.
    public func counts(trash: Set<MailboxKey>) -> [MailboxKey: MailboxCounts] {
        // The trash and the rest do not make each other's threads unread (RFC 8621, section 2).
        let unread = members.filter(\.isUnread).flatMap(\.mailboxes)
        let isUnreadInTrash = unread.contains(where: trash.contains)
        let isUnreadElsewhere = unread.contains { !trash.contains($0) }
        var counts: [MailboxKey: MailboxCounts] = [:]
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
