import FoundationEssentials
import MailKernelAPI
import MailKernelConformance

/// A store that hands every call to a sound one. What conforms to it breaks one thing and leaves
/// the rest to these.
protocol ForwardingStorage: StorageBackend, StorageInsights, StorageCare, StorageSharing {
    /// The sound store behind it.
    var sound: MemoryStorage { get }
}

extension ForwardingStorage {
    /// As any store, so that every call is written as the protocol has it.
    private var real: any StorageBackend & StorageInsights & StorageCare & StorageSharing { sound }

    var parts: StorageParts { StorageParts(insights: self, care: self, sharing: self) }

    func statesOfOthers() -> AsyncStream<[CommitResult.StateChange]> { real.statesOfOthers() }

    func takeLease(of accountID: Id<Account>) async throws(StorageError) -> StoreLease? {
        try await real.takeLease(of: accountID)
    }

    func releaseLease(_ lease: StoreLease) async throws(StorageError) {
        try await real.releaseLease(lease)
    }

    func accounts() async throws(StorageError) -> [Account] {
        try await real.accounts()
    }

    func mailboxes(_ ids: [Id<Mailbox>]?, in accountID: Id<Account>) async throws(StorageError)
        -> [StoredMailbox]
    {
        try await real.mailboxes(ids, in: accountID)
    }

    func emails(_ ids: [Id<Email>], in accountID: Id<Account>) async throws(StorageError) -> [StoredEmail] {
        try await real.emails(ids, in: accountID)
    }

    func body(of id: Id<Email>, in accountID: Id<Account>) async throws(StorageError) -> EmailBody? {
        try await real.body(of: id, in: accountID)
    }

    func threads(_ ids: [Id<EmailThread>], in accountID: Id<Account>) async throws(StorageError)
        -> [EmailThread]
    {
        try await real.threads(ids, in: accountID)
    }

    func identities(_ ids: [Id<Identity>]?, in accountID: Id<Account>) async throws(StorageError)
        -> [Identity]
    {
        try await real.identities(ids, in: accountID)
    }

    func submissions(_ ids: [Id<EmailSubmission>]?, in accountID: Id<Account>) async throws(StorageError)
        -> [EmailSubmission]
    {
        try await real.submissions(ids, in: accountID)
    }

    func queryEmails(_ query: EmailQuery) async throws(StorageError) -> EmailQueryResult {
        try await real.queryEmails(query)
    }

    func queryEmailChanges(_ query: EmailQuery, since state: State, limit: Int) async throws(StorageError)
        -> EmailQueryChanges
    {
        try await real.queryEmailChanges(query, since: state, limit: limit)
    }

    func snippets(for filter: EmailFilter, emailIDs: [Id<Email>], in accountID: Id<Account>)
        async throws(StorageError) -> [SearchSnippet]
    {
        try await real.snippets(for: filter, emailIDs: emailIDs, in: accountID)
    }

    func emailIDs(for remoteIDs: [RemoteMessageID], feed: FeedID, in accountID: Id<Account>)
        async throws(StorageError) -> [RemoteMessageID: Id<Email>]
    {
        try await real.emailIDs(for: remoteIDs, feed: feed, in: accountID)
    }

    func remoteRefs(of emailIDs: [Id<Email>], in accountID: Id<Account>) async throws(StorageError)
        -> [RemoteRef]
    {
        try await real.remoteRefs(of: emailIDs, in: accountID)
    }

    func remoteIDs(feed: FeedID, after: RemoteMessageID?, limit: Int, in accountID: Id<Account>)
        async throws(StorageError) -> [RemoteMessageID]
    {
        try await real.remoteIDs(feed: feed, after: after, limit: limit, in: accountID)
    }

    func contacts(matching text: String, limit: Int) async throws(StorageError) -> [Contact] {
        try await real.contacts(matching: text, limit: limit)
    }

    func insights(of emailIDs: [Id<Email>], in accountID: Id<Account>) async throws(StorageError)
        -> [EmailInsight]
    {
        try await real.insights(of: emailIDs, in: accountID)
    }

    func emailsWithoutInsight(by modelID: String, in accountID: Id<Account>, limit: Int)
        async throws(StorageError) -> [Id<Email>]
    {
        try await real.emailsWithoutInsight(by: modelID, in: accountID, limit: limit)
    }

    func nearestEmails(to vector: [Float], by modelID: String, in accountIDs: [Id<Account>], limit: Int)
        async throws(StorageError) -> [NearEmail]
    {
        try await real.nearestEmails(to: vector, by: modelID, in: accountIDs, limit: limit)
    }

    func document(_ key: DocumentKey) async throws(StorageError) -> Document? {
        try await real.document(key)
    }

    func documents(in collection: String, accountID: Id<Account>?, after: String?, limit: Int)
        async throws(StorageError) -> [Document]
    {
        try await real.documents(in: collection, accountID: accountID, after: after, limit: limit)
    }

    func open() async throws(StorageError) -> StorageOpening {
        try await real.open()
    }

    func close() async {
        await real.close()
    }

    func commit(_ changes: ChangeSet) async throws(StorageError) -> CommitResult {
        try await real.commit(changes)
    }

    func state(of type: DataType, in accountID: Id<Account>?) async throws(StorageError) -> State {
        try await real.state(of: type, in: accountID)
    }

    func changes(of type: DataType, in accountID: Id<Account>?, since state: State, limit: Int)
        async throws(StorageError) -> Changes
    {
        try await real.changes(of: type, in: accountID, since: state, limit: limit)
    }

    func writeBlob(_ blob: BlobInfo) async throws(StorageError) -> any BlobWriter {
        try await real.writeBlob(blob)
    }

    func blobInfo(_ id: Id<Blob>, in accountID: Id<Account>) async throws(StorageError) -> BlobInfo? {
        try await real.blobInfo(id, in: accountID)
    }

    func readBlob(_ id: Id<Blob>, in accountID: Id<Account>, offset: Int, count: Int)
        async throws(StorageError) -> Data
    {
        try await real.readBlob(id, in: accountID, offset: offset, count: count)
    }

    func removeBlob(_ id: Id<Blob>, in accountID: Id<Account>) async throws(StorageError) {
        try await real.removeBlob(id, in: accountID)
    }

    func usage() async throws(StorageError) -> StorageUsage {
        try await real.usage()
    }

    func clearCache(includingInsights: Bool) async throws(StorageError) -> Int {
        try await real.clearCache(includingInsights: includingInsights)
    }

    func purge(before date: Date, in accountID: Id<Account>, sparing: Set<Mailbox.Role>, limit: Int)
        async throws(StorageError) -> Int
    {
        try await real.purge(before: date, in: accountID, sparing: sparing, limit: limit)
    }

    func removeAccount(_ id: Id<Account>) async throws(StorageError) {
        try await real.removeAccount(id)
    }

    func wipe() async throws(StorageError) {
        try await real.wipe()
    }

    func rebuildSearchIndex() async throws(StorageError) {
        try await real.rebuildSearchIndex()
    }

    func check() async throws(StorageError) -> [String] {
        try await real.check()
    }
}
