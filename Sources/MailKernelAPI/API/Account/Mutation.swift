/// A message of the service, named with the feed that its id belongs to.
public struct RemoteAddress: Sendable, Hashable, Codable {
    public var feed: FeedID
    public var id: RemoteMessageID

    public init(feed: FeedID, id: RemoteMessageID) {
        self.feed = feed
        self.id = id
    }
}

/// One change that the user made, to be made at the service too.
public enum RemoteMutation: Sendable, Hashable, Codable {
    case setKeywords([RemoteAddress], add: Set<Keyword>, remove: Set<Keyword>)
    /// Puts messages into a mailbox; where `.labels` is not supported this makes copies.
    case add([RemoteAddress], to: RemoteMailboxID)
    /// Takes messages out of a mailbox and leaves them where else they are. Where that is nowhere,
    /// the service keeps them in its archive; one without an archive refuses.
    case remove([RemoteAddress], from: RemoteMailboxID)
    case move([RemoteAddress], from: RemoteMailboxID, to: RemoteMailboxID)
    /// Deletes for good, from everywhere.
    case destroy([RemoteAddress])
    case createMailbox(name: String, parent: RemoteMailboxID?)
    case renameMailbox(RemoteMailboxID, name: String, parent: RemoteMailboxID?)
    /// Deletes a mailbox. Its messages stay where else they are, and are gone where that is nowhere.
    case deleteMailbox(RemoteMailboxID)
}

public enum MutationOutcome: Sendable, Hashable, Codable {
    /// Done. The ids that changed by it (a moved message is a new one on most servers), and the
    /// mailbox that was made or renamed.
    case done(newIDs: [RemoteAddress: RemoteAddress], mailbox: RemoteMailboxID?)
    /// Not done, and trying again may help: it is tried after 5, 15 and 45 seconds. So may it where a service says
    /// no, which is `.failed(.refused(…))`.
    case failed(AccountError)
    /// Not done, and trying again will not help: the change is undone and the user is told.
    case refused(AccountError)
    case notTried
}

public struct AppendOutcome: Sendable, Hashable, Codable {
    /// Where the message is now; nil where the server does not tell, and the next sync finds it.
    public var address: RemoteAddress?

    public init(address: RemoteAddress?) {
        self.address = address
    }
}
