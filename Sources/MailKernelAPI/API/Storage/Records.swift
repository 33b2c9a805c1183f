public import FoundationEssentials

/// One appearance of an address in a message's header.
public struct ContactSighting: Sendable, Hashable, Codable {
    public var address: EmailAddress
    public var seenAt: Date

    public init(address: EmailAddress, seenAt: Date) {
        self.address = address
        self.seenAt = seenAt
    }
}

/// Somebody the user has mail from or to, as autocomplete shows them.
public struct Contact: Sendable, Hashable, Codable {
    /// In lower case.
    public var email: String
    /// The name seen last; a later appearance without a name does not take it away.
    public var name: String?
    public var frequency: Int
    public var lastSeenAt: Date

    public init(email: String, name: String?, frequency: Int, lastSeenAt: Date) {
        self.email = email
        self.name = name
        self.frequency = frequency
        self.lastSeenAt = lastSeenAt
    }
}

public enum EmailCategory: String, Sendable, Codable, CaseIterable {
    case primary, social, promotions, updates, forums, uncategorized
}

/// What a model, or the user correcting it, made of an email.
public struct EmailInsight: Sendable, Hashable, Codable {
    public var emailID: Id<Email>
    public var accountID: Id<Account>
    /// The model that made it.
    public var modelID: String
    public var category: EmailCategory
    /// The user chose the category: no model may change it.
    public var isCorrected: Bool
    public var summary: String?
    /// Of length 1, or empty if there is none.
    public var embedding: [Float]

    public init(
        emailID: Id<Email>, accountID: Id<Account>, modelID: String, category: EmailCategory,
        isCorrected: Bool = false, summary: String? = nil, embedding: [Float] = []
    ) {
        self.emailID = emailID
        self.accountID = accountID
        self.modelID = modelID
        self.category = category
        self.isCorrected = isCorrected
        self.summary = summary
        self.embedding = embedding
    }
}

/// A small record of the kernel's own, which the store keeps without understanding it: a preference,
/// a trusted sender, a sync cursor.
public struct Document: Sendable, Hashable, Codable {
    public var key: DocumentKey
    public var value: JSONValue

    public init(_ key: DocumentKey, value: JSONValue) {
        self.key = key
        self.value = value
    }
}

public struct DocumentKey: Sendable, Hashable, Codable {
    public var collection: String
    /// Nil for what belongs to no account. Documents of an account go with it.
    public var accountID: Id<Account>?
    public var name: String

    public init(_ collection: String, _ name: String, accountID: Id<Account>? = nil) {
        self.collection = collection
        self.accountID = accountID
        self.name = name
    }
}

public struct BlobInfo: Sendable, Hashable, Codable {
    public enum Retention: String, Sendable, Codable {
        /// Can be fetched again: goes when the account's cache is over its limit, least recently
        /// used first. The one used last stays, however large it is.
        case cached
        /// Exists nowhere else: drafts, snapshots, uploads. Stays until it is removed.
        case kept
    }

    public var id: Id<Blob>
    public var accountID: Id<Account>
    public var type: String
    public var name: String?
    /// Set by the store.
    public var size: Int
    public var retention: Retention

    public init(
        id: Id<Blob>, accountID: Id<Account>, type: String, name: String? = nil, size: Int = 0,
        retention: Retention
    ) {
        self.id = id
        self.accountID = accountID
        self.type = type
        self.name = name
        self.size = size
        self.retention = retention
    }
}

/// Bytes on the disk, by what they are for.
public struct StorageUsage: Sendable, Hashable, Codable {
    public struct PerAccount: Sendable, Hashable, Codable {
        public var accountID: Id<Account>
        public var mail: Int
        public var attachments: Int
        public var searchIndex: Int

        public init(accountID: Id<Account>, mail: Int, attachments: Int, searchIndex: Int) {
            self.accountID = accountID
            self.mail = mail
            self.attachments = attachments
            self.searchIndex = searchIndex
        }

        public var total: Int { mail + attachments + searchIndex }
    }

    public var accounts: [PerAccount]
    /// All files of the store, free pages and logs included.
    public var total: Int
    /// What `clearCache` would free, insights included.
    public var clearable: Int

    public init(accounts: [PerAccount], total: Int, clearable: Int) {
        self.accounts = accounts
        self.total = total
        self.clearable = clearable
    }
}
