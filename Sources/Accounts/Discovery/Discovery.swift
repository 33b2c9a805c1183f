import MailKernelAPI

/// The search for the mail service of an address, as shown to the user.
package struct Discovery: Sendable, Hashable {
    package enum Phase: String, Sendable {
        /// The user must first allow `servers` to be asked.
        case asking
        case working
        case found
        case failed
    }

    /// How a search ended.
    enum Result: Sendable {
        case found(Finding)
        case nothing(Obstacle)

        /// A service of a plugin's list.
        static func of(_ match: ServiceCatalog.Match, for domain: MailDomain, isOwn: Bool) -> Result {
            guard match.service.refusal.isEmpty else { return .nothing(.closed(match.service.refusal)) }
            var finding = Finding(match: match, origin: isOwn ? .list : .mailHost(domain.name))
            finding.adopt(match, domain)
            return .found(finding)
        }
    }

    package let id: String
    package let address: String
    package internal(set) var phase: Phase
    /// Who is asked, for the question.
    package internal(set) var servers: [String] = []
    /// What was done so far, in words.
    package internal(set) var steps: [String] = []
    /// The result in one line.
    package internal(set) var line: String?
    /// What the user must know before continuing.
    package internal(set) var warning: String?
    /// The setups that add the account, or the one with a form for entering its servers; the best first.
    package internal(set) var setupIDs: [String] = []
    package internal(set) var serviceName: String?
    /// Whether the service is on the built-in list, so that nothing was asked and nothing need be shown.
    package internal(set) var isKnown = false
    /// Why nothing was found.
    package internal(set) var obstacle: Obstacle?
    package var problem: String? { obstacle?.sentence }
    /// Whether nothing was found because the user has forbidden to ask servers.
    package var isRefused: Bool { obstacle == .refused }
    /// Whether nothing was found because there is no network, so that the same search may succeed later.
    package var isOffline: Bool { obstacle?.passes == true }
    /// What the plugin is told.
    var service: DiscoveredService?
}
