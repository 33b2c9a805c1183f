public import FoundationEssentials
public import MailKernelAPI

/// Something the user should know of that happened while they did something else.
public struct Notice: Codable, Sendable, Hashable {
    public var accountID: Id<Account>
    public var text: String
    public var at: Date
    /// The message that the user can continue with.
    public var emailID: Id<Email>?

    init(accountID: Id<Account>, text: String, at: Date, emailID: Id<Email>? = nil) {
        self.accountID = accountID
        self.text = text
        self.at = at
        self.emailID = emailID
    }

    init(account: Account, text: String, at: Date) {
        self.init(accountID: account.id, text: text, at: at)
    }

    func change(id: String) throws -> StorageChange {
        .putDocument(Document(Notices.key(id), value: try JSONValue(encoding: self)))
    }
}

/// What the user has not yet taken note of.
public struct Notices: Sendable {
    public static let dataType = DataType.documents(collection)
    private static let collection = "notice"

    let store: MailStore

    /// All of them by id, oldest first.
    public func all() async throws(StorageError) -> [(id: String, notice: Notice)] {
        try await store.allDocuments(in: Self.collection).compactMap { document in
            document.read(as: Notice.self).map { (document.key.name, $0) }
        }
    }

    /// The notices for a page. It shows waiting messages itself: their notice is for the time without a page,
    /// and is outdated once a page is open.
    public func forPage() async throws(StorageError) -> [(id: String, notice: Notice)] {
        try await all().filter { !WaitingNotice.isOne($0.id) }
    }

    /// Forgets a notice that was read. There being none is not an error.
    public func forget(_ id: String) async throws(StorageError) {
        try await store.commit([.destroyDocument(Self.key(id))])
    }

    func forgetAll(of accountID: Id<Account>) async throws(StorageError) {
        let gone = try await all().filter { $0.notice.accountID == accountID }
        if !gone.isEmpty { try await store.commit(gone.map { .destroyDocument(Self.key($0.id)) }) }
    }

    static func key(_ id: String) -> DocumentKey { DocumentKey(collection, id) }
}
