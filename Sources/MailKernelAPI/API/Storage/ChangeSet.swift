/// Changes that happen together or not at all.
public struct ChangeSet: Sendable, Codable {
    /// States that must still hold, or nothing is changed.
    public var preconditions: [Precondition]
    /// Applied in this order; a later one sees what an earlier one did.
    public var changes: [StorageChange]

    public init(_ changes: [StorageChange] = [], preconditions: [Precondition] = []) {
        self.changes = changes
        self.preconditions = preconditions
    }

    public struct Precondition: Sendable, Hashable, Codable {
        public var type: DataType
        public var accountID: Id<Account>?
        public var state: State

        public init(_ type: DataType, in accountID: Id<Account>?, is state: State) {
            self.type = type
            self.accountID = accountID
            self.state = state
        }
    }
}

public enum StorageChange: Sendable, Codable {
    /// Adds an account or replaces its settings. Its mail is not touched. Accounts are removed with
    /// `StorageBackend.removeAccount`.
    case putAccount(Account)
    /// Adds or replaces a mailbox. Its account must exist, and so must its parent.
    case putMailbox(Mailbox)
    /// Removes a mailbox; it is `.invalid` if it has children. Emails that were in no other are
    /// removed with it. What is destroyed here and in the cases below has to be there.
    case destroyMailbox(Id<Mailbox>, in: Id<Account>)
    /// Adds an email, or replaces it as a whole. The store gives it its thread.
    case putEmail(Email, EmailBody)
    /// Patches an email. What is both removed and added is there afterwards.
    case updateEmail(EmailUpdate)
    case destroyEmail(Id<Email>, in: Id<Account>)
    case putIdentity(Identity)
    case destroyIdentity(Id<Identity>, in: Id<Account>)
    case putSubmission(EmailSubmission)
    case destroySubmission(Id<EmailSubmission>, in: Id<Account>)
    /// Notes what the provider calls an email: one name per email and feed, one email per name, a
    /// later note replacing earlier ones. It goes with the email.
    case putRemote(RemoteRef)
    /// Forgets a name. There being none is not an error.
    case removeRemote(RemoteMessageID, feed: FeedID, in: Id<Account>)
    /// Counts appearances in mail headers. Once all are counted, past 10,000 contacts of an account
    /// the least frequent go, of equals those not seen for longest.
    case countContacts([ContactSighting], in: Id<Account>)
    /// Adds or replaces what a model made of an email: one insight per email, whichever the model.
    /// A category that the user has corrected stays, and stays marked so, when an insight without
    /// `isCorrected` replaces it. It goes with the email.
    case putInsight(EmailInsight)
    /// Adds or replaces a document. Its account, if it has one, must exist.
    case putDocument(Document)
    /// Removes a document. There being none is not an error.
    case destroyDocument(DocumentKey)
}

/// A patch of the parts of an email that can change (RFC 8621, section 4.6).
public struct EmailUpdate: Sendable, Hashable, Codable {
    public var id: Id<Email>
    public var accountID: Id<Account>
    public var addKeywords: Set<Keyword>
    public var removeKeywords: Set<Keyword>
    public var addMailboxes: Set<Id<Mailbox>>
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

public struct CommitResult: Sendable, Hashable, Codable {
    /// The new states of the types that were changed.
    public var states: [StateChange]

    public init(states: [StateChange]) {
        self.states = states
    }

    public struct StateChange: Sendable, Hashable, Codable {
        public var type: DataType
        public var accountID: Id<Account>?
        public var state: State

        public init(_ type: DataType, in accountID: Id<Account>?, _ state: State) {
            self.type = type
            self.accountID = accountID
            self.state = state
        }
    }
}

/// A type of record that has states and changes of its own.
public struct DataType: RawRepresentable, Sendable, Hashable, Codable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let account = DataType(rawValue: "Account")
    public static let mailbox = DataType(rawValue: "Mailbox")
    public static let email = DataType(rawValue: "Email")
    public static let thread = DataType(rawValue: "Thread")
    public static let identity = DataType(rawValue: "Identity")
    public static let submission = DataType(rawValue: "EmailSubmission")

    /// The documents of a collection.
    public static func documents(_ collection: String) -> DataType {
        DataType(rawValue: "document:" + collection)
    }
}

/// A JMAP state: equal texts mean that nothing has changed. It means nothing else.
public struct State: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public var description: String { rawValue }
}

/// The answer to `StorageBackend.changes`. The ids are those of the type asked for; a document's is
/// its name.
public struct Changes: Sendable, Hashable, Codable {
    public var created: [String]
    public var updated: [String]
    public var destroyed: [String]
    public var newState: State
    public var hasMoreChanges: Bool
    /// For mailboxes: some were updated, only in their counts, and nothing else has changed.
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
