public import FoundationEssentials

/// A query for emails: the filter, the order, and the part of the result to return (RFC 8620, section 5.5).
public struct EmailQuery: Sendable, Hashable, Codable {
    /// The accounts to search: one for JMAP, several for a unified inbox. Unknown ones have no emails.
    public var accountIDs: [Id<Account>]
    /// The condition; nil for all emails.
    public var filter: EmailFilter?
    /// The order, most important property first; by `receivedAt`, newest first, if empty. Where all
    /// properties are equal, the smaller id comes first in either direction, then the smaller account id, so
    /// every order is total.
    public var sort: [EmailSort]
    /// Whether to return only the first email of each thread.
    public var collapseThreads: Bool
    /// Where the returned part begins.
    public var window: Window
    /// The most hits to return; 0 or less returns none.
    public var limit: Int
    /// Whether to count all hits. Without it, the store need not look beyond `limit`.
    public var calculateTotal: Bool

    /// Where the returned part of a result begins.
    public enum Window: Sendable, Hashable, Codable {
        /// At this index; a negative one counts from the end. Past the end, there are no hits.
        case position(Int)
        /// `offset` places after this email (before it if negative), but not before the beginning. Must be
        /// equally fast at any depth.
        case anchor(Id<Email>, offset: Int)
    }

    public init(
        in accountIDs: [Id<Account>], filter: EmailFilter? = nil, sort: [EmailSort] = [],
        collapseThreads: Bool = false, window: Window = .position(0), limit: Int = 50,
        calculateTotal: Bool = false
    ) {
        self.accountIDs = accountIDs
        self.filter = filter
        self.sort = sort
        self.collapseThreads = collapseThreads
        self.window = window
        self.limit = limit
        self.calculateTotal = calculateTotal
    }
}

/// JMAP's filters for emails (RFC 8621, section 4.4.1), and two of the vendor's own.
///
/// A filter may be 64 levels deep and have 5,000 conditions. Throw `StorageError.invalid` for a larger one in
/// every call that takes a filter.
public indirect enum EmailFilter: Sendable, Hashable, Codable {
    /// All of these match; an empty list matches every email.
    case and([EmailFilter])
    /// At least one of these matches; an empty list matches no email.
    case or([EmailFilter])
    /// None of these matches; an empty list matches every email.
    case not([EmailFilter])

    /// Is in this mailbox.
    case inMailbox(Id<Mailbox>)
    /// Is in at least one mailbox that is not listed.
    case inMailboxOtherThan([Id<Mailbox>])
    /// Was received before this time.
    case before(Date)
    /// Was received at or after this time.
    case after(Date)
    /// Has at least this many bytes.
    case minSize(Int)
    /// Has fewer than this many bytes.
    case maxSize(Int)
    /// Has this keyword.
    case hasKeyword(Keyword)
    /// Does not have this keyword.
    case notKeyword(Keyword)
    /// Every email of its thread has this keyword.
    case allInThreadHaveKeyword(Keyword)
    /// At least one email of its thread, itself included, has this keyword.
    case someInThreadHaveKeyword(Keyword)
    /// No email of its thread has this keyword.
    case noneInThreadHaveKeyword(Keyword)
    /// Its `Email.hasAttachment` has this value.
    case hasAttachment(Bool)
    /// Every word of the text occurs, as a word or as the beginning of one, somewhere in from, to, cc, bcc,
    /// subject or body. Text that HTML markup hides is not part of a body. Case and diacritics make no
    /// difference.
    ///
    /// Words are runs of letters and digits. Words joined by signs without spaces, as in `anna@example.org`,
    /// must follow one another in one field, and only the last may be the beginning of a word. Text in double
    /// quotes is a phrase of whole words that follow one another; `\"` does not end it. Signs on their own,
    /// such as an emoji, `€` or `--`, must occur exactly; a store may search for them in the newest 10,000
    /// emails of an account only. Text with nothing but spaces matches every email. All of this holds for the
    /// next six filters too.
    case text(String)
    /// Like `text`, in From only.
    case from(String)
    /// Like `text`, in To only.
    case to(String)
    /// Like `text`, in Cc only.
    case cc(String)
    /// Like `text`, in Bcc only.
    case bcc(String)
    /// Like `text`, in the subject only.
    case subject(String)
    /// Like `text`, in the body only.
    case body(String)
    /// Has a header field of this name that contains `value`; any value if that is nil. Case makes no
    /// difference to either.
    case header(name: String, value: String?)
    /// Vendor: has this category. An email without an insight is `.uncategorized`, as all are in a store without
    /// `StorageInsights`.
    case category(EmailCategory)
    /// Vendor: is in a mailbox with this role, in any account.
    case inRole(Mailbox.Role)
}

