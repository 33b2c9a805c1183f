public import FoundationEssentials

/// The provider's id of a message: unique in its feed, never changed or used again, 1 to 255 bytes.
public typealias RemoteMessageID = Id<RemoteMessage>
/// The provider's id of a mailbox, 1 to 255 bytes. It must stay the same when the listing is read again.
public typealias RemoteMailboxID = Id<RemoteMailbox>
/// The provider's id of a feed, 1 to 255 bytes. The kernel stores cursors under it, so it must stay the same.
public typealias FeedID = Id<Feed>

/// A part of an account that changes on its own and has its own cursor: a folder on most servers, the whole
/// account on services that keep one copy of each message.
public struct Feed: Sendable, Hashable, Codable {
    /// Made by the provider, unique in the account.
    public var id: FeedID
    /// The mailbox that contains all messages of this feed; nil if they are in several.
    public var mailboxID: RemoteMailboxID?
    /// The kernel reads feeds in ascending order of this number. Give the feed of the inbox the lowest.
    public var priority: Int

    public init(id: FeedID, mailboxID: RemoteMailboxID? = nil, priority: Int = 0) {
        self.id = id
        self.mailboxID = mailboxID
        self.priority = priority
    }
}

/// A mailbox of the service, as the provider reports it.
public struct RemoteMailbox: Sendable, Hashable, Codable {
    /// Made by the provider, unique in the account.
    public var id: RemoteMailboxID
    /// The mailbox's own name without those of its parents, decoded, as the user reads it.
    public var name: String
    /// The mailbox above it, earlier in the listing; nil at the top level.
    public var parentID: RemoteMailboxID?
    /// Its special use; nil for an ordinary mailbox. The kernel finds Inbox, Drafts, Sent and Trash by their
    /// roles.
    public var role: Mailbox.Role?
    /// What the user may do in it; everything by default. The kernel rejects other changes before they reach
    /// the session.
    public var rights: MailboxRights

    public init(
        id: RemoteMailboxID, name: String, parentID: RemoteMailboxID? = nil, role: Mailbox.Role? = nil,
        rights: MailboxRights = .all
    ) {
        self.id = id
        self.name = name
        self.parentID = parentID
        self.role = role
        self.rights = rights
    }
}

/// All mailboxes and feeds of an account. Replaces the previous listing.
public struct MailboxListing: Sendable, Hashable, Codable {
    /// All mailboxes, parents before their children; at most `SyncLimits.mailboxes`. The kernel removes a
    /// mailbox that is no longer listed.
    public var mailboxes: [RemoteMailbox]
    /// All feeds; together they report every message of the account.
    public var feeds: [Feed]

    public init(mailboxes: [RemoteMailbox], feeds: [Feed]) {
        self.mailboxes = mailboxes
        self.feeds = feeds
    }
}

/// The position up to which a feed has been read. Only the provider understands it. It is stored for months,
/// so later versions of the plugin must understand it or throw `.cursorExpired`.
public struct SyncCursor: RawRepresentable, Sendable, Hashable, Codable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// Some changes of a feed, and the cursor after them.
///
/// Updates and removals of messages that the kernel does not hold are ignored, such as those older than the
/// sync window.
public struct ChangeBatch: Sendable, Codable {
    /// Messages that are new to this feed, newest first; at most `SyncLimits.messages`. Some hundred are a
    /// good size.
    public var messages: [RemoteMessage]
    /// Changed keywords and mailboxes of messages reported earlier.
    public var updates: [RemoteUpdate]
    /// Messages that left the feed: deleted, or moved to another feed. Among them are those that came into it after the
    /// cursor by `apply`, which told the kernel their names, and left it again since.
    public var removed: [RemoteMessageID]
    /// Messages that could not be read, each with the reason. The kernel logs and skips them.
    public var failures: [RemoteFailure]
    /// The position after this batch. It must differ from the previous cursor while `hasMore` is set.
    public var cursor: SyncCursor
    /// Whether more changes are waiting; the kernel then asks again at once.
    public var hasMore: Bool
    /// How much of this round is done; nil if unknown.
    public var progress: SyncProgress?

    public init(
        messages: [RemoteMessage] = [], updates: [RemoteUpdate] = [], removed: [RemoteMessageID] = [],
        failures: [RemoteFailure] = [], cursor: SyncCursor, hasMore: Bool, progress: SyncProgress? = nil
    ) {
        self.messages = messages
        self.updates = updates
        self.removed = removed
        self.failures = failures
        self.cursor = cursor
        self.hasMore = hasMore
        self.progress = progress
    }
}

/// How far a round of reading has come. The page shows it during the first sync.
public struct SyncProgress: Sendable, Hashable, Codable {
    /// Messages of this round read so far, this batch included.
    public var done: Int
    /// Messages of this round in all.
    public var total: Int

    public init(done: Int, total: Int) {
        self.done = done
        self.total = total
    }
}

/// A message that the provider could not read.
public struct RemoteFailure: Sendable, Hashable, Codable {
    /// The message's id in the feed.
    public var id: RemoteMessageID
    /// What went wrong. For the log, so without contents of the message.
    public var reason: String

    public init(id: RemoteMessageID, reason: String) {
        self.id = id
        self.reason = reason
    }
}

