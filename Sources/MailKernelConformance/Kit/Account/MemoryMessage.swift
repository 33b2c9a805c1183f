public import FoundationEssentials
public import MailKernelAPI

/// A message as a `MemoryMailServer` keeps it.
public struct MemoryMessage: Sendable, Hashable {
    /// Its address for sessions.
    public let address: RemoteAddress
    /// The mailboxes it is in; one with `Layout.folders`.
    public internal(set) var mailboxIDs: Set<RemoteMailboxID>
    /// Its keywords.
    public internal(set) var keywords: Set<Keyword>
    /// When it was delivered.
    public let receivedAt: Date
    /// The whole message.
    public let bytes: Data
    /// The number of the entry in the store's log that tells of its coming.
    let arrival: Int

    /// Its Subject field, raw, or "".
    public var subject: String { MessageHeader.value(of: "Subject", in: bytes) ?? "" }
    /// Its Message-ID, without angle brackets.
    public var messageID: String? { MessageHeader.messageID(of: bytes) }

    func isNewer(than other: MemoryMessage) -> Bool {
        (receivedAt, arrival) > (other.receivedAt, other.arrival)
    }
}
