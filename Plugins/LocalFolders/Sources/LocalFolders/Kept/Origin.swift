import FoundationEssentials

/// What is known here about a message on the server.
public struct Origin: Sendable, Hashable {
    /// What the server calls it, unique in the account.
    public var name: String
    /// The size that the server stated.
    public var statedSize: Int
    /// Whether all of it is stored here, as far as can be told. Only then may it be deleted on the server.
    public var isWhole: Bool
    /// Without angle brackets; nil if it has none.
    public var messageID: String?
    /// When it was fetched.
    public var fetchedAt: Date
    /// Since when the server no longer has it; nil if it had it at the last visit.
    public var missingSince: Date?
    /// Whether the user deleted it here, for good or into the trash.
    public var isDeleted: Bool

    public init(
        name: String, statedSize: Int, isWhole: Bool = true, messageID: String? = nil, fetchedAt: Date,
        missingSince: Date? = nil, isDeleted: Bool = false
    ) {
        self.name = name
        self.statedSize = statedSize
        self.isWhole = isWhole
        self.messageID = messageID
        self.fetchedAt = fetchedAt
        self.missingSince = missingSince
        self.isDeleted = isDeleted
    }
}

/// A change of what is known about the messages on the server.
public enum OriginChange: Sendable, Hashable {
    /// The server has no such message any more, from this time on; nil if it has it again.
    case missing(String, since: Date?)
    /// The server states another size for it now.
    case size(String, Int)
    /// It will not be fetched, and not be deleted on the server either.
    case skipped(String, size: Int, at: Date)
    /// It need not be remembered.
    case forgotten(String)
    /// How many visits in a row found nothing but new names for known messages.
    case renamings(Int)
}

/// The tables beside those of the index. They came later, so an index may lack them.
enum OriginTable {
    static let schema = """
        CREATE TABLE IF NOT EXISTS origin (
            name TEXT PRIMARY KEY, size INTEGER NOT NULL, whole INTEGER NOT NULL, digest BLOB, message TEXT,
            message_id TEXT, fetched REAL NOT NULL, missing REAL) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS origin_digest ON origin (digest);
        CREATE TABLE IF NOT EXISTS renamings (visits INTEGER NOT NULL);
        CREATE TABLE IF NOT EXISTS underway (message_id TEXT PRIMARY KEY) WITHOUT ROWID;
        """
}
