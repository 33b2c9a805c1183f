/// A message at the service: its id, and the feed that the id belongs to.
public struct RemoteAddress: Sendable, Hashable, Codable {
    /// The feed that reported the message.
    public var feed: FeedID
    /// The message's id, unique in its feed only.
    public var id: RemoteMessageID

    public init(feed: FeedID, id: RemoteMessageID) {
        self.feed = feed
        self.id = id
    }
}

/// One change by the user that the service must carry out too.
public enum RemoteMutation: Sendable, Hashable, Codable {
    /// Adds and removes keywords of these messages. A keyword in both sets is added.
    case setKeywords([RemoteAddress], add: Set<Keyword>, remove: Set<Keyword>)
    /// Puts messages into a mailbox. Without `.labels` this makes copies.
    case add([RemoteAddress], to: RemoteMailboxID)
    /// Takes messages out of a mailbox and leaves them in their others. A message that is in no other goes to
    /// the service's archive; a service without an archive refuses.
    case remove([RemoteAddress], from: RemoteMailboxID)
    /// Moves messages from one mailbox to another. Report their new addresses in `MutationOutcome.done` if
    /// they get new ids.
    case move([RemoteAddress], from: RemoteMailboxID, to: RemoteMailboxID)
    /// Deletes messages permanently, from all mailboxes.
    case destroy([RemoteAddress])
    /// Creates a mailbox below `parent`, or at the top level if that is nil. Sent only with
    /// `.mailboxChanges`.
    case createMailbox(name: String, parent: RemoteMailboxID?)
    /// Gives a mailbox this name and parent; a nil parent moves it to the top level.
    case renameMailbox(RemoteMailboxID, name: String, parent: RemoteMailboxID?)
    /// Deletes a mailbox. Messages that are in another mailbox stay there; the others are deleted.
    case deleteMailbox(RemoteMailboxID)
}

/// The result of one mutation.
public enum MutationOutcome: Sendable, Hashable, Codable {
    /// Done. `newIDs` maps old to new addresses where they changed (on most servers a moved message gets a
    /// new id); for `add` it names the copies. `mailbox` is the id of a created or renamed mailbox, otherwise
    /// nil.
    case done(newIDs: [RemoteAddress: RemoteAddress], mailbox: RemoteMailboxID?)
    /// Not done, but another try may help, even where the service refused (`.failed(.refused(…))`). The
    /// kernel retries after 5, 15 and 45 seconds, then undoes the change.
    case failed(AccountError)
    /// Not done, and another try will not help. The kernel undoes the change and tells the user.
    case refused(AccountError)
    /// An earlier mutation of the same call found no connection, so this one was not tried. The kernel sends
    /// it again.
    case notTried
}

/// The result of adding a message.
public struct AppendOutcome: Sendable, Hashable, Codable {
    /// The new message's address; nil if the server does not report it, and the next sync finds the message.
    public var address: RemoteAddress?

    public init(address: RemoteAddress?) {
        self.address = address
    }
}