/// A message as the service has it.
public struct RemoteMessage: Sendable, Codable {
    /// Unique in its feed. Never changed or used again.
    public var id: RemoteMessageID
    /// The mailboxes it is in, each from the last listing. Unknown ones are ignored; a message without a
    /// known mailbox appears in Archive.
    public var mailboxIDs: Set<RemoteMailboxID>
    /// The keywords that the service keeps for it, such as `.seen` and `.flagged`.
    public var keywords: Set<Keyword>
    /// When the service received it. Lists are sorted by it, not by the `Date` field of the header.
    public var receivedAt: Date
    /// The size of the whole message in bytes.
    public var size: Int
    /// The message itself, or the parts of it worth fetching now.
    public var content: Content

    /// How a message arrives: as it was sent, complete or without its attachments, or as the service read it.
    public enum Content: Sendable, Codable {
        /// The message, byte for byte. Best for small messages.
        case whole(Data)
        /// The raw header, the structure, and the bytes of the text parts. The kernel fetches other parts
        /// when the user opens them.
        case parts(header: Data, structure: RemoteBodyPart)
        /// What the service read from the message, for services that hand out no bytes, such as JMAP: all header
        /// fields of the message, its parts with the service's `partID`s, and the texts. The kernel fetches other
        /// parts by `partID` when the user opens them; it sets the `blobID`s itself.
        case parsed(EmailBody)
    }

    public init(
        id: RemoteMessageID, mailboxIDs: Set<RemoteMailboxID>, keywords: Set<Keyword>, receivedAt: Date,
        size: Int, content: Content
    ) {
        self.id = id
        self.mailboxIDs = mailboxIDs
        self.keywords = keywords
        self.receivedAt = receivedAt
        self.size = size
        self.content = content
    }
}

/// One part of a message as the service describes it.
public struct RemoteBodyPart: Sendable, Hashable, Codable {
    /// The provider's id of the part, unique in the message. The kernel passes it to `AccountSession.fetch`.
    public var partID: String
    /// The media type without parameters, such as `text/plain`. Case does not matter.
    public var type: String
    /// The parameters of Content-Type by name, as the service sent them. `charset` and `name` are used.
    public var parameters: [String: String]
    /// The Content-Disposition without parameters, such as `attachment`; nil if there is none.
    public var disposition: String?
    /// The parameters of Content-Disposition by name, as the service sent them. `filename` is used.
    public var dispositionParameters: [String: String]
    /// The Content-ID, with or without angle brackets; nil if there is none. HTML refers to inline images by
    /// it.
    public var cid: String?
    /// The Content-Transfer-Encoding in lower case. Tells the kernel how to decode `bytes`.
    public var encoding: String
    /// The size as transferred, before decoding, in bytes.
    public var size: Int
    /// The content as transferred, not decoded; nil if it was not fetched. Give it for text parts.
    public var bytes: Data?
    /// Whether `bytes` is only the beginning, because the part is too large to fetch unasked.
    public var isTruncated: Bool
    /// The parts inside; empty unless `type` is `multipart/*`. At most `SyncLimits.partDepth` levels.
    public var subParts: [RemoteBodyPart]

    public init(
        partID: String, type: String, parameters: [String: String] = [:], disposition: String? = nil,
        dispositionParameters: [String: String] = [:], cid: String? = nil, encoding: String = "7bit",
        size: Int = 0, bytes: Data? = nil, isTruncated: Bool = false, subParts: [RemoteBodyPart] = []
    ) {
        self.partID = partID
        self.type = type
        self.parameters = parameters
        self.disposition = disposition
        self.dispositionParameters = dispositionParameters
        self.cid = cid
        self.encoding = encoding
        self.size = size
        self.bytes = bytes
        self.isTruncated = isTruncated
        self.subParts = subParts
    }
}

/// Changes of a message that was reported earlier.
public struct RemoteUpdate: Sendable, Hashable, Codable {
    /// The message's id in the feed.
    public var id: RemoteMessageID
    /// All of its keywords now; nil if they did not change.
    public var keywords: Set<Keyword>?
    /// All mailboxes it is in now; nil if they did not change.
    public var mailboxIDs: Set<RemoteMailboxID>?

    public init(id: RemoteMessageID, keywords: Set<Keyword>? = nil, mailboxIDs: Set<RemoteMailboxID>? = nil) {
        self.id = id
        self.keywords = keywords
        self.mailboxIDs = mailboxIDs
    }
}

/// Connects an email in the store with a message at the service. The kernel makes it; a store keeps it.
public struct RemoteRef: Sendable, Hashable, Codable {
    /// The email in the store.
    public var emailID: Id<Email>
    /// The account of both.
    public var accountID: Id<Account>
    /// The feed that reported the message. An email can have one reference per feed.
    public var feed: FeedID
    /// The message's id in that feed.
    public var remoteID: RemoteMessageID

    public init(emailID: Id<Email>, accountID: Id<Account>, feed: FeedID, remoteID: RemoteMessageID) {
        self.emailID = emailID
        self.accountID = accountID
        self.feed = feed
        self.remoteID = remoteID
    }
}

/// What a session reports while the kernel watches it.
public enum WatchEvent: Sendable, Hashable, Codable {
    /// Something changed in this feed. The kernel asks for its changes.
    case changed(FeedID)
    /// Mailboxes were created, deleted or renamed. The kernel asks for the listing.
    case mailboxesChanged
    /// Watching has begun. Every change after this one must be reported.
    case listening
}
