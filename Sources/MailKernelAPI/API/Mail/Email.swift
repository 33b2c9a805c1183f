public import FoundationEssentials

/// A message (RFC 8621, section 4): what is known of it besides its body.
public struct Email: Sendable, Hashable, Codable {
    public var id: Id<Email>
    public var accountID: Id<Account>
    /// The whole message as a blob. Not all of it need be on this machine.
    public var blobID: Id<Blob>
    public var mailboxIDs: Set<Id<Mailbox>>
    public var keywords: Set<Keyword>
    /// The size of the whole message in bytes.
    public var size: Int
    public var receivedAt: Date
    public var header: EmailHeader
    public var hasAttachment: Bool
    /// Up to 256 characters of the text, for lists.
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

/// The header fields that JMAP names, parsed.
public struct EmailHeader: Sendable, Hashable, Codable {
    /// Message-IDs without their angle brackets.
    public var messageID: [String]
    public var inReplyTo: [String]
    public var references: [String]
    public var sender: [EmailAddress]
    public var from: [EmailAddress]
    public var to: [EmailAddress]
    public var cc: [EmailAddress]
    public var bcc: [EmailAddress]
    public var replyTo: [EmailAddress]
    public var subject: String?
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

public struct EmailAddress: Sendable, Hashable, Codable {
    public var name: String?
    public var email: String

    public init(name: String? = nil, email: String) {
        self.name = name
        self.email = email
    }
}

/// A JMAP keyword, in lower case: `$seen`, `$flagged`, or the user's own.
public struct Keyword: RawRepresentable, Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    public let rawValue: String

    /// Keywords are compared without regard to case, so they are kept in lower case.
    public init(rawValue: String) {
        self.rawValue = rawValue.lowercased()
    }

    public init(_ rawValue: String) {
        self.init(rawValue: rawValue)
    }

    public static let seen = Keyword("$seen")
    public static let draft = Keyword("$draft")
    public static let flagged = Keyword("$flagged")
    public static let answered = Keyword("$answered")
    public static let forwarded = Keyword("$forwarded")
    public static let junk = Keyword("$junk")
    public static let notJunk = Keyword("$notjunk")

    public static func < (one: Keyword, other: Keyword) -> Bool { one.rawValue < other.rawValue }
    public var description: String { rawValue }
}

/// A conversation (RFC 8621, section 3). Not called `Thread`, which Foundation has taken.
public struct EmailThread: Sendable, Hashable, Codable {
    public var id: Id<EmailThread>
    /// Oldest first, by `receivedAt` and then by id.
    public var emailIDs: [Id<Email>]

    public init(id: Id<EmailThread>, emailIDs: [Id<Email>]) {
        self.id = id
        self.emailIDs = emailIDs
    }
}
