import FoundationEssentials
import MailKernelAPI

/// One record that a move brings from one store to another.
enum MovedRecord: Sendable {
    case account(Account)
    case mailbox(StoredMailbox)
    case identity(Identity)
    case email(Email, EmailBody)
    case remote(RemoteRef)
    case insight(EmailInsight)
    case submission(EmailSubmission)
    case document(Document)
    case contact(Contact)
    /// A kept blob. Cached ones can be fetched again, and are not moved.
    case blob(BlobInfo)

    /// Which row of the result counts it.
    enum Kind: String, CaseIterable, Sendable {
        case accounts = "Accounts"
        case mailboxes = "Folders and labels"
        case emails = "Messages"
        case threads = "Conversations"
        case remotes = "Links to messages at the services"
        case insights = "Categories and summaries"
        case identities = "Senders"
        case submissions = "Messages in the outbox"
        case documents = "Drafts, settings and notes"
        case blobs = "Files of drafts and the outbox"
        case contacts = "Contacts"
    }

    var kind: Kind {
        switch self {
        case .account: .accounts
        case .mailbox: .mailboxes
        case .identity: .identities
        case .email: .emails
        case .remote: .remotes
        case .insight: .insights
        case .submission: .submissions
        case .document: .documents
        case .contact: .contacts
        case .blob: .blobs
        }
    }

    /// Nil for what belongs to no account, and for contacts, which a store reports of all accounts together.
    var accountID: Id<Account>? {
        switch self {
        case .account(let account): account.id
        case .mailbox(let stored): stored.mailbox.accountID
        case .identity(let identity): identity.accountID
        case .email(let email, _): email.accountID
        case .remote(let reference): reference.accountID
        case .insight(let insight): insight.accountID
        case .submission(let submission): submission.accountID
        case .document(let document): document.key.accountID
        case .contact: nil
        case .blob(let info): info.accountID
        }
    }
}
