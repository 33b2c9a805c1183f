import FoundationEssentials
import MailKernelAPI
import Store

/// A search that the user keeps under a name.
package struct SavedSearch: Codable, Sendable, Hashable {
    package var id: String
    package var name: String
    /// As it was typed: dates such as “last week” move on.
    package var text: String

    package init(id: String, name: String, text: String) {
        self.id = id
        self.name = name
        self.text = text
    }
}

/// The user's saved searches. They are in the store, so that all windows and computers on it have them.
package struct SavedSearches: Sendable {
    package static let dataType = DataType.documents(collection)
    private static let collection = "saved-search"

    private let store: MailStore

    package init(store: MailStore) { self.store = store }

    /// By name.
    package func all() async throws(StorageError) -> [SavedSearch] {
        try await store.allDocuments(in: Self.collection).compactMap { $0.read(as: SavedSearch.self) }
            .sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
    }

    package func search(_ id: String) async throws(StorageError) -> SavedSearch? {
        try await all().first { $0.id == id }
    }

    package func put(_ search: SavedSearch) async throws { try await store.commit([search.change]) }

    package static func removal(of id: String) -> StorageChange { .destroyDocument(key(id)) }

    fileprivate static func key(_ id: String) -> DocumentKey { DocumentKey(collection, id) }
}

extension SavedSearch {
    /// Keeps it, in place of an older version.
    package var change: StorageChange {
        get throws { .putDocument(Document(SavedSearches.key(id), value: try JSONValue(encoding: self))) }
    }
}
