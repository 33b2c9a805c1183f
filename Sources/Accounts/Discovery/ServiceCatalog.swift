import MailKernelAPI
import Network

/// A way to add an account, with its plugin.
struct PluginSetup: Sendable, Hashable {
    let pluginID: String
    let setup: AccountSetup

    /// Names the setup among those of all plugins.
    var id: String { pluginID + "/" + setup.id }
}

/// The services and protocols that the loaded plugins know: the built-in list.
struct ServiceCatalog: Sendable {
    typealias Match = (offer: PluginSetup, service: KnownService)

    private let offers: [PluginSetup]

    init(_ setups: [(pluginID: String, setup: AccountSetup)]) {
        offers = setups.filter { $0.setup.kind == .account }.map {
            PluginSetup(pluginID: $0.pluginID, setup: $0.setup)
        }
    }

    /// The service with addresses at this domain.
    func service(ofDomain domain: String) -> Match? { best { $0.domains.contains(domain) } }

    /// The service that receives the mail of a domain with these mail hosts.
    func service(ofMailHosts records: [NameRecord]) -> Match? {
        let hosts = records.filter { $0.kind == .mx }.map(\.value)
        return best { service in
            service.mailHosts.contains { known in hosts.contains { $0 == known || $0.hasSuffix("." + known) }
            }
        }
    }

    /// The service that this IMAP server belongs to.
    func service(ofServer server: DiscoveredServer?) -> Match? {
        guard let host = server?.endpoint.host else { return nil }
        return best { $0.incoming?.endpoint.host == host && $0.refusal.isEmpty }
    }

    /// The setup for any service with this protocol.
    func setup(for wanted: MailProtocol) -> PluginSetup? {
        offers.first { $0.setup.protocols.contains(wanted) }
    }

    /// Every setup that adds accounts of a service, the best first: such as one with the browser and one with a password,
    /// or one through JMAP and one through IMAP.
    func setups(for service: KnownService) -> [String] {
        let all = offers.filter { offer in offer.setup.services.contains { $0.isSame(as: service) } }
        return
            (all.filter { !$0.setup.protocols.contains(.imap) }
            + all.filter { $0.setup.protocols.contains(.imap) }).map(\.id)
    }

    /// One that can be added before one that cannot, and JMAP and a service's own plugin before IMAP.
    private func best(_ isWanted: (KnownService) -> Bool) -> Match? {
        let all = offers.flatMap { offer in
            offer.setup.services.filter(isWanted).map { (offer: offer, service: $0) }
        }
        func rank(_ match: Match) -> Int {
            if !match.service.refusal.isEmpty { return 3 }
            return match.offer.setup.protocols.contains(.imap) ? 2 : 1
        }
        return all.enumerated().min {
            (rank($0.element), $0.offset) < (rank($1.element), $1.offset)
        }?.element
    }
}

extension KnownService {
    /// Two plugins can know the same service, each with its own protocol.
    fileprivate func isSame(as other: KnownService) -> Bool {
        guard refusal.isEmpty, other.refusal.isEmpty else { return false }
        return self == other || !Set(domains).isDisjoint(with: other.domains)
            || !Set(mailHosts).isDisjoint(with: other.mailHosts)
    }
}
