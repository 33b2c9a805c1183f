public import FoundationEssentials

/// A message without its body (RFC 8621, section 4).
public struct Email: Sendable, Hashable, Codable {
    /// Made by the kernel, unique in the account; never changes.
    public var id: Id<Email>
    /// The account it belongs to.
    public var accountID: Id<Account>
    /// The whole message as a blob. The store need not have its bytes: the kernel fetches them when needed.
    public var blobID: Id<Blob>
    /// The mailboxes it is in; never empty in a store.
    public var mailboxIDs: Set<Id<Mailbox>>
    /// Its keywords, such as `.seen`; empty for an unread message without marks.
    public var keywords: Set<Keyword>
    /// The size of the whole message in bytes.
    public var size: Int
    /// When the service received it. Lists are sorted by it.
    public var receivedAt: Date
    /// The parsed header fields.
    public var header: EmailHeader
    /// Whether it has a part that is shown as an attachment. Inline images do not count.
    public var hasAttachment: Bool
    /// The beginning of the text for lists, up to 256 characters; empty if there is no text.
    public var preview: String

    public init(
        id: Id<Email>, accountID: Id<Account>, blobID: Id<Blob>, mailboxIDs: Set<Id<Mailbox>>,
        keywords: Set<Keyword> = [], size: Int, receivedAt: Date, header: EmailHeader,
        hasAttachment: Bool = false, preview: String = ""
    ) {
        self.id = id
        self.accountID = accountID
        self.blobID = blobID
        self.mailboxIDs = mailboxIDs
        self.keywords = keywords
        self.size = size
        self.receivedAt = receivedAt
        self.header = header
        self.hasAttachment = hasAttachment
        self.preview = preview
    }
}

/// The header fields that JMAP names, parsed and decoded. The kernel fills it from the message; a missing
/// field is empty or nil.
public struct EmailHeader: Sendable, Hashable, Codable {
    /// The ids in Message-ID without angle brackets; normally one.
    public var messageID: [String]
    /// The ids in In-Reply-To without angle brackets. Used for threads.
    public var inReplyTo: [String]
    /// The ids in References without angle brackets, oldest first. Used for threads.
    public var references: [String]
    /// The Sender field: who sent the message for its author.
    public var sender: [EmailAddress]
    /// The authors. Not verified: any sender can write any address here.
    public var from: [EmailAddress]
    /// The recipients in To.
    public var to: [EmailAddress]
    /// The recipients in Cc.
    public var cc: [EmailAddress]
    /// The recipients in Bcc; known for drafts and sent messages only.
    public var bcc: [EmailAddress]
    /// Where answers go instead of `from`; empty if the message does not say.
    public var replyTo: [EmailAddress]
    /// The decoded subject; nil if the field is missing.
    public var subject: String?
    /// The Date field, as the sender's computer wrote it; nil if it is missing or cannot be read.
    public var sentAt: Date?

    public init(
        messageID: [String] = [], inReplyTo: [String] = [], references: [String] = [],
        sender: [EmailAddress] = [], from: [EmailAddress] = [], to: [EmailAddress] = [],
        cc: [EmailAddress] = [], bcc: [EmailAddress] = [], replyTo: [EmailAddress] = [],
        subject: String? = nil, sentAt: Date? = nil
    ) {
        self.messageID = messageID
        self.inReplyTo = inReplyTo
        self.references = references
        self.sender = sender
        self.from = from
        self.to = to
        self.cc = cc
        self.bcc = bcc
        self.replyTo = replyTo
        self.subject = subject
        self.sentAt = sentAt
    }
}

/// An address with an optional name.
public struct EmailAddress: Sendable, Hashable, Codable {
    /// The decoded display name; nil if there is none.
    public var name: String?
    /// The address, such as `ada@example.org`. In a received message it can be any text, even empty.
    public var email: String

    public init(name: String? = nil, email: String) {
        self.name = name
        self.email = email
    }
}

/// A JMAP keyword in lower case: `$seen`, `$flagged`, or one that the user invented.
public struct Keyword: RawRepresentable, Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    public let rawValue: String

    /// Lowers the case: keywords are compared without regard to it.
    public init(rawValue: String) {
        self.rawValue = rawValue.lowercased()
    }

    public init(_ rawValue: String) {
        self.init(rawValue: rawValue)
    }

    /// The user has read the message.
    public static let seen = Keyword("$seen")
    /// The message is a draft.
    public static let draft = Keyword("$draft")
    /// The message is starred.
    public static let flagged = Keyword("$flagged")
    /// The user has replied to the message.
    public static let answered = Keyword("$answered")
    /// The user has forwarded the message.
    public static let forwarded = Keyword("$forwarded")
    /// The message is certainly spam.
    public static let junk = Keyword("$junk")
    /// The message is certainly not spam.
    public static let notJunk = Keyword("$notjunk")

    public static func < (one: Keyword, other: Keyword) -> Bool { one.rawValue < other.rawValue }
    public var description: String { rawValue }
}

/// A thread (RFC 8621, section 3). Not named `Thread` because Foundation has a type of that name.
public struct EmailThread: Sendable, Hashable, Codable {
    /// Made by the store. A thread that merges with another can lose it: see `Threading` of
    /// `StoreRules`.
    public var id: Id<EmailThread>
    /// Oldest first, by `receivedAt` and then by id. Never empty.
    public var emailIDs: [Id<Email>]

    public init(id: Id<EmailThread>, emailIDs: [Id<Email>]) {
        self.id = id
        self.emailIDs = emailIDs
    }
}
