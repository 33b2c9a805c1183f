import FoundationEssentials
import MailKernelAPI

/// Records each call of the store until it returns, so that the stopping program can name calls that it waited for.
struct NotedStorage: StorageBackend {
    let inner: any StorageBackend
    let note: StorageNotes

    var parts: StorageParts {
        let parts = inner.parts
        return StorageParts(
            insights: parts.insights.map { NotedInsights(inner: $0, note: note) },
            care: parts.care.map { NotedCare(inner: $0, note: note) },
            sharing: parts.sharing.map { NotedSharing(inner: $0, note: note) })
    }

    var place: StoragePlace { inner.place }

    func close() async {
        let call = note.begin("close")
        defer { note.end(call) }
        await inner.close()
    }

    func accounts() async throws(StorageError) -> [Account] {
        let call = note.begin("accounts")
        defer { note.end(call) }
        return try await inner.accounts()
    }

    func mailboxes(_ ids: [Id<Mailbox>]?, in accountID: Id<Account>) async throws(StorageError)
        -> [StoredMailbox]
    {
        let call = note.begin("mailboxes")
        defer { note.end(call) }
        return try await inner.mailboxes(ids, in: accountID)
    }

    func emails(_ ids: [Id<Email>], in accountID: Id<Account>) async throws(StorageError)
        -> [StoredEmail]
    {
        let call = note.begin("emails")
        defer { note.end(call) }
        return try await inner.emails(ids, in: accountID)
    }

    func body(of id: Id<Email>, in accountID: Id<Account>) async throws(StorageError) -> EmailBody? {
        let call = note.begin("body")
        defer { note.end(call) }
        return try await inner.body(of: id, in: accountID)
    }

    func threads(_ ids: [Id<EmailThread>], in accountID: Id<Account>) async throws(StorageError)
        -> [EmailThread]
    {
        let call = note.begin("threads")
        defer { note.end(call) }
        return try await inner.threads(ids, in: accountID)
    }

    func identities(_ ids: [Id<Identity>]?, in accountID: Id<Account>) async throws(StorageError)
        -> [Identity]
    {
        let call = note.begin("identities")
        defer { note.end(call) }
        return try await inner.identities(ids, in: accountID)
    }

    func submissions(_ ids: [Id<EmailSubmission>]?, in accountID: Id<Account>)
        async throws(StorageError) -> [EmailSubmission]
    {
        let call = note.begin("submissions")
        defer { note.end(call) }
        return try await inner.submissions(ids, in: accountID)
    }

    func queryEmails(_ query: EmailQuery) async throws(StorageError) -> EmailQueryResult {
        let call = note.begin("queryEmails")
        defer { note.end(call) }
        return try await inner.queryEmails(query)
    }

    func queryEmailChanges(_ query: EmailQuery, since state: State, limit: Int)
        async throws(StorageError) -> EmailQueryChanges
    {
        let call = note.begin("queryEmailChanges")
        defer { note.end(call) }
        return try await inner.queryEmailChanges(query, since: state, limit: limit)
    }

    func snippets(for filter: EmailFilter, emailIDs: [Id<Email>], in accountID: Id<Account>)
        async throws(StorageError) -> [SearchSnippet]
    {
        let call = note.begin("snippets")
        defer { note.end(call) }
        return try await inner.snippets(for: filter, emailIDs: emailIDs, in: accountID)
    }

    func emailIDs(for remoteIDs: [RemoteMessageID], feed: FeedID, in accountID: Id<Account>)
        async throws(StorageError) -> [RemoteMessageID: Id<Email>]
    {
        let call = note.begin("emailIDs")
        defer { note.end(call) }
        return try await inner.emailIDs(for: remoteIDs, feed: feed, in: accountID)
    }

    func remoteRefs(of emailIDs: [Id<Email>], in accountID: Id<Account>) async throws(StorageError)
        -> [RemoteRef]
    {
        let call = note.begin("remoteRefs")
        defer { note.end(call) }
        return try await inner.remoteRefs(of: emailIDs, in: accountID)
    }

