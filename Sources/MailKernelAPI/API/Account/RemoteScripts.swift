/// The Sieve scripts that a service keeps and runs on arriving mail (RFC 5804). At most one of them is active.
public struct RemoteScripts: Sendable, Hashable, Codable {
    /// A script at the service.
    public struct Script: Sendable, Hashable, Codable {
        /// Not empty, and unique at the service.
        public var name: String
        /// Whether the service runs it.
        public var isActive: Bool

        public init(name: String, isActive: Bool) {
            self.name = name
            self.isActive = isActive
        }
    }

    /// The Sieve extensions that scripts can use, as the service spells them.
    public var extensions: Set<String>
    /// Every script, whichever program wrote it.
    public var scripts: [Script]
    /// What scripts call the mailboxes that they can file into. One that is missing cannot be named.
    public var mailboxNames: [RemoteMailboxID: String]
    /// Whether the service keeps keywords that a script invents, so that they come with the message.
    public var keepsKeywords: Bool

    public init(
        extensions: Set<String>, scripts: [Script], mailboxNames: [RemoteMailboxID: String] = [:],
        keepsKeywords: Bool = true
    ) {
        self.extensions = extensions
        self.scripts = scripts
        self.mailboxNames = mailboxNames
        self.keepsKeywords = keepsKeywords
    }
}
