/// Changes that the store applies together or not at all.
public struct ChangeSet: Sendable, Codable {
    /// States that must still hold; otherwise nothing is changed and the commit throws `.stateMismatch`.
    /// Empty for no conditions.
    public var preconditions: [Precondition]
    /// Leases that must still be held; otherwise nothing is changed and the commit throws `.leaseLost`. Always empty for
    /// a store without `StorageSharing`.
    public var leases: [StoreLease]
    /// The changes in order; a later one sees the results of earlier ones.
    public var changes: [StorageChange]

    public init(
        _ changes: [StorageChange] = [], preconditions: [Precondition] = [], leases: [StoreLease] = []
    ) {
        self.changes = changes
        self.preconditions = preconditions
        self.leases = leases
    }

    /// A state that must not have changed since the kernel read it.
    public struct Precondition: Sendable, Hashable, Codable {
        /// The type of records.
        public var type: DataType
        /// Their account; nil for types that belong to no account, such as `.account`.
        public var accountID: Id<Account>?
        /// The state that the kernel read.
        public var state: State

        public init(_ type: DataType, in accountID: Id<Account>?, is state: State) {
            self.type = type
            self.accountID = accountID
            self.state = state
        }
    }
}

/// One change of the store. A record to destroy or patch must exist, otherwise the commit throws `.notFound`.
public enum StorageChange: Sendable, Codable {
    /// Adds an account or replaces its record. Its mail is not touched. `StorageBackend.removeAccount`
    /// removes accounts.
    case putAccount(Account)
    /// Adds or replaces a mailbox. Its account and its parent must exist.
    case putMailbox(Mailbox)
    /// Removes a mailbox and the emails that are in no other. `.invalid` if it has children.
    case destroyMailbox(Id<Mailbox>, in: Id<Account>)
    /// Adds an email, or replaces it as a whole. The store chooses its thread: see `Threading`
    /// of `StoreRules`.
    case putEmail(Email, EmailBody)
    /// Patches an email. A keyword or mailbox that is both removed and added is there afterwards.
    case updateEmail(EmailUpdate)
    /// Removes an email with its references and insight. Blobs stay.
    case destroyEmail(Id<Email>, in: Id<Account>)
    /// Adds or replaces an identity. Its account must exist.
    case putIdentity(Identity)
    /// Removes an identity.
    case destroyIdentity(Id<Identity>, in: Id<Account>)
    /// Adds or replaces a submission. Its account must exist.
    case putSubmission(EmailSubmission)
    /// Removes a submission. Its snapshot blob stays.
    case destroySubmission(Id<EmailSubmission>, in: Id<Account>)
    /// Records which message at the service an email is. An email has at most one reference per feed, and a
    /// reference belongs to one email; a later one replaces earlier ones. Removed together with the email.
    case putRemote(RemoteRef)
    /// Removes a reference. It is not an error if there is none.
    case removeRemote(RemoteMessageID, feed: FeedID, in: Id<Account>)
    /// Counts appearances of addresses in headers. Afterwards, if the account has more than 10,000 contacts,
    /// remove the least frequent, and of equals those not seen for longest.
    case countContacts([ContactSighting], in: Id<Account>)
    /// Adds or replaces the results of a model for an email. An email has one insight, whichever model made
    /// it. A category that the user corrected stays, and stays marked, when an insight without `isCorrected`
    /// replaces it. Removed together with the email.
    case putInsight(EmailInsight)
    /// Adds or replaces a document. Its account, if it has one, must exist.
    case putDocument(Document)
    /// Removes a document. It is not an error if there is none.
    case destroyDocument(DocumentKey)
}

/// A patch of an email's keywords and mailboxes, the only parts that can change (RFC 8621, section 4.6).
public struct EmailUpdate: Sendable, Hashable, Codable {
    /// The email to patch.
    public var id: Id<Email>
    /// The email's account.
    public var accountID: Id<Account>
    /// Keywords to add; those already there stay.
    public var addKeywords: Set<Keyword>
    /// Keywords to remove; missing ones are ignored.
    public var removeKeywords: Set<Keyword>
    /// Mailboxes to put it into. They must exist.
    public var addMailboxes: Set<Id<Mailbox>>
    /// Mailboxes to take it out of. Afterwards it must still be in at least one, otherwise the commit throws
    /// `.invalid`.
    public var removeMailboxes: Set<Id<Mailbox>>

    public init(
        _ id: Id<Email>, in accountID: Id<Account>, addKeywords: Set<Keyword> = [],
        removeKeywords: Set<Keyword> = [], addMailboxes: Set<Id<Mailbox>> = [],
        removeMailboxes: Set<Id<Mailbox>> = []
    ) {
        self.id = id
        self.accountID = accountID
        self.addKeywords = addKeywords
        self.removeKeywords = removeKeywords
        self.addMailboxes = addMailboxes
        self.removeMailboxes = removeMailboxes
    }
}

/// The result of a commit.
public struct CommitResult: Sendable, Hashable, Codable {
    /// The new state of each type and account that changed; empty if nothing changed.
    public var states: [StateChange]

    public init(states: [StateChange]) {
        self.states = states
    }

    /// The new state of one type.
    public struct StateChange: Sendable, Hashable, Codable {
        /// The type whose records changed.
        public var type: DataType
        /// Their account; nil for types that belong to no account.
        public var accountID: Id<Account>?
        /// The state after the commit.
        public var state: State

        public init(_ type: DataType, in accountID: Id<Account>?, _ state: State) {
            self.type = type
            self.accountID = accountID
            self.state = state
        }
    }
}

/// A type of record with its own states and changes. The raw value is JMAP's name.
public struct DataType: RawRepresentable, Sendable, Hashable, Codable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// `Account` records. They belong to no account: `accountID` is nil in calls about them.
    public static let account = DataType(rawValue: "Account")
    /// `Mailbox` records and their counts.
    public static let mailbox = DataType(rawValue: "Mailbox")
    /// `Email` records.
    public static let email = DataType(rawValue: "Email")
    /// `EmailThread` records.
    public static let thread = DataType(rawValue: "Thread")
    /// `Identity` records.
    public static let identity = DataType(rawValue: "Identity")
    /// `EmailSubmission` records.
    public static let submission = DataType(rawValue: "EmailSubmission")

    /// The documents of one collection.
    public static func documents(_ collection: String) -> DataType {
        DataType(rawValue: "document:" + collection)
    }
}

/// A JMAP state. Equal texts mean that nothing has changed; the text has no other meaning. Made by the store.
public struct State: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public var description: String { rawValue }
}

/// The answer to `StorageBackend.changes`. It lists ids of the requested type; a document's id is its name.
public struct Changes: Sendable, Hashable, Codable {
    /// Records that were created since and still exist.
    public var created: [String]
    /// Older records that were changed since and still exist.
    public var updated: [String]
    /// Older records that were removed since.
    public var destroyed: [String]
    /// The state after these changes.
    public var newState: State
    /// Whether more changes follow; the kernel asks again from `newState`.
    public var hasMoreChanges: Bool
    /// For mailboxes: whether `updated` mailboxes changed in their counts only, and there are no other
    /// changes.
    public var onlyCounts: Bool

    public init(
        created: [String] = [], updated: [String] = [], destroyed: [String] = [], newState: State,
        hasMoreChanges: Bool = false, onlyCounts: Bool = false
    ) {
        self.created = created
        self.updated = updated
        self.destroyed = destroyed
        self.newState = newState
        self.hasMoreChanges = hasMoreChanges
        self.onlyCounts = onlyCounts
    }
}
