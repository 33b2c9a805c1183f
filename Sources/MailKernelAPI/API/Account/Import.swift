public import FoundationEssentials

/// A message from a file that an import adds to an account.
public struct ImportedMessage: Sendable {
    /// The message, byte for byte.
    public var bytes: any ByteSource
    /// The mailboxes to put it in; at least one. Without `.labels`, each gets a copy.
    public var mailboxIDs: Set<RemoteMailboxID>
    /// The keywords found in the file; empty if the file has none.
    public var keywords: Set<Keyword>
    /// When the message arrived, according to the file.
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

/// The result for one message of an import.
public enum ImportOutcome: Sendable, Hashable, Codable {
    /// The message was added. The address is nil if the service does not report it.
    case added(RemoteAddress?)
    /// The account already had the message. It is now in all requested mailboxes, with all keywords.
    case alreadyThere(RemoteAddress?)
    /// The message was not added, and another try will not help: `.notFound` if a mailbox does not exist or
    /// none was named, `.local` if the bytes could not be read, otherwise the service's answer.
    case refused(AccountError)
}
