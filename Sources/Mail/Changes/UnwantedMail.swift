import FoundationEssentials
import MailKernelAPI

/// A message that was destroyed here before the service returned its id.
package struct UnwantedMail: Codable, Sendable, Hashable {
    package static let collection = "unwanted-mail"

    /// Its Message-ID, or a substitute (`MessageMark`).
    package var messageID: String
    /// Where it was, or may have been put: elsewhere, the same message is another copy, which stays.
    package var mailboxIDs: Set<Id<Mailbox>>
    /// When it was destroyed here.
    package var since: Date?

    package init(messageID: String, mailboxIDs: Set<Id<Mailbox>>, since: Date?) {
        self.messageID = messageID
        self.mailboxIDs = mailboxIDs
        self.since = since
    }

    package func change(_ id: Id<Email>, _ accountID: Id<Account>) throws -> StorageChange {
        .putDocument(Document(Self.key(id, accountID), value: try JSONValue(encoding: self)))
    }

    package static func gone(_ id: Id<Email>, _ accountID: Id<Account>) -> StorageChange {
        .destroyDocument(key(id, accountID))
    }

    private static func key(_ id: Id<Email>, _ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(collection, id.rawValue, accountID: accountID)
    }
}
