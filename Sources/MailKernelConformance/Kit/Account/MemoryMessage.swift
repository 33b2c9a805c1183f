public import FoundationEssentials
public import MailKernelAPI

/// A message as a `MemoryMailServer` keeps it.
public struct MemoryMessage: Sendable, Hashable {
    /// What sessions call it.
    public let address: RemoteAddress
    public internal(set) var mailboxIDs: Set<RemoteMailboxID>
    public internal(set) var keywords: Set<Keyword>
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
