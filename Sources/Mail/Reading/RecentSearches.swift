import FoundationEssentials
import MailKernelAPI
import Store

/// What the user searched for last.
package struct RecentSearches: Sendable {
    package static let dataType = DataType.documents(collection)
    private static let collection = "recent-search"
    private static let most = 20

    private let store: MailStore
    private let ids: IDMaker

    package init(store: MailStore, ids: IDMaker) {
        self.store = store
        self.ids = ids
    }

    /// Newest first.
    package func all() async throws(StorageError) -> [(id: String, text: String)] {
        try await store.allDocuments(in: Self.collection).compactMap { document in
            document.value["text"]?.stringValue.map { (document.key.name, $0) }
        }.reversed()
    }

    /// Remembers a search as the newest one. The oldest goes when there are too many.
    package func add(_ text: String) async throws(StorageError) -> String {
        let id = ids.text("Q")
        let known = try await all()
        let old = known.filter { $0.text == text } + known.filter { $0.text != text }.dropFirst(Self.most - 1)
        try await store.commit(
            old.map { .destroyDocument(DocumentKey(Self.collection, $0.id)) }
                + [.putDocument(Document(DocumentKey(Self.collection, id), value: ["text": .string(text)]))])
        return id
    }

    /// There being none is not an error.
    package func remove(_ id: String) async throws(StorageError) {
        try await store.commit([.destroyDocument(DocumentKey(Self.collection, id))])
    }
}
