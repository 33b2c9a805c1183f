import FoundationEssentials
public import MailKernelAPI

extension MemoryStorage {
    public func emailIDs(
        for remoteIDs: [RemoteMessageID], feed: FeedID, in accountID: Id<Account>
    ) throws(StorageError) -> [RemoteMessageID: Id<Email>] {
        guard let account = try contents().accounts[accountID] else { return [:] }
        let known = remoteIDs.compactMap { id in account.remotes.emailID(id, feed: feed).map { (id, $0) } }
        return Dictionary(known) { first, _ in first }
    }

    public func remoteRefs(
        of emailIDs: [Id<Email>], in accountID: Id<Account>
    ) throws(StorageError) -> [RemoteRef] {
        guard let account = try contents().accounts[accountID] else { return [] }
        return emailIDs.flatMap { id in
            account.remotes.names(of: id).map { name in
                RemoteRef(emailID: id, accountID: accountID, feed: name.feed, remoteID: name.remoteID)
            }
        }
    }

    public func remoteIDs(
        feed: FeedID, after: RemoteMessageID?, limit: Int, in accountID: Id<Account>
    ) throws(StorageError) -> [RemoteMessageID] {
        try contents().accounts[accountID]?.remotes.remoteIDs(feed: feed, after: after, limit: limit) ?? []
    }

    public func contacts(matching text: String, limit: Int) throws(StorageError) -> [Contact] {
        ContactBook.merge(try contents().accounts.values.map(\.contacts), matching: text, limit: limit)
    }

    public func insights(
        of emailIDs: [Id<Email>], in accountID: Id<Account>
    ) throws(StorageError) -> [EmailInsight] {
        guard let account = try contents().accounts[accountID] else { return [] }
        return emailIDs.compactMap { account.insights[$0] }
    }

    public func emailsWithoutInsight(
        by modelID: String, in accountID: Id<Account>, limit: Int
    ) throws(StorageError) -> [Id<Email>] {
        guard let account = try contents().accounts[accountID] else { return [] }
        let open = account.emails.values.filter { account.insights[$0.email.id]?.modelID != modelID }
        let newest = open.map(\.email).sorted { one, other in
            (other.receivedAt, one.id) < (one.receivedAt, other.id)
        }
        return newest.prefix(max(0, limit)).map(\.id)
    }

    public func nearestEmails(
        to vector: [Float], by modelID: String, in accountIDs: [Id<Account>], limit: Int
    ) throws(StorageError) -> [NearEmail] {
        let contents = try contents()
        let near = Set(accountIDs).compactMap { contents.accounts[$0] }.flatMap { account in
            account.insights.values.filter { $0.modelID == modelID }.compactMap { insight in
                Self.cosine(vector, insight.embedding).map {
                    NearEmail(accountID: insight.accountID, emailID: insight.emailID, similarity: $0)
                }
            }
        }
        let best = near.sorted { one, other in
            (other.similarity, one.emailID, one.accountID) < (one.similarity, other.emailID, other.accountID)
        }
        return Array(best.prefix(max(0, limit)))
    }

    /// Nil where the vectors cannot be compared.
    private static func cosine(_ one: [Float], _ other: [Float]) -> Float? {
        guard one.count == other.count else { return nil }
        let lengths = (length(one) * length(other)).squareRoot()
        guard lengths > 0 else { return nil }
        return zip(one, other).reduce(0) { $0 + $1.0 * $1.1 } / lengths
    }

    private static func length(_ vector: [Float]) -> Float {
        vector.reduce(0) { $0 + $1 * $1 }
    }

    public func document(_ key: DocumentKey) throws(StorageError) -> Document? {
        try contents().document(key)
    }

    public func documents(
        in collection: String, accountID: Id<Account>?, after: String?, limit: Int
    ) throws(StorageError) -> [Document] {
        let shelf = try contents().documents[.init(collection: collection, accountID: accountID)] ?? [:]
        let page = shelf.filter { document in after.map { $0 < document.key } ?? true }
        return page.sorted { $0.key < $1.key }.prefix(max(0, limit)).map { name, value in
            Document(DocumentKey(collection, name, accountID: accountID), value: value)
        }
    }
}

extension StoreContents {
    func document(_ key: DocumentKey) -> Document? {
        let shelf = documents[ShelfKey(collection: key.collection, accountID: key.accountID)]
        return shelf?[key.name].map { Document(key, value: $0) }
    }
}
