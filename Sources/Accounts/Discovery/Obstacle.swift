extension Discovery {
    /// Why a search found no servers.
    package enum Obstacle: Sendable, Hashable {
        /// All were asked, and none knows the address.
        case nothingFound
        /// The user has forbidden to ask servers.
        case refused
        /// The domain is not on the internet, or no server can be asked from here.
        case notAllowedHere
        /// This device has no network connection.
        case offline
        /// The device has a network, but no server responded, not even the name server.
        case unreachable
        /// The servers that this domain names work without encryption only.
        case unencrypted(domain: String)
        /// The service lets no other mail programs in; its plugin says why.
        case closed(String)

        /// Whether the same search may succeed in a moment.
        package var passes: Bool { self == .offline || self == .unreachable }

        /// What the user reads.
        package var sentence: String {
            switch self {
            case .nothingFound:
                "No settings were found for this address. Enter the servers that your mail service names in its "
                    + "help."
            case .refused:
                "You chose not to look up servers. Enter the servers of your mail service."
            case .notAllowedHere:
                "The servers for this address cannot be looked up. Enter the servers of your mail service."
            case .offline:
                "This device has no network connection, so the servers for this address cannot be looked up."
            case .unreachable:
                "No server responded, so the servers for this address could not be looked up. Check your network "
                    + "connection."
            case .unencrypted(let domain):
                "The servers that \(domain) names work without encryption only, so mailkernel does not use them."
            case .closed(let reason): reason
            }
        }
    }
}
