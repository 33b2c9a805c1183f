import FoundationEssentials
import MailKernelAPI

/// Everything of one account.
struct AccountContents: Sendable {
    var account: Account
    /// The store's last change when the account was added: nothing of it is older.
    var bornAt: Int
    var mailboxes: [Id<Mailbox>: Mailbox] = [:]
    /// What `MailboxCounting` says, kept up by every commit.
    var counts: [Id<Mailbox>: MailboxCounts] = [:]
    var emails: [Id<Email>: EmailRecord] = [:]
    var threads = ThreadIndex()
    var identities: [Id<Identity>: Identity] = [:]
    var submissions: [Id<EmailSubmission>: EmailSubmission] = [:]
    var remotes = RemoteIndex()
    var contacts = ContactBook()
    var insights: [Id<Email>: EmailInsight] = [:]
    var blobs = BlobShelf()

    init(_ account: Account, bornAt: Int) {
        self.account = account
        self.bornAt = bornAt
    }

    func storedMailbox(_ id: Id<Mailbox>) -> StoredMailbox? {
        mailboxes[id].map { StoredMailbox(mailbox: $0, counts: counts[id] ?? MailboxCounts()) }
    }

    func thread(_ id: Id<EmailThread>) -> EmailThread? {
        guard let members = threads.emailIDs(of: id) else { return nil }
        let dated = members.map { (emails[$0]?.email.receivedAt ?? .distantPast, $0) }
        return EmailThread(id: id, emailIDs: dated.sorted { $0 < $1 }.map(\.1))
    }

    func mailboxIDs(withRoleIn roles: Set<Mailbox.Role>) -> Set<Id<Mailbox>> {
        Set(mailboxes.values.filter { $0.role.map(roles.contains) ?? false }.map(\.id))
    }

    func category(of id: Id<Email>) -> EmailCategory {
        insights[id]?.category ?? .uncategorized
    }
}
