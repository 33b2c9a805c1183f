import FoundationEssentials
import MailKernelAPI

/// Servers that were found, where, and which plugin adds them.
struct Finding: Sendable {
    /// Who named the servers.
    enum Origin: Sendable, Hashable {
        /// A plugin's list.
        case list
        /// A file at the domain, over verified HTTPS: the domain vouches for any host in it.
        case file(String)
        /// The DNS, which vouches for nothing.
        case records
        /// A file of the host that receives the domain's mail, which only the DNS names.
        case mailHost(String)
        /// Mozilla's database, a third party.
        case database
        /// The usual names below the domain.
        case guess
    }

    var servers: FoundServers
    let origin: Origin
    /// The service of a plugin's list that they belong to.
    var match: ServiceCatalog.Match?
    private(set) var offer: PluginSetup?
    private(set) var chosen: MailProtocol?
    /// The hosts that the user must confirm, because the domain does not vouch for them.
    private(set) var foreignHosts: [String] = []

    init(servers: FoundServers, origin: Origin) {
        self.servers = servers
        self.origin = origin
    }

    init(match: ServiceCatalog.Match, origin: Origin) {
        self.init(
            servers: FoundServers(incoming: match.service.incoming, submission: match.service.submission),
            origin: origin)
        self.match = match
    }

    /// Takes the service of a plugin's list, whose servers are known.
    mutating func adopt(_ match: ServiceCatalog.Match, _ domain: MailDomain) {
        self.match = match
        offer = match.offer
        servers = FoundServers(incoming: match.service.incoming, submission: match.service.submission)
    }

    mutating func choose(_ chosen: MailProtocol, _ offer: PluginSetup, _ domain: MailDomain) {
        self.chosen = chosen
        self.offer = offer
        switch origin {
        case .list, .file: foreignHosts = []
        case .records, .mailHost, .database, .guess:
            foreignHosts = servers.allHosts(through: chosen).filter { !domain.contains($0.lowercased()) }
        }
    }

    func service(for domain: MailDomain) -> DiscoveredService {
        DiscoveredService(
            address: domain.address, userName: servers.userName, knownID: match?.service.id,
            incoming: servers.incoming, submission: servers.submission,
            jmap: chosen == .jmap ? servers.jmap : nil, authentication: servers.authentication,
            source: match?.service.name ?? source(domain))
    }

    private func source(_ domain: MailDomain) -> String {
        switch origin {
        case .list, .guess: ""
        case .file(let name), .mailHost(let name): name
        case .records: domain.name
        case .database: ServiceSearch.database
        }
    }

    // MARK: Words

    /// The result in one line.
    func line(for domain: MailDomain) -> String {
        if let match {
            let name = match.service.name
            let places = servers.hasMail ? "\(name): \(places)" : name
            return switch origin {
            case .list: places
            case .mailHost: "\(places), because mail for \(domain.name) is delivered there"
            case .file, .records, .database, .guess: "\(places), according to \(source(domain))"
            }
        }
        switch origin {
        case .guess: return "\(places), found by trying the usual names"
        case .records: return "\(places), according to the DNS records of \(domain.name)"
        case .list, .file, .mailHost, .database: return "\(places), according to \(source(domain))"
        }
    }

    /// What the user has to know before a password goes there; nil if the domain vouches for the hosts.
    func warning(for domain: MailDomain) -> String? {
        guard let first = foreignHosts.first else { return nil }
        let last = foreignHosts.last ?? first
        let hosts =
            foreignHosts.count == 1
            ? first : "\(foreignHosts.dropLast().joined(separator: ", ")) and \(last)"
        let verb = foreignHosts.count == 1 ? "does" : "do"
        return
            "\(hosts) \(verb) not belong to \(domain.name). Continue only if you know that your mail is there."
    }

    private var places: String {
        let hosts = chosen.map { servers.hosts(through: $0) } ?? []
        guard let issuer = servers.issuer?.host, !hosts.contains(issuer) else { return mailPlaces }
        return mailPlaces + ", sign-in at \(issuer)"
    }

    private var mailPlaces: String {
        if chosen == .jmap, let url = servers.jmap, let host = url.host {
            return "JMAP at \(Self.place(host, url.port ?? 443, usual: [443])) over TLS"
        }
        func place(_ server: DiscoveredServer?, usual ports: Set<Int>) -> String {
            server.map { Self.place($0.endpoint.host, $0.endpoint.port, usual: ports) } ?? ""
        }
        let imap = place(servers.incoming, usual: [143, 993, 110, 995])
        let smtp = place(servers.submission, usual: [465, 587])
        let way = servers.isPOP3 ? "POP3" : "IMAP"
        return imap == smtp
            ? "\(way) and SMTP at \(imap) over TLS" : "\(way) at \(imap) and SMTP at \(smtp) over TLS"
    }

    /// A host, with its port if that is none of the usual ones.
    private static func place(_ host: String, _ port: Int, usual: Set<Int>) -> String {
        usual.contains(port) ? host : "\(host):\(port)"
    }
}
