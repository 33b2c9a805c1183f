import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// A message from before the sync window that the user opened. It stays on this device for a day, and then goes with
/// other mail of its age.
struct OpenedMail: Codable, Sendable, Hashable {
    static let duration = 86_400.0
    private static let collection = "opened-mail"

    let emailID: Id<Email>
    let until: Date

    static func change(
        _ id: Id<Email>, in accountID: Id<Account>, at now: Date
    ) throws -> StorageChange {
        let opened = OpenedMail(emailID: id, until: now + duration)
        return .putDocument(Document(key(id, accountID), value: try JSONValue(encoding: opened)))
    }

    /// Those that stay; notes on others are removed.
    static func kept(
        in accountID: Id<Account>, at now: Date, _ store: MailStore
    ) async throws(StorageError) -> [Id<Email>] {
        let all = try await store.allDocuments(in: collection, accountID: accountID)
        // A clock that was set back does not prolong it.
        func isKept(_ document: Document) -> Bool {
            document.read(as: OpenedMail.self).map { now < $0.until && $0.until <= now + duration } ?? false
        }
        let old = all.filter { !isKept($0) }
        if !old.isEmpty { try await store.commit(old.map { .destroyDocument($0.key) }) }
        return all.filter(isKept).map { Id($0.key.name) }
    }

    private static func key(_ id: Id<Email>, _ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(collection, id.rawValue, accountID: accountID)
    }
}
