public import FoundationEssentials

/// What the provider calls a message: unique in its feed, stable, at most 255 bytes.
public typealias RemoteMessageID = Id<RemoteMessage>
/// What the provider calls a mailbox.
public typealias RemoteMailboxID = Id<RemoteMailbox>
/// What the provider calls a feed.
public typealias FeedID = Id<Feed>

/// A part of an account that changes on its own and is read with a cursor of its own: a folder on
/// most servers, the whole store of mail on those that keep one copy of each message.
public struct Feed: Sendable, Hashable, Codable {
    public var id: FeedID
    /// The mailbox that all its messages are in, if there is one such.
    public var mailboxID: RemoteMailboxID?
    /// Feeds are read in this order, the inbox's first.
    public var priority: Int

    public init(id: FeedID, mailboxID: RemoteMailboxID? = nil, priority: Int = 0) {
        self.id = id
        self.mailboxID = mailboxID
        self.priority = priority
    }
}

public struct RemoteMailbox: Sendable, Hashable, Codable {
    public var id: RemoteMailboxID
    /// The last component, as the user reads it.
    public var name: String
    public var parentID: RemoteMailboxID?
    public var role: Mailbox.Role?
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

public struct MailboxListing: Sendable, Hashable, Codable {
    public var mailboxes: [RemoteMailbox]
    public var feeds: [Feed]

    public init(mailboxes: [RemoteMailbox], feeds: [Feed]) {
        self.mailboxes = mailboxes
        self.feeds = feeds
    }
}

/// Where a feed has been read to. Only the provider understands it.
public struct SyncCursor: RawRepresentable, Sendable, Hashable, Codable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// Some changes of a feed, and the cursor that stands behind them.
///
/// Updates and removals may name messages that the kernel was never told of, such as those that are
/// outside of the time that is synced; they mean nothing to it.
public struct ChangeBatch: Sendable, Codable {
    /// Messages that are new to this feed, newest first.
    public var messages: [RemoteMessage]
    public var updates: [RemoteUpdate]
    /// Messages that left the feed.
    public var removed: [RemoteMessageID]
    /// Messages that could not be read, each with the reason. They are passed by.
    public var failures: [RemoteFailure]
    public var cursor: SyncCursor
    public var hasMore: Bool
    /// How far this round is; nil if that is not known.
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

public struct SyncProgress: Sendable, Hashable, Codable {
    public var done: Int
    public var total: Int

    public init(done: Int, total: Int) {
        self.done = done
        self.total = total
    }
}

public struct RemoteFailure: Sendable, Hashable, Codable {
    public var id: RemoteMessageID
    public var reason: String

    public init(id: RemoteMessageID, reason: String) {
        self.id = id
        self.reason = reason
    }
}

/// A message as the service has it.
public struct RemoteMessage: Sendable, Codable {
    public var id: RemoteMessageID
    public var mailboxIDs: Set<RemoteMailboxID>
    public var keywords: Set<Keyword>
    public var receivedAt: Date
    /// Of the whole message, in bytes.
    public var size: Int
    public var content: Content

    public enum Content: Sendable, Codable {
        /// The message, byte for byte.
        case whole(Data)
        /// Its header, its structure and its text; attachments are fetched when they are asked for.
        case parts(header: Data, structure: RemoteBodyPart)
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

/// One part of a message as the service describes it, and its bytes if it is text.
public struct RemoteBodyPart: Sendable, Hashable, Codable {
    /// What `AccountSession.fetch` takes.
    public var partID: String
    public var type: String
    public var parameters: [String: String]
    public var disposition: String?
    public var dispositionParameters: [String: String]
    public var cid: String?
    /// The Content-Transfer-Encoding, in lower case.
    public var encoding: String
    /// As it is transferred, in bytes.
    public var size: Int
    /// As it is transferred, not decoded. Nil if it was not fetched.
    public var bytes: Data?
    /// `bytes` is only the beginning: the part is larger than is fetched without being asked for.
    public var isTruncated: Bool
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

/// What has changed about a message; nil for what has not.
public struct RemoteUpdate: Sendable, Hashable, Codable {
    public var id: RemoteMessageID
    public var keywords: Set<Keyword>?
    public var mailboxIDs: Set<RemoteMailboxID>?

    public init(id: RemoteMessageID, keywords: Set<Keyword>? = nil, mailboxIDs: Set<RemoteMailboxID>? = nil) {
        self.id = id
        self.keywords = keywords
        self.mailboxIDs = mailboxIDs
    }
}

/// The link between an email of the store and a message of the service.
public struct RemoteRef: Sendable, Hashable, Codable {
    public var emailID: Id<Email>
    public var accountID: Id<Account>
    public var feed: FeedID
    public var remoteID: RemoteMessageID

    public init(emailID: Id<Email>, accountID: Id<Account>, feed: FeedID, remoteID: RemoteMessageID) {
        self.emailID = emailID
        self.accountID = accountID
        self.feed = feed
        self.remoteID = remoteID
    }
}

public enum WatchEvent: Sendable, Hashable, Codable {
    /// Something changed in this feed: ask for its changes.
    case changed(FeedID)
    /// Mailboxes came, went or were renamed.
    case mailboxesChanged
    /// Watching has begun: from here on no change is missed.
    case listening
}
