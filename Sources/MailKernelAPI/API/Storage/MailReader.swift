/// The reading half of a store.
///
/// Every list of ids in a call is answered in the order asked; ids that do not exist are left out
/// and not an error. An account that does not exist has nothing in it.
public protocol MailReader: Sendable {
    func accounts() async throws(StorageError) -> [Account]

    /// The mailboxes of an account; all of them, by `sortOrder`, if `ids` is nil.
    func mailboxes(_ ids: [Id<Mailbox>]?, in accountID: Id<Account>) async throws(StorageError)
        -> [StoredMailbox]

    func emails(_ ids: [Id<Email>], in accountID: Id<Account>) async throws(StorageError) -> [StoredEmail]

    /// The body of an email, or nil if there is no such email.
    func body(of id: Id<Email>, in accountID: Id<Account>) async throws(StorageError) -> EmailBody?

    func threads(_ ids: [Id<EmailThread>], in accountID: Id<Account>) async throws(StorageError)
        -> [EmailThread]

    /// The identities of an account; all of them if `ids` is nil.
    func identities(_ ids: [Id<Identity>]?, in accountID: Id<Account>) async throws(StorageError)
        -> [Identity]

    /// The submissions of an account; all of them, by `queuedAt` and then by id, if `ids` is nil.
    func submissions(_ ids: [Id<EmailSubmission>]?, in accountID: Id<Account>) async throws(StorageError)
        -> [EmailSubmission]

    /// Finds emails, over one account or several.
    ///
    /// - Throws: `.anchorNotFound`; `.invalid` for a filter beyond the limits that `EmailFilter` names.
    func queryEmails(_ query: EmailQuery) async throws(StorageError) -> EmailQueryResult

    /// How the result of a query differs from what it was at `state` (RFC 8620, section 5.6).
    ///
    /// - Throws: `.cannotCalculateChanges` whenever asking anew is the better answer; a backend may
    ///   always say so.
    func queryEmailChanges(
        _ query: EmailQuery, since state: State, limit: Int
    ) async throws(StorageError) -> EmailQueryChanges

    /// What to show of these emails for a search: the whole words that match between `<mark>` and
    /// `</mark>`, `<`, `>` and `&` escaped as HTML; nil where nothing matches. The whole subject, and at
    /// most 255 bytes of the body. What the filter wants absent is not shown.
    func snippets(
        for filter: EmailFilter, emailIDs: [Id<Email>], in accountID: Id<Account>
    ) async throws(StorageError) -> [SearchSnippet]

    // MARK: What the server calls it

    /// The emails behind the provider's ids of one feed. Unknown ones are left out.
    func emailIDs(
        for remoteIDs: [RemoteMessageID], feed: FeedID, in accountID: Id<Account>
    ) async throws(StorageError) -> [RemoteMessageID: Id<Email>]

    /// The provider's names of an email, one per feed that holds it.
    func remoteRefs(
        of emailIDs: [Id<Email>], in accountID: Id<Account>
    ) async throws(StorageError) -> [RemoteRef]

    /// All of the provider's ids that are held of one feed, in pages: those after `after` in the
    /// order of their text, at most `limit`.
    func remoteIDs(
        feed: FeedID, after: RemoteMessageID?, limit: Int, in accountID: Id<Account>
    ) async throws(StorageError) -> [RemoteMessageID]

    // MARK: Contacts, insights, documents

    /// Contacts whose name or address matches: a word of either begins with the text, or the address
    /// contains it; all of them if the text is empty. Case and diacritics make no difference.
    ///
    /// Merged over accounts by address: the highest frequency, the latest time and the name seen
    /// last. The most frequent first, ties by latest seen.
    func contacts(matching text: String, limit: Int) async throws(StorageError) -> [Contact]

    func insights(of emailIDs: [Id<Email>], in accountID: Id<Account>) async throws(StorageError)
        -> [EmailInsight]

    /// Emails that have no insight by this model yet, newest first.
    func emailsWithoutInsight(
        by modelID: String, in accountID: Id<Account>, limit: Int
    ) async throws(StorageError) -> [Id<Email>]

    /// The emails whose embeddings by this model are nearest to `vector`, best first.
    func nearestEmails(
        to vector: [Float], by modelID: String, in accountIDs: [Id<Account>], limit: Int
    ) async throws(StorageError) -> [NearEmail]

    /// One document, or nil.
    func document(_ key: DocumentKey) async throws(StorageError) -> Document?

    /// The documents of a collection in the order of their names, those after `after`, at most `limit`.
    func documents(
        in collection: String, accountID: Id<Account>?, after: String?, limit: Int
    ) async throws(StorageError) -> [Document]
}

public struct StoredMailbox: Sendable, Hashable, Codable {
    public var mailbox: Mailbox
    public var counts: MailboxCounts

    public init(mailbox: Mailbox, counts: MailboxCounts) {
        self.mailbox = mailbox
        self.counts = counts
    }
}

public struct StoredEmail: Sendable, Hashable, Codable {
    public var email: Email
    public var threadID: Id<EmailThread>

    public init(email: Email, threadID: Id<EmailThread>) {
        self.email = email
        self.threadID = threadID
    }
}

public struct SearchSnippet: Sendable, Hashable, Codable {
    public var emailID: Id<Email>
    public var subject: String?
    public var preview: String?

    public init(emailID: Id<Email>, subject: String? = nil, preview: String? = nil) {
        self.emailID = emailID
        self.subject = subject
        self.preview = preview
    }
}

public struct NearEmail: Sendable, Hashable, Codable {
    public var accountID: Id<Account>
    public var emailID: Id<Email>
    /// The cosine of the two vectors.
    public var similarity: Float

    public init(accountID: Id<Account>, emailID: Id<Email>, similarity: Float) {
        self.accountID = accountID
        self.emailID = emailID
        self.similarity = similarity
    }
}
