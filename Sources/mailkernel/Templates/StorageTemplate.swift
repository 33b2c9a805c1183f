extension PluginTemplate {
    /// Every method of a store, none of which does anything yet.
    var storageText: String {
        """
        import FoundationEssentials
        import MailKernelAPI

        /// A store that never opens. Write `open`, `close` and `commit` first, then one reader after the other.
        actor \(name)Storage: StorageBackend {
            private let log: PluginLog

            init(log: PluginLog) {
                self.log = log
            }

            func open() throws(StorageError) -> StorageOpening {
                log.error("this store is not written yet")
                throw .unreadable(reason: "it is not written yet")
            }

            func close() {}

        \(Self.storageMethods.map(Self.stub).joined(separator: "\n\n"))
        }

        """
    }

    private static func stub(_ signature: String) -> String {
        """
            func \(signature) {
                throw .closed
            }
        """
    }

    private static let storageMethods = [
        "commit(_ changes: ChangeSet) throws(StorageError) -> CommitResult",
        "state(of type: DataType, in accountID: Id<Account>?) throws(StorageError) -> State",
        """
        changes(
                of type: DataType, in accountID: Id<Account>?, since state: State, limit: Int
            ) throws(StorageError) -> Changes
        """,
        "accounts() throws(StorageError) -> [Account]",
        """
        mailboxes(
                _ ids: [Id<Mailbox>]?, in accountID: Id<Account>
            ) throws(StorageError) -> [StoredMailbox]
        """,
        "emails(_ ids: [Id<Email>], in accountID: Id<Account>) throws(StorageError) -> [StoredEmail]",
        "body(of id: Id<Email>, in accountID: Id<Account>) throws(StorageError) -> EmailBody?",
        """
        threads(
                _ ids: [Id<EmailThread>], in accountID: Id<Account>
            ) throws(StorageError) -> [EmailThread]
        """,
        """
        identities(
                _ ids: [Id<Identity>]?, in accountID: Id<Account>
            ) throws(StorageError) -> [Identity]
        """,
        """
        submissions(
                _ ids: [Id<EmailSubmission>]?, in accountID: Id<Account>
            ) throws(StorageError) -> [EmailSubmission]
        """,
        "queryEmails(_ query: EmailQuery) throws(StorageError) -> EmailQueryResult",
        """
        queryEmailChanges(
                _ query: EmailQuery, since state: State, limit: Int
            ) throws(StorageError) -> EmailQueryChanges
        """,
        """
        snippets(
                for filter: EmailFilter, emailIDs: [Id<Email>], in accountID: Id<Account>
            ) throws(StorageError) -> [SearchSnippet]
        """,
        """
        emailIDs(
                for remoteIDs: [RemoteMessageID], feed: FeedID, in accountID: Id<Account>
            ) throws(StorageError) -> [RemoteMessageID: Id<Email>]
        """,
        """
        remoteRefs(
                of emailIDs: [Id<Email>], in accountID: Id<Account>
            ) throws(StorageError) -> [RemoteRef]
        """,
        """
        remoteIDs(
                feed: FeedID, after: RemoteMessageID?, limit: Int, in accountID: Id<Account>
            ) throws(StorageError) -> [RemoteMessageID]
        """,
        "contacts(matching text: String, limit: Int) throws(StorageError) -> [Contact]",
        "document(_ key: DocumentKey) throws(StorageError) -> Document?",
        """
        documents(
                in collection: String, accountID: Id<Account>?, after: String?, limit: Int
            ) throws(StorageError) -> [Document]
        """,
        "writeBlob(_ blob: BlobInfo) throws(StorageError) -> any BlobWriter",
        "blobInfo(_ id: Id<Blob>, in accountID: Id<Account>) throws(StorageError) -> BlobInfo?",
        """
        readBlob(
                _ id: Id<Blob>, in accountID: Id<Account>, offset: Int, count: Int
            ) throws(StorageError) -> Data
        """,
        "removeBlob(_ id: Id<Blob>, in accountID: Id<Account>) throws(StorageError)",
        "removeAccount(_ id: Id<Account>) throws(StorageError)",
        "wipe() throws(StorageError)",
    ]
}
