import MailKernelAPI
import Store
import Sync

/// Which accounts cannot be looked after on this computer, and why, on a store that several share.
struct LocalSignIns: Sendable {
    /// Why accounts cannot be looked after here, until the user signs in or asks to try again.
    var problems: [Id<Account>: SyncStatus] = [:]
    /// Whether this computer has the secrets of each account.
    var hasSecrets: [Id<Account>: Bool] = [:]

    mutating func forget(_ id: Id<Account>) {
        problems[id] = nil
        hasSecrets[id] = nil
    }
}

/// The names of an account's secrets: on a shared store, each computer keeps its own, and another sign-in may have others.
enum SecretNames {
    private static let collection = "secret-names"

    static func change(_ names: some Sequence<String>, of id: Id<Account>) -> StorageChange {
        .putDocument(Document(key(id), value: .array(names.sorted().map { .string($0) })))
    }

    /// Nil if the account was added before they were recorded.
    static func load(_ id: Id<Account>, from store: MailStore) async throws(StorageError) -> [String]? {
        let value = try await store.read.document(key(id))?.value
        return value?.arrayValue?.compactMap(\.stringValue)
    }

    private static func key(_ id: Id<Account>) -> DocumentKey {
        DocumentKey(collection, "all", accountID: id)
    }
}
