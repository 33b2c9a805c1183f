import FoundationEssentials
import MailKernelAPI

/// A message that was destroyed here before the service returned its id.
struct UnwantedMail: Codable, Sendable, Hashable {
    static let collection = "unwanted-mail"

    /// Its Message-ID, or a substitute (`MessageMark`).
    var messageID: String
    /// Where it was, or may have been put: elsewhere, the same message is another copy, which stays.
    var mailboxIDs: Set<Id<Mailbox>>
    /// When it was destroyed here.
    var since: Date?

    func change(_ id: Id<Email>, _ accountID: Id<Account>) throws -> StorageChange {
        .putDocument(Document(Self.key(id, accountID), value: try JSONValue(encoding: self)))
    }

    static func gone(_ id: Id<Email>, _ accountID: Id<Account>) -> StorageChange {
        .destroyDocument(key(id, accountID))
    }

    private static func key(_ id: Id<Email>, _ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(collection, id.rawValue, accountID: accountID)
    }
}
