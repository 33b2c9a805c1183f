import FoundationEssentials
import MailKernelAPI
import Store

/// A mailbox that was destroyed here while its creation or renaming was being sent. If the response is lost,
/// a listing contains it under an unknown name, and it is deleted there.
package struct UnwantedMailbox: Codable, Sendable, Hashable {
    package static let collection = "unwanted-mailbox"
    /// How long a service may take to show a mailbox it created.
    private static let patience = 60.0

    package let name: String
    package let parent: RemoteMailboxID?
    let since: Date

    package func isNamed(like mailbox: RemoteMailbox) -> Bool {
        mailbox.name == name && mailbox.parentID == parent
    }

    /// Listed so long after it was noted, it would be there.
    package func neverCame(listedAt date: Date) -> Bool {
        abs(date.timeIntervalSince(since)) >= Self.patience
    }

    package func change(_ id: Id<Mailbox>, _ accountID: Id<Account>) throws -> StorageChange {
        .putDocument(Document(Self.key(id.rawValue, accountID), value: try JSONValue(encoding: self)))
    }

    package static func gone(_ name: String, _ accountID: Id<Account>) -> StorageChange {
        .destroyDocument(key(name, accountID))
    }

    package static func all(
        in accountID: Id<Account>, _ store: MailStore
    ) async throws(StorageError) -> [(name: String, note: UnwantedMailbox)] {
        try await store.allDocuments(in: collection, accountID: accountID).compactMap { document in
            document.read(as: UnwantedMailbox.self).map { (document.key.name, $0) }
        }
    }

    private static func key(_ name: String, _ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(collection, name, accountID: accountID)
    }
}
