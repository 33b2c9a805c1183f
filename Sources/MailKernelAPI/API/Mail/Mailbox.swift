/// A named set of emails (RFC 8621, section 2). Gmail's labels are mailboxes; an email can be in several.
public struct Mailbox: Sendable, Hashable, Codable {
    /// The special uses from the IANA registry that the program knows.
    public enum Role: String, Sendable, Codable, CaseIterable {
        /// New mail arrives here.
        case inbox
        /// Sent messages.
        case sent
        /// Drafts.
        case drafts
        /// Deleted messages. An unread one does not make its thread unread in other mailboxes.
        case trash
        /// Spam.
        case junk
        /// Archived messages. Where the service has no archive, the kernel keeps one on this device.
        case archive
        /// A view of all starred messages, where the service has one.
        case flagged
        /// A view of all messages, where the service has one.
        case all
        /// A view of messages that the service considers important.
        case important
    }

    /// Made by the kernel; never changes, even when the mailbox is renamed.
    public var id: Id<Mailbox>
    /// The account it belongs to.
    public var accountID: Id<Account>
    /// Its own name, without those of its parents.
    public var name: String
    /// The mailbox above it, in the same account; nil at the top level.
    public var parentID: Id<Mailbox>?
    /// Its special use; nil for an ordinary mailbox.
    public var role: Role?
    /// Its place among the mailboxes, lowest first. The kernel sets it by role; JMAP clients can change it.
    public var sortOrder: Int
    /// JMAP's subscription flag, set by clients. The kernel syncs every mailbox either way.
    public var isSubscribed: Bool
    /// What the user may do in it, as the provider reports.
    public var rights: MailboxRights

    public init(
        id: Id<Mailbox>, accountID: Id<Account>, name: String, parentID: Id<Mailbox>? = nil,
        role: Role? = nil, sortOrder: Int = 0, isSubscribed: Bool = true, rights: MailboxRights = .all
    ) {
        self.id = id
        self.accountID = accountID
        self.name = name
        self.parentID = parentID
        self.role = role
        self.sortOrder = sortOrder
        self.isSubscribed = isSubscribed
        self.rights = rights
    }
}

/// What the user may do in a mailbox: JMAP's `myRights`. The kernel rejects other changes.
public struct MailboxRights: OptionSet, Sendable, Hashable, Codable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Read its messages.
    public static let readItems = MailboxRights(rawValue: 1)
    /// Add or move messages to it.
    public static let addItems = MailboxRights(rawValue: 2)
    /// Remove or move messages from it.
    public static let removeItems = MailboxRights(rawValue: 4)
    /// Mark its messages as read or unread.
    public static let setSeen = MailboxRights(rawValue: 8)
    /// Change all other keywords of its messages.
    public static let setKeywords = MailboxRights(rawValue: 16)
    /// Create mailboxes below it.
    public static let createChild = MailboxRights(rawValue: 32)
    /// Rename it or move it below another.
    public static let rename = MailboxRights(rawValue: 64)
    /// Delete the mailbox itself.
    public static let delete = MailboxRights(rawValue: 128)
    /// Submit its messages for delivery. Passed on to clients; the kernel does not check it.
    public static let submit = MailboxRights(rawValue: 256)
    /// All of the above.
    public static let all = MailboxRights(rawValue: 511)
}

/// The four counts of a mailbox. The store keeps them exact at all times.
public struct MailboxCounts: Sendable, Hashable, Codable {
    /// Emails in this mailbox.
    public var totalEmails: Int
    /// Emails in this mailbox with neither `$seen` nor `$draft`.
    public var unreadEmails: Int
    /// Threads with at least one email in this mailbox.
    public var totalThreads: Int
    /// Those of these threads with an unread email in this or any other mailbox, except Trash (RFC 8621,
    /// section 2).
    public var unreadThreads: Int

    public init(totalEmails: Int = 0, unreadEmails: Int = 0, totalThreads: Int = 0, unreadThreads: Int = 0) {
        self.totalEmails = totalEmails
        self.unreadEmails = unreadEmails
        self.totalThreads = totalThreads
        self.unreadThreads = unreadThreads
    }
}
