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
