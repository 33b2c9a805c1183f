import MailKernelAPI

/// Where a commit takes place.
struct CommitSite: Sendable {
    enum Kind: Sendable {
        /// The only server.
        case only
        /// The home server of a store with several.
        case home
        /// A server with accounts. Their records are changed here, and announced at the home server.
        case further
    }

    var kind = Kind.only
    /// Whether the account itself was committed on another server.
    var isDeed = false
    /// The accounts that have to be here. If one is not, the commit ends with `.elsewhere`.
    var expected: Set<Id<Account>> = []
}