/// One property to sort by.
public struct EmailSort: Sendable, Hashable, Codable {
    /// What emails can be sorted by.
    public enum Property: Sendable, Hashable, Codable {
        /// When the service received the email.
        case receivedAt
        /// `EmailHeader.sentAt`, or `receivedAt` if that is nil.
        case sentAt
        /// The size in bytes.
        case size
        /// The name of the first address in From, or the address itself if it has no name. Case and
        /// diacritics make no difference.
        case from
        /// The same for To.
        case to
        /// The subject without prefixes such as "Re:" (`SortText.subject` of `StoreRules`).
        case subject
        /// Ascending: emails without this keyword before those with it.
        case hasKeyword(Keyword)
        /// The same, for threads in which every email has the keyword.
        case allInThreadHaveKeyword(Keyword)
        /// The same, for threads in which at least one email has the keyword.
        case someInThreadHaveKeyword(Keyword)
        /// Vendor: how well the email matches the filter's text. Ascending puts the best match first.
        case relevance
    }

    /// The property to compare.
    public var property: Property
    /// Whether the smallest value comes first.
    public var isAscending: Bool

    public init(_ property: Property, isAscending: Bool = true) {
        self.property = property
        self.isAscending = isAscending
    }
}

/// The requested part of a query's result.
public struct EmailQueryResult: Sendable, Hashable, Codable {
    /// One email of a result.
    public struct Hit: Sendable, Hashable, Codable {
        /// The email's account.
        public var accountID: Id<Account>
        /// The email.
        public var emailID: Id<Email>
        /// The email's thread.
        public var threadID: Id<EmailThread>

        public init(accountID: Id<Account>, emailID: Id<Email>, threadID: Id<EmailThread>) {
            self.accountID = accountID
            self.emailID = emailID
            self.threadID = threadID
        }
    }

    /// The emails in the requested order, at most `EmailQuery.limit`.
    public var hits: [Hit]
    /// The index of the first hit in the whole result; nil if unknown. After an anchor it is required only
    /// with `calculateTotal`.
    public var position: Int?
    /// The number of all hits; nil unless `calculateTotal` was set.
    public var total: Int?
    /// Changes whenever the result may have changed. The kernel passes it to `MailReader.queryEmailChanges`.
    public var queryState: State

    public init(hits: [Hit], position: Int?, total: Int?, queryState: State) {
        self.hits = hits
        self.position = position
        self.total = total
        self.queryState = queryState
    }
}

/// How the result of a query differs from an earlier one (RFC 8620, section 5.6).
public struct EmailQueryChanges: Sendable, Hashable, Codable {
    /// An email to insert into the earlier result.
    public struct Added: Sendable, Hashable, Codable {
        /// The email.
        public var emailID: Id<Email>
        /// Its index in the new result.
        public var index: Int

        public init(emailID: Id<Email>, index: Int) {
            self.emailID = emailID
            self.index = index
        }
    }

    /// The state that the caller asked about.
    public var oldState: State
    /// The state of the result now.
    public var newState: State
    /// Emails to remove from the earlier result. An email that moved is here and in `added`.
    public var removed: [Id<Email>]
    /// Emails to insert after removing, in ascending order of `index`.
    public var added: [Added]
    /// The number of all hits now; nil unless `calculateTotal` was set.
    public var total: Int?

    public init(
        oldState: State, newState: State, removed: [Id<Email>], added: [Added], total: Int? = nil
    ) {
        self.oldState = oldState
        self.newState = newState
        self.removed = removed
        self.added = added
        self.total = total
    }
}
