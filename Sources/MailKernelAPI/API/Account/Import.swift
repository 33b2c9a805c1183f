public import FoundationEssentials

/// A message from a file, on its way into an account.
public struct ImportedMessage: Sendable {
    /// The message, byte for byte.
    public var bytes: any ByteSource
    /// Where it goes; at least one. Where `.labels` is not supported, each gets a copy.
    public var mailboxIDs: Set<RemoteMailboxID>
    public var keywords: Set<Keyword>
    public var receivedAt: Date

    public init(
        bytes: any ByteSource, mailboxIDs: Set<RemoteMailboxID>, keywords: Set<Keyword>, receivedAt: Date
    ) {
        self.bytes = bytes
        self.mailboxIDs = mailboxIDs
        self.keywords = keywords
        self.receivedAt = receivedAt
    }
}

/// What became of one message of an import.
public enum ImportOutcome: Sendable, Hashable, Codable {
    /// It is there now; its address is nil where the service does not tell.
    case added(RemoteAddress?)
    /// The account had it already. It is in the mailboxes that were asked for.
    case alreadyThere(RemoteAddress?)
    /// It was not added, and trying again will not help: `.notFound` if one of the mailboxes is not
    /// there or none was named, `.local` if its bytes could not be read, else what the service said.
    case refused(AccountError)
}
