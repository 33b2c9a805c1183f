import FoundationEssentials
import MailKernelAPI
import Synchronization

/// A store in front of which something happens before each call, by the name of the call: a test can do something
/// there, or throw instead.
package struct InterceptedStorage: StorageBackend {
    package typealias Before = @Sendable (_ call: String) async throws(StorageError) -> Void

    let inner: any StorageBackend
    let before: Before
    package let place: StoragePlace
    private let hasParts: Bool
    private let silent: SilentAccounts

    /// - Parameters:
    ///   - hasParts: whether it offers the parts of the store behind it.
    ///   - silent: accounts on a server of their own that may not respond.
    package init(
        _ inner: any StorageBackend, hasParts: Bool = true, place: StoragePlace = .device,
        silent: SilentAccounts = SilentAccounts(), before: @escaping Before = { _ throws(StorageError) in }
    ) {
        self.place = place
        self.silent = silent
        self.inner = inner
        self.hasParts = hasParts
        self.before = before
    }

    package var parts: StorageParts {
        let parts = hasParts ? inner.parts : StorageParts()
        return StorageParts(
            insights: parts.insights.map { InterceptedInsights(inner: $0, before: before) },
            care: parts.care.map { InterceptedCare(inner: $0, before: before) },
            sharing: parts.sharing.map { InterceptedSharing(inner: $0, silent: silent) })
    }

    package func close() async { await inner.close() }

    package func accounts() async throws(StorageError) -> [Account] {
        try await before("accounts")
        return try await inner.accounts()
    }

    package func mailboxes(_ ids: [Id<Mailbox>]?, in accountID: Id<Account>) async throws(StorageError)
        -> [StoredMailbox]
    {
        try await before("mailboxes")
        try silent.check(accountID)
        return try await inner.mailboxes(ids, in: accountID)
    }

    package func emails(_ ids: [Id<Email>], in accountID: Id<Account>) async throws(StorageError)
        -> [StoredEmail]
    {
        try await before("emails")
        try silent.check(accountID)
        return try await inner.emails(ids, in: accountID)
    }

    package func body(of id: Id<Email>, in accountID: Id<Account>) async throws(StorageError) -> EmailBody? {
        try await before("body")
        try silent.check(accountID)
        return try await inner.body(of: id, in: accountID)
    }

    package func threads(_ ids: [Id<EmailThread>], in accountID: Id<Account>) async throws(StorageError)
        -> [EmailThread]
    {
        try await before("threads")
        try silent.check(accountID)
        return try await inner.threads(ids, in: accountID)
    }

    package func identities(_ ids: [Id<Identity>]?, in accountID: Id<Account>) async throws(StorageError)
        -> [Identity]
    {
        try await before("identities")
        try silent.check(accountID)
        return try await inner.identities(ids, in: accountID)
    }

    package func submissions(_ ids: [Id<EmailSubmission>]?, in accountID: Id<Account>)
        async throws(StorageError) -> [EmailSubmission]
    {
        try await before("submissions")
        try silent.check(accountID)
        return try await inner.submissions(ids, in: accountID)
    }

    package func queryEmails(_ query: EmailQuery) async throws(StorageError) -> EmailQueryResult {
        try await before("queryEmails")
        return try await inner.queryEmails(silent.leftOut(of: query))
    }

    package func queryEmailChanges(_ query: EmailQuery, since state: State, limit: Int)
        async throws(StorageError) -> EmailQueryChanges
    {
        try await before("queryEmailChanges")
        return try await inner.queryEmailChanges(query, since: state, limit: limit)
    }

    package func snippets(for filter: EmailFilter, emailIDs: [Id<Email>], in accountID: Id<Account>)
        async throws(StorageError) -> [SearchSnippet]
    {
        try await before("snippets")
        try silent.check(accountID)
        return try await inner.snippets(for: filter, emailIDs: emailIDs, in: accountID)
    }

    package func emailIDs(for remoteIDs: [RemoteMessageID], feed: FeedID, in accountID: Id<Account>)
        async throws(StorageError) -> [RemoteMessageID: Id<Email>]
    {
        try await before("emailIDs")
        try silent.check(accountID)
        return try await inner.emailIDs(for: remoteIDs, feed: feed, in: accountID)
    }

    package func remoteRefs(of emailIDs: [Id<Email>], in accountID: Id<Account>) async throws(StorageError)
        -> [RemoteRef]
    {
        try await before("remoteRefs")
        try silent.check(accountID)
        return try await inner.remoteRefs(of: emailIDs, in: accountID)
    }

    package func remoteIDs(feed: FeedID, after: RemoteMessageID?, limit: Int, in accountID: Id<Account>)
        async throws(StorageError) -> [RemoteMessageID]
    {
        try await before("remoteIDs")
        try silent.check(accountID)
        return try await inner.remoteIDs(feed: feed, after: after, limit: limit, in: accountID)
    }

    package func contacts(matching text: String, limit: Int) async throws(StorageError) -> [Contact] {
        try await before("contacts")
        return try await inner.contacts(matching: text, limit: limit)
    }

    package func document(_ key: DocumentKey) async throws(StorageError) -> Document? {
        try await before("document")
        return try await inner.document(key)
    }

    package func documents(in collection: String, accountID: Id<Account>?, after: String?, limit: Int)
        async throws(StorageError) -> [Document]
    {
        try await before("documents")
        try silent.check(accountID)
        return try await inner.documents(in: collection, accountID: accountID, after: after, limit: limit)
    }

    package func open() async throws(StorageError) -> StorageOpening {
        try await before("open")
        return try await inner.open()
    }

    package func commit(_ changes: ChangeSet) async throws(StorageError) -> CommitResult {
        try await before("commit")
        for lease in changes.leases { try silent.check(lease.accountID) }
        return try await inner.commit(changes)
    }

    package func state(of type: DataType, in accountID: Id<Account>?) async throws(StorageError) -> State {
        try await before("state")
        try silent.check(accountID)
        return try await inner.state(of: type, in: accountID)
    }

    package func changes(of type: DataType, in accountID: Id<Account>?, since state: State, limit: Int)
        async throws(StorageError) -> Changes
    {
        try await before("changes")
        try silent.check(accountID)
        return try await inner.changes(of: type, in: accountID, since: state, limit: limit)
    }

    package func writeBlob(_ blob: BlobInfo) async throws(StorageError) -> any BlobWriter {
        try await before("writeBlob")
        try silent.check(blob.accountID)
        return InterceptedBlob(inner: try await inner.writeBlob(blob), before: before)
    }

    package func blobInfo(_ id: Id<Blob>, in accountID: Id<Account>) async throws(StorageError) -> BlobInfo? {
        try await before("blobInfo")
        try silent.check(accountID)
        return try await inner.blobInfo(id, in: accountID)
    }

    package func readBlob(_ id: Id<Blob>, in accountID: Id<Account>, offset: Int, count: Int)
        async throws(StorageError) -> Data
    {
        try await before("readBlob")
        try silent.check(accountID)
        return try await inner.readBlob(id, in: accountID, offset: offset, count: count)
    }

    package func removeBlob(_ id: Id<Blob>, in accountID: Id<Account>) async throws(StorageError) {
        try await before("removeBlob")
        try silent.check(accountID)
        return try await inner.removeBlob(id, in: accountID)
    }

    package func removeAccount(_ id: Id<Account>) async throws(StorageError) {
        try await before("removeAccount")
        try silent.check(id)
        return try await inner.removeAccount(id)
    }

    package func wipe() async throws(StorageError) {
        try await before("wipe")
        return try await inner.wipe()
    }
}

/// A blob that is written to such a store.
private struct InterceptedBlob: BlobWriter {
    let inner: any BlobWriter
    let before: InterceptedStorage.Before

    func write(_ bytes: Data) async throws {
        try await before("BlobWriter.write")
        try await inner.write(bytes)
    }

    func finish() async throws {
        try await before("BlobWriter.finish")
        try await inner.finish()
    }

    func discard() async { await inner.discard() }
}
