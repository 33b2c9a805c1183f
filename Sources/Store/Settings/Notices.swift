import FoundationEssentials
import MailKernelAPI

/// Something the user should know of that happened while they did something else.
package struct Notice: Codable, Sendable, Hashable {
    package var accountID: Id<Account>
    package var text: String
    package var at: Date
    /// The message that the user can continue with.
    package var emailID: Id<Email>?

    package init(accountID: Id<Account>, text: String, at: Date, emailID: Id<Email>? = nil) {
        self.accountID = accountID
        self.text = text
        self.at = at
        self.emailID = emailID
    }

    package init(account: Account, text: String, at: Date) {
        self.init(accountID: account.id, text: text, at: at)
    }

    package func change(id: String) throws -> StorageChange {
        .putDocument(Document(Notices.key(id), value: try JSONValue(encoding: self)))
    }
}

/// What the user has not yet taken note of.
package struct Notices: Sendable {
    package static let dataType = DataType.documents(collection)
    private static let collection = "notice"

    let store: MailStore

    package init(store: MailStore) {
        self.store = store
    }

    /// All of them by id, oldest first.
    package func all() async throws(StorageError) -> [(id: String, notice: Notice)] {
        try await store.allDocuments(in: Self.collection).compactMap { document in
            document.read(as: Notice.self).map { (document.key.name, $0) }
        }
    }

    /// The notices for a page. It shows waiting messages itself: their notice is for the time without a page,
    /// and is outdated once a page is open.
    package func forPage() async throws(StorageError) -> [(id: String, notice: Notice)] {
        try await all().filter { !Self.isOfWaiting($0.id) }
    }

    /// Forgets a notice that was read. There being none is not an error.
    package func forget(_ id: String) async throws(StorageError) {
        try await store.commit([.destroyDocument(Self.key(id))])
    }

    package func forgetAll(of accountID: Id<Account>) async throws(StorageError) {
        let gone = try await all().filter { $0.notice.accountID == accountID }
        if !gone.isEmpty { try await store.commit(gone.map { .destroyDocument(Self.key($0.id)) }) }
    }

    package static func key(_ id: String) -> DocumentKey { DocumentKey(collection, id) }

    // MARK: Messages that wait for an open window

    private static let waiting = "waiting-to-send"

    package static func waitingID(of accountID: Id<Account>) -> String { "\(waiting)-\(accountID)" }

    package static func isOfWaiting(_ id: String) -> Bool { id.hasPrefix(waiting) }
}
