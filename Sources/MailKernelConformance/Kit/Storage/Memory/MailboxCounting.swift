import MailKernelAPI
import StoreRules

/// The numbers of mailboxes are sums over threads of what each thread adds to them, so a change of
/// some threads costs what these threads cost.
struct MailboxCounting {
    private let contents: AccountContents
    private let trash: Set<Id<Mailbox>>

    init(_ contents: AccountContents) {
        self.contents = contents
        trash = contents.mailboxIDs(withRoleIn: [.trash])
    }

    /// What one thread adds to each of the mailboxes that its emails are in.
    func contribution(of threadID: Id<EmailThread>) -> [Id<Mailbox>: MailboxCounts] {
        let members = contents.threads.emailIDs(of: threadID) ?? []
        let emails = members.compactMap { contents.emails[$0]?.email }
        let unread = emails.filter(\.isUnread)
        // The trash and the rest do not make each other's threads unread (RFC 8621, section 2).
        let isUnreadElsewhere = unread.contains { !$0.mailboxIDs.isSubset(of: trash) }
        let isUnreadInTrash = unread.contains { !$0.mailboxIDs.isDisjoint(with: trash) }
        var counts: [Id<Mailbox>: MailboxCounts] = [:]
        for email in emails {
            for id in email.mailboxIDs {
                let isUnread = trash.contains(id) ? isUnreadInTrash : isUnreadElsewhere
                var count = counts[id] ?? MailboxCounts(totalThreads: 1, unreadThreads: isUnread ? 1 : 0)
                count.totalEmails += 1
                count.unreadEmails += email.isUnread ? 1 : 0
                counts[id] = count
            }
        }
        return counts
    }

    /// All counts from the beginning.
    func all() -> [Id<Mailbox>: MailboxCounts] {
        var sum = contents.mailboxes.mapValues { _ in MailboxCounts() }
        for threadID in contents.threads.ids {
            for (id, count) in contribution(of: threadID) {
                sum[id, default: MailboxCounts()].add(count, times: 1)
            }
        }
        return sum
    }
}
