public import FoundationEssentials

/// What to find, how to order it, and which piece of the result to return (RFC 8620, section 5.5).
public struct EmailQuery: Sendable, Hashable, Codable {
    /// One for JMAP, several for a unified inbox.
    public var accountIDs: [Id<Account>]
    public var filter: EmailFilter?
    /// By `receivedAt`, newest first, if empty. The smaller id comes first where all else is equal,
    /// whatever the direction, then the smaller account id: an order is always total.
    public var sort: [EmailSort]
    /// Only the first email of each thread.
    public var collapseThreads: Bool
    public var window: Window
    public var limit: Int
    public var calculateTotal: Bool

    public enum Window: Sendable, Hashable, Codable {
        /// From this index on; a negative one counts from the end.
        case position(Int)
        /// From `offset` places after this email on, or from the beginning where that would be
        /// before it. Costs the same at any depth.
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

/// JMAP's filters of emails (RFC 8621, section 4.4.1), and the vendor's own.
///
/// They are nested up to 64 levels deep and have up to 5,000 conditions. What is deeper or longer is
/// refused as `StorageError.invalid`, wherever a filter is taken.
public indirect enum EmailFilter: Sendable, Hashable, Codable {
    case and([EmailFilter])
    case or([EmailFilter])
    /// None of them.
    case not([EmailFilter])

    case inMailbox(Id<Mailbox>)
    case inMailboxOtherThan([Id<Mailbox>])
    case before(Date)
    /// At or after.
    case after(Date)
    /// At least.
    case minSize(Int)
    /// Less than.
    case maxSize(Int)
    case hasKeyword(Keyword)
    case notKeyword(Keyword)
    case allInThreadHaveKeyword(Keyword)
    case someInThreadHaveKeyword(Keyword)
    case noneInThreadHaveKeyword(Keyword)
    case hasAttachment(Bool)
    /// Every word of the text occurs, as a word or as the beginning of one, somewhere in from, to,
    /// cc, bcc, subject or body; what markup hides is not part of a body. Case and diacritics make
    /// no difference.
    ///
    /// Words are runs of letters and digits. Several with signs between them and no space, as in
    /// `anna@example.org`, have to follow one another in one field, and only the last of them may be
    /// a beginning. Text in double quotes is a phrase of whole words that follow one another; `\"` is
    /// no end of it. Signs by themselves, an emoji, `€` or `--`, occur as they are; a store may look
    /// for them in the newest 10,000 emails of an account only. Text with nothing but spaces matches
    /// every email. The same holds for the next six.
    case text(String)
    case from(String)
    case to(String)
    case cc(String)
    case bcc(String)
    case subject(String)
    case body(String)
    /// Has a header field of this name, containing `value` if that is not nil. Case makes no
    /// difference to either.
    case header(name: String, value: String?)
    /// Vendor: has this category. Emails without an insight are `uncategorized`.
    case category(EmailCategory)
    /// Vendor: is in a mailbox with this role, whatever the account.
    case inRole(Mailbox.Role)
}

public struct EmailSort: Sendable, Hashable, Codable {
    public enum Property: Sendable, Hashable, Codable {
        case receivedAt
        /// `receivedAt` stands in where there is none.
        case sentAt
        case size
        /// The name of the first address, or the address if it has none, without regard to case and
        /// diacritics.
        case from, to
        /// `Threading.normalizedSubject`.
        case subject
        /// Those without come before those with, as in the next two.
        case hasKeyword(Keyword)
        case allInThreadHaveKeyword(Keyword)
        case someInThreadHaveKeyword(Keyword)
        /// Vendor: best match of the filter's text first, worst first if not `isAscending`.
        case relevance
    }

    public var property: Property
    public var isAscending: Bool

    public init(_ property: Property, isAscending: Bool = true) {
        self.property = property
        self.isAscending = isAscending
    }
}

public struct EmailQueryResult: Sendable, Hashable, Codable {
    public struct Hit: Sendable, Hashable, Codable {
        public var accountID: Id<Account>
        public var emailID: Id<Email>
        public var threadID: Id<EmailThread>

        public init(accountID: Id<Account>, emailID: Id<Email>, threadID: Id<EmailThread>) {
            self.accountID = accountID
            self.emailID = emailID
            self.threadID = threadID
        }
    }

    public var hits: [Hit]
    /// The index of the first hit in the whole result, if it is known: after an anchor it is told
    /// only when `calculateTotal` was asked for.
    public var position: Int?
    public var total: Int?
    public var queryState: State

    public init(hits: [Hit], position: Int?, total: Int?, queryState: State) {
        self.hits = hits
        self.position = position
        self.total = total
        self.queryState = queryState
    }
}

public struct EmailQueryChanges: Sendable, Hashable, Codable {
    public struct Added: Sendable, Hashable, Codable {
        public var emailID: Id<Email>
        public var index: Int

        public init(emailID: Id<Email>, index: Int) {
            self.emailID = emailID
            self.index = index
        }
    }

    public var oldState: State
    public var newState: State
    public var removed: [Id<Email>]
    public var added: [Added]
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
