public import FoundationEssentials

/// A mail account: one JMAP account.
public struct Account: Sendable, Hashable, Codable {
    /// Whether the account can reach its service.
    public enum Status: String, Sendable, Codable {
        /// In use: the kernel syncs it and sends from it.
        case active
        /// Its sign-in is no longer valid. Mail stays readable and queued messages stay queued until the user
        /// signs in again.
        case inactive
    }

    /// Made by the kernel when the account is added; never changes.
    public var id: Id<Account>
    /// The `id` of the plugin that serves it.
    public var pluginID: String
    /// The email address from `ValidatedAccount.address`; never changes.
    public var address: String
    /// The name shown for the account. The user can change it.
    public var displayName: String
    /// Set by the kernel.
    public var status: Status
    /// How many days of mail are kept on this device: 7, 14, 30, 60 or 90, as the user chose. Ignored for
    /// `.local` accounts.
    public var syncWindowDays: Int
    /// How many bytes of cached blobs the store keeps for this account, as the user chose. A store removes
    /// the least recently used ones beyond it.
    public var attachmentCacheLimit: Int
    /// When the user added the account.
    public var addedAt: Date
    /// The provider's own values from `AccountCandidate.settings`: servers, ports, user name. Never a secret.
    /// The kernel does not interpret them.
    public var settings: [String: JSONValue]

    public init(
        id: Id<Account>, pluginID: String, address: String, displayName: String, status: Status = .active,
        syncWindowDays: Int = 30, attachmentCacheLimit: Int = 500_000_000, addedAt: Date,
        settings: [String: JSONValue] = [:]
    ) {
        self.id = id
        self.pluginID = pluginID
        self.address = address
        self.displayName = displayName
        self.status = status
        self.syncWindowDays = syncWindowDays
        self.attachmentCacheLimit = attachmentCacheLimit
        self.addedAt = addedAt
        self.settings = settings
    }
}
