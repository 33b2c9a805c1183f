public import FoundationEssentials

/// The reading half of a store.
///
/// Records come back in the order of the requested ids. Ids that do not exist are left out and are not an
/// error. An account that does not exist is empty.
public protocol MailReader: Sendable {
    /// The state of one type of one account. It changes whenever a record of that type changes, and only
    /// then: writing an equal record changes nothing. `accountID` is nil for types that belong to no account,
    /// such as `.account`.
    ///
    /// - Throws: `.notFound` if there is no such account.
    func state(of type: DataType, in accountID: Id<Account>?) async throws(StorageError) -> State

    /// The records that were created, updated or destroyed since `state`, each id once, at most `limit` ids.
    /// If there are more, `hasMoreChanges` is set and the kernel asks again from `newState`.
    ///
    /// Leave out records that were created and destroyed since. Over several pages, a record's creation comes
    /// before its updates. Keep at least the last 10,000 changes of each type and account.
    ///
    /// - Throws: `.cannotCalculateChanges` if `state` is unknown or too old; `.notFound` if there is no such
    ///   account; `.invalid` if `limit` is not positive.
    func changes(
        of type: DataType, in accountID: Id<Account>?, since state: State, limit: Int
    ) async throws(StorageError) -> Changes

    /// All accounts.
    func accounts() async throws(StorageError) -> [Account]

    /// The mailboxes of an account with their counts; all of them, by `sortOrder`, if `ids` is nil.
    func mailboxes(_ ids: [Id<Mailbox>]?, in accountID: Id<Account>) async throws(StorageError)
        -> [StoredMailbox]

    /// Emails without their bodies, each with its thread.
    func emails(_ ids: [Id<Email>], in accountID: Id<Account>) async throws(StorageError) -> [StoredEmail]

    /// The body of an email, or nil if there is no such email.
    func body(of id: Id<Email>, in accountID: Id<Account>) async throws(StorageError) -> EmailBody?

    /// Threads with the ids of their emails.
    func threads(_ ids: [Id<EmailThread>], in accountID: Id<Account>) async throws(StorageError)
        -> [EmailThread]

    /// The identities of an account; all of them if `ids` is nil.
    func identities(_ ids: [Id<Identity>]?, in accountID: Id<Account>) async throws(StorageError)
        -> [Identity]

    /// The submissions of an account; all of them, by `queuedAt` and then by id, if `ids` is nil.
    func submissions(_ ids: [Id<EmailSubmission>]?, in accountID: Id<Account>) async throws(StorageError)
        -> [EmailSubmission]

    /// Finds emails in one account or several.
    ///
    /// - Throws: `.anchorNotFound`; `.invalid` for a filter beyond the limits that `EmailFilter` names.
    func queryEmails(_ query: EmailQuery) async throws(StorageError) -> EmailQueryResult

    /// How the result of a query differs from its result at `state` (RFC 8620, section 5.6).
    ///
    /// - Throws: `.cannotCalculateChanges` if running the query again is the better answer. A store may
    ///   always throw it.
    func queryEmailChanges(
        _ query: EmailQuery, since state: State, limit: Int
    ) async throws(StorageError) -> EmailQueryChanges

    /// The text to show for these emails in a search: matching whole words between `<mark>` and `</mark>`,
    /// with `<`, `>` and `&` escaped as HTML; nil where nothing matches. The whole subject, and at most 255
    /// bytes of the body. Words inside `.not` are not marked.
    func snippets(
        for filter: EmailFilter, emailIDs: [Id<Email>], in accountID: Id<Account>
    ) async throws(StorageError) -> [SearchSnippet]

    // MARK: What the server calls it

    /// The emails behind the provider's ids of one feed. Unknown ids are left out.
    func emailIDs(
        for remoteIDs: [RemoteMessageID], feed: FeedID, in accountID: Id<Account>
    ) async throws(StorageError) -> [RemoteMessageID: Id<Email>]

    /// The references of these emails, one per feed that reports the email.
    func remoteRefs(
        of emailIDs: [Id<Email>], in accountID: Id<Account>
    ) async throws(StorageError) -> [RemoteRef]

    /// The provider's ids held of one feed, in pages: those that sort after `after` as text, in that order,
    /// at most `limit`. Nil starts at the beginning.
    func remoteIDs(
        feed: FeedID, after: RemoteMessageID?, limit: Int, in accountID: Id<Account>
    ) async throws(StorageError) -> [RemoteMessageID]

    // MARK: Contacts, documents

    /// Contacts whose name or address matches: a word of either begins with the text, or the address contains
    /// it. All contacts if the text is empty. Case and diacritics make no difference.
    ///
    /// Contacts of several accounts are merged by address: the highest frequency, the latest time, and the
    /// name seen last. The most frequent come first, then those seen last.
    func contacts(matching text: String, limit: Int) async throws(StorageError) -> [Contact]

    /// The document with this key, or nil.
    func document(_ key: DocumentKey) async throws(StorageError) -> Document?

    /// The documents of a collection by name: those after `after`, at most `limit`. Nil starts at the
    /// beginning.
    func documents(
        in collection: String, accountID: Id<Account>?, after: String?, limit: Int
    ) async throws(StorageError) -> [Document]

    // MARK: Blobs

    /// What is known of a blob, or nil if its bytes are not here.
    func blobInfo(_ id: Id<Blob>, in accountID: Id<Account>) async throws(StorageError) -> BlobInfo?

    /// Bytes of a blob, at most `count` from `offset` on. Reading a cached blob makes it the most
    /// recently used one.
    ///
    /// - Throws: `.notFound` if its bytes are not here.
    func readBlob(
        _ id: Id<Blob>, in accountID: Id<Account>, offset: Int, count: Int
    ) async throws(StorageError) -> Data
}

/// A mailbox with its counts.
public struct StoredMailbox: Sendable, Hashable, Codable {
    /// The mailbox as it was last put.
    public var mailbox: Mailbox
    /// Its exact counts. The store computes them.
    public var counts: MailboxCounts

    public init(mailbox: Mailbox, counts: MailboxCounts) {
        self.mailbox = mailbox
        self.counts = counts
    }
}

/// An email with its thread.
public struct StoredEmail: Sendable, Hashable, Codable {
    /// The email as it was last put or updated.
    public var email: Email
    /// Its thread, chosen by the store.
    public var threadID: Id<EmailThread>

    public init(email: Email, threadID: Id<EmailThread>) {
        self.email = email
        self.threadID = threadID
    }
}

/// The text to show for one email in a search.
public struct SearchSnippet: Sendable, Hashable, Codable {
    /// The email.
    public var emailID: Id<Email>
    /// The whole subject as HTML with marks; nil if no word of it matches.
    public var subject: String?
    /// A piece of the body as HTML with marks; nil if no word of it matches.
    public var preview: String?

    public init(emailID: Id<Email>, subject: String? = nil, preview: String? = nil) {
        self.emailID = emailID
        self.subject = subject
        self.preview = preview
    }
}

/// An email with a similar embedding.
public struct NearEmail: Sendable, Hashable, Codable {
    /// The email's account.
    public var accountID: Id<Account>
    /// The email.
    public var emailID: Id<Email>
    /// The cosine of the two vectors: 1 for equal, 0 for unrelated.
    public var similarity: Float

    public init(accountID: Id<Account>, emailID: Id<Email>, similarity: Float) {
        self.accountID = accountID
        self.emailID = emailID
        self.similarity = similarity
    }
}
