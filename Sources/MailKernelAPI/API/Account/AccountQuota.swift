/// A limit that a service sets, and how much of it is used: the object of RFC 9425.
public struct AccountQuota: Sendable, Hashable, Codable {
    /// What is counted.
    public enum ResourceType: String, Sendable, Codable {
        /// Messages, or whatever `types` names.
        case count
        /// Bytes.
        case octets
    }

    /// Whose use is counted.
    public enum Scope: String, Sendable, Codable {
        /// This account's.
        case account
        /// That of all accounts of the domain.
        case domain
        /// That of the whole service.
        case global
    }

    /// Made by the provider, unique in the account, and valid in JMAP. It stays the same when the quotas are read again.
    public var id: Id<AccountQuota>
    /// What is counted.
    public var resourceType: ResourceType
    /// How much is used. It can exceed the limit.
    public var used: Int
    /// Nothing can be added beyond this.
    public var hardLimit: Int
    /// Beyond this, the service restricts some things; nil if it names none.
    public var softLimit: Int?
    /// Beyond this, the service warns; nil if it names none.
    public var warnLimit: Int?
    /// Whose use is counted.
    public var scope: Scope
    /// What the service calls it; empty if it has no name.
    public var name: String
    /// The service's explanation; nil if there is none.
    public var explanation: String?
    /// The JMAP types of data that it limits, such as `Mail` or `Calendar`. Never empty.
    public var types: [String]

    public init(
        id: Id<AccountQuota>, resourceType: ResourceType, used: Int, hardLimit: Int, softLimit: Int? = nil,
        warnLimit: Int? = nil, scope: Scope = .account, name: String = "", explanation: String? = nil,
        types: [String] = ["Mail"]
    ) {
        self.id = id
        self.resourceType = resourceType
        self.used = used
        self.hardLimit = hardLimit
        self.softLimit = softLimit
        self.warnLimit = warnLimit
        self.scope = scope
        self.name = name
        self.explanation = explanation
        self.types = types
    }
}