    func remoteIDs(feed: FeedID, after: RemoteMessageID?, limit: Int, in accountID: Id<Account>)
        async throws(StorageError) -> [RemoteMessageID]
    {
        let call = note.begin("remoteIDs")
        defer { note.end(call) }
        return try await inner.remoteIDs(feed: feed, after: after, limit: limit, in: accountID)
    }

    func contacts(matching text: String, limit: Int) async throws(StorageError) -> [Contact] {
        let call = note.begin("contacts")
        defer { note.end(call) }
        return try await inner.contacts(matching: text, limit: limit)
    }

    func document(_ key: DocumentKey) async throws(StorageError) -> Document? {
        let call = note.begin("document")
        defer { note.end(call) }
        return try await inner.document(key)
    }

    func documents(in collection: String, accountID: Id<Account>?, after: String?, limit: Int)
        async throws(StorageError) -> [Document]
    {
        let call = note.begin("documents")
        defer { note.end(call) }
        return try await inner.documents(in: collection, accountID: accountID, after: after, limit: limit)
    }

    func open() async throws(StorageError) -> StorageOpening {
        let call = note.begin("open")
        defer { note.end(call) }
        return try await inner.open()
    }

    func commit(_ changes: ChangeSet) async throws(StorageError) -> CommitResult {
        let call = note.begin("commit")
        defer { note.end(call) }
        return try await inner.commit(changes)
    }

    func state(of type: DataType, in accountID: Id<Account>?) async throws(StorageError) -> State {
        let call = note.begin("state")
        defer { note.end(call) }
        return try await inner.state(of: type, in: accountID)
    }

    func changes(of type: DataType, in accountID: Id<Account>?, since state: State, limit: Int)
        async throws(StorageError) -> Changes
    {
        let call = note.begin("changes")
        defer { note.end(call) }
        return try await inner.changes(of: type, in: accountID, since: state, limit: limit)
    }

    func writeBlob(_ blob: BlobInfo) async throws(StorageError) -> any BlobWriter {
        let call = note.begin("writeBlob")
        defer { note.end(call) }
        return NotedBlob(inner: try await inner.writeBlob(blob), note: note)
    }

    func blobInfo(_ id: Id<Blob>, in accountID: Id<Account>) async throws(StorageError) -> BlobInfo? {
        let call = note.begin("blobInfo")
        defer { note.end(call) }
        return try await inner.blobInfo(id, in: accountID)
    }

    func readBlob(_ id: Id<Blob>, in accountID: Id<Account>, offset: Int, count: Int)
        async throws(StorageError) -> Data
    {
        let call = note.begin("readBlob")
        defer { note.end(call) }
        return try await inner.readBlob(id, in: accountID, offset: offset, count: count)
    }

    func removeBlob(_ id: Id<Blob>, in accountID: Id<Account>) async throws(StorageError) {
        let call = note.begin("removeBlob")
        defer { note.end(call) }
        return try await inner.removeBlob(id, in: accountID)
    }

    func removeAccount(_ id: Id<Account>) async throws(StorageError) {
        let call = note.begin("removeAccount")
        defer { note.end(call) }
        return try await inner.removeAccount(id)
    }

    func wipe() async throws(StorageError) {
        let call = note.begin("wipe")
        defer { note.end(call) }
        return try await inner.wipe()
    }
}

private struct NotedBlob: BlobWriter {
    let inner: any BlobWriter
    let note: StorageNotes

    func write(_ bytes: Data) async throws {
        let call = note.begin("BlobWriter.write")
        defer { note.end(call) }
        try await inner.write(bytes)
    }

    func finish() async throws {
        let call = note.begin("BlobWriter.finish")
        defer { note.end(call) }
        try await inner.finish()
    }

    func discard() async {
        let call = note.begin("BlobWriter.discard")
        defer { note.end(call) }
        await inner.discard()
    }
}
