public import MailKernelAPI

/// The emails of a thread at one moment: its properties, and its share of the counts of its mailboxes.
///
/// Large actions count tens of thousands of threads. The methods are inlinable, so that a store has them compiled for
/// its own keys.
public struct ThreadContents<MailboxKey: Hashable> {
    /// An email as far as its thread's counts need it.
    public struct Member {
        /// The email.
        public var email: Id<Email>
        /// Whether it has neither `$seen` nor `$draft`.
        public var isUnread: Bool
        /// The mailboxes that it is in.
        public var mailboxes: [MailboxKey]

        @inlinable public init(email: Id<Email>, isUnread: Bool, mailboxes: [MailboxKey]) {
            self.email = email
            self.isUnread = isUnread
            self.mailboxes = mailboxes
        }
    }

    /// Oldest first.
    public var members: [Member]

    @inlinable public init(_ members: [Member] = []) {
        self.members = members
    }

    /// Adds an email, or another mailbox of the email that was added last.
    @inlinable public mutating func add(_ email: Id<Email>, isUnread: Bool, mailbox: MailboxKey?) {
        if members.last?.email != email {
            members.append(Member(email: email, isUnread: isUnread, mailboxes: []))
        }
        if let mailbox { members[members.count - 1].mailboxes.append(mailbox) }
    }

    /// Counts are sums over threads, so a change of some threads costs what these threads cost.
    @inlinable public func counts(trash: Set<MailboxKey>) -> [MailboxKey: MailboxCounts] {
        // The trash and the rest do not make each other's threads unread (RFC 8621, section 2).
        var (isUnreadInTrash, isUnreadElsewhere) = (false, false)
        for member in members where member.isUnread {
            for mailbox in member.mailboxes {
                if trash.contains(mailbox) { isUnreadInTrash = true } else { isUnreadElsewhere = true }
            }
        }
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
