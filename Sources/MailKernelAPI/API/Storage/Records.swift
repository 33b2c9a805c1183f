public import FoundationEssentials

/// One appearance of an address in a message's header.
public struct ContactSighting: Sendable, Hashable, Codable {
    /// The address with its name. A missing name does not remove a known one.
    public var address: EmailAddress
    /// When the message was received or sent.
    public var seenAt: Date

    public init(address: EmailAddress, seenAt: Date) {
        self.address = address
        self.seenAt = seenAt
    }
}

/// A correspondent for autocomplete.
public struct Contact: Sendable, Hashable, Codable {
    /// The address in lower case.
    public var email: String
    /// The name seen last; nil if none was ever seen.
    public var name: String?
    /// How often the address appeared.
    public var frequency: Int
    /// The latest `ContactSighting.seenAt`.
    public var lastSeenAt: Date

    public init(email: String, name: String?, frequency: Int, lastSeenAt: Date) {
        self.email = email
        self.name = name
        self.frequency = frequency
        self.lastSeenAt = lastSeenAt
    }
}

/// The results of a model for one email, with the user's correction.
public struct EmailInsight: Sendable, Hashable, Codable {
    /// The email.
    public var emailID: Id<Email>
    /// The email's account.
    public var accountID: Id<Account>
    /// The model that made it, in the kernel's own naming; empty if the email has a summary but is not sorted
    /// yet.
    public var modelID: String
    /// The email's category.
    public var category: EmailCategory
    /// Whether the user chose the category. Insights by models do not change it then.
    public var isCorrected: Bool
    /// The kernel's record of the thread's summary; nil if there is none. A store keeps it without reading
    /// it.
    public var summary: String?
    /// A vector of length 1 for `StorageInsights.nearestEmails`; empty if there is none.
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

/// A small record of the kernel, which the store keeps without interpreting it: a preference, a trusted
/// sender, a sync cursor.
public struct Document: Sendable, Hashable, Codable {
    /// Identifies the document.
    public var key: DocumentKey
    /// Any JSON. It must come back equal.
    public var value: JSONValue

    public init(_ key: DocumentKey, value: JSONValue) {
        self.key = key
        self.value = value
    }
}

/// Identifies a document: collection, account and name together.
public struct DocumentKey: Sendable, Hashable, Codable {
    /// The kind of document. Each collection has its own states: see `DataType.documents`.
    public var collection: String
    /// The account it belongs to, and is removed with; nil for none.
    public var accountID: Id<Account>?
    /// Unique in its collection and account. Pages are sorted by it.
    public var name: String

    public init(_ collection: String, _ name: String, accountID: Id<Account>? = nil) {
        self.collection = collection
        self.accountID = accountID
        self.name = name
    }
}

/// A blob without its bytes.
public struct BlobInfo: Sendable, Hashable, Codable {
    /// How long a store keeps a blob.
    public enum Retention: String, Sendable, Codable {
        /// Can be fetched again. Remove the least recently used ones while the account's cache is over its
        /// limit, but never the one used last, however large.
        case cached
        /// Exists nowhere else: drafts, snapshots, uploads. Stays until it is removed.
        case kept
    }

    /// Made by the kernel, unique in the account.
    public var id: Id<Blob>
    /// The account it belongs to, and is removed with.
    public var accountID: Id<Account>
    /// The media type, such as `message/rfc822`.
    public var type: String
    /// The file name; nil if there is none. Not safe as a path.
    public var name: String?
    /// The number of bytes. Set by the store; ignored when a blob is written.
    public var size: Int
    /// How long to keep it.
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

/// Bytes that the store takes, by use. Shown in Settings.
public struct StorageUsage: Sendable, Hashable, Codable {
    /// Bytes that one account uses. Estimates are fine.
    public struct PerAccount: Sendable, Hashable, Codable {
        /// The account.
        public var accountID: Id<Account>
        /// Emails, their texts, and insights.
        public var mail: Int
        /// Blobs, both cached and kept.
        public var attachments: Int
        /// The search index.
        public var searchIndex: Int

        public init(accountID: Id<Account>, mail: Int, attachments: Int, searchIndex: Int) {
            self.accountID = accountID
            self.mail = mail
            self.attachments = attachments
            self.searchIndex = searchIndex
        }

        /// The three together.
        public var total: Int { mail + attachments + searchIndex }
    }

    /// One entry per account.
    public var accounts: [PerAccount]
    /// Everything that the store takes, unused space and logs included.
    public var total: Int
    /// The bytes that `clearCache` would free, insights included.
    public var clearable: Int

    public init(accounts: [PerAccount], total: Int, clearable: Int) {
        self.accounts = accounts
        self.total = total
        self.clearable = clearable
    }
}
