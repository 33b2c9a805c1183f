/// A named set of emails (RFC 8621, section 2). Gmail's labels are mailboxes; an email can be in several.
public struct Mailbox: Sendable, Hashable, Codable {
    /// The roles of the IANA registry that the program gives a meaning to.
    public enum Role: String, Sendable, Codable, CaseIterable {
        case inbox, sent, drafts, trash, junk, archive, flagged, all, important
    }

    public var id: Id<Mailbox>
    public var accountID: Id<Account>
    public var name: String
    public var parentID: Id<Mailbox>?
    public var role: Role?
    public var sortOrder: Int
    public var isSubscribed: Bool
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

/// What the user may do in a mailbox: JMAP's `myRights`.
public struct MailboxRights: OptionSet, Sendable, Hashable, Codable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let readItems = MailboxRights(rawValue: 1)
    public static let addItems = MailboxRights(rawValue: 2)
    public static let removeItems = MailboxRights(rawValue: 4)
    public static let setSeen = MailboxRights(rawValue: 8)
    public static let setKeywords = MailboxRights(rawValue: 16)
    public static let createChild = MailboxRights(rawValue: 32)
    public static let rename = MailboxRights(rawValue: 64)
    public static let delete = MailboxRights(rawValue: 128)
    public static let submit = MailboxRights(rawValue: 256)
    public static let all = MailboxRights(rawValue: 511)
}

/// The four numbers of a mailbox, kept exact by the store.
public struct MailboxCounts: Sendable, Hashable, Codable {
    public var totalEmails: Int
    /// Emails with neither `$seen` nor `$draft`.
    public var unreadEmails: Int
    public var totalThreads: Int
    /// Threads with an unread email in this or any other mailbox, trash excepted (RFC 8621, section 2).
    public var unreadThreads: Int

    public init(totalEmails: Int = 0, unreadEmails: Int = 0, totalThreads: Int = 0, unreadThreads: Int = 0) {
        self.totalEmails = totalEmails
        self.unreadEmails = unreadEmails
        self.totalThreads = totalThreads
        self.unreadThreads = unreadThreads
    }
}
