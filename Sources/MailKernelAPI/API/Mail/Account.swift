public import FoundationEssentials

/// A mail account: one JMAP account.
public struct Account: Sendable, Hashable, Codable {
    public enum Status: String, Sendable, Codable {
        case active
        /// Signing in failed for good; mail stays readable and queued mail stays queued.
        case inactive
    }

    public var id: Id<Account>
    /// The plugin that serves it.
    public var pluginID: String
    public var address: String
    public var displayName: String
    public var status: Status
    /// 7, 14, 30, 60 or 90.
    public var syncWindowDays: Int
    public var attachmentCacheLimit: Int
    public var addedAt: Date
    /// What the provider wants to have back: servers, ports, user name. Never a secret.
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
