import FoundationEssentials
import MailKernelAPI
import Network

/// Finds the servers of a domain by asking: first the domain itself, then the mail host behind it, then Mozilla's
/// public database, and finally the usual names.
struct ServiceSearch: Sendable {
    static let database = "autoconfig.thunderbird.net"

    let domain: MailDomain
    let network: DiscoveryNetwork
    let catalog: ServiceCatalog
    private let contact: Contact

    init(domain: MailDomain, network: DiscoveryNetwork, catalog: ServiceCatalog) {
        contact = Contact()
        self.domain = domain
        self.network = network.noting(contact)
        self.catalog = catalog
    }

    /// - Parameter report: called with what happens next, for the user.
    func run(_ report: @escaping @Sendable (String) async -> Void) async -> Discovery.Result {
        await report("Asking \(domain.name)")
        let own = await ownAnswers()
        if let finding = finding(own.compactMap(\.finding)) { return .found(finding) }
        if Task.isCancelled { return .nothing(.nothingFound) }
        // Without a network, the others would only be waited for.
        if contact.obstacle == .offline { return .nothing(.offline) }
        // A name server that has been silent so far would only be waited for again.
        let records = contact.obstacle == nil ? await network.records(domain.name, .mx) : []
        if let match = catalog.service(ofMailHosts: records) { return .of(match, for: domain, isOwn: false) }
        let host = records.first { MailDomain.isPublicHost($0.value) }?.value
        let owners = host.map { MailDomain.owners(ofMailHost: $0) } ?? []
        if let host {
            await report("Asking the mail host \(host)")
            if let finding = await first(owners.filter { $0 != domain.name }, mailHostAnswer) {
                return .found(finding)
            }
        }
        await report("Asking \(Self.database)")
        if let finding = await first([domain.name] + owners.filter { $0 != domain.name }, databaseAnswer) {
            return .found(finding)
        }
        if own.contains(where: \.isUnencrypted) {
            return .nothing(.unencrypted(domain: domain.name))
        }
        // The database knows of every domain that it knows nothing of it. Silence is about the network.
        if let obstacle = contact.obstacle { return .nothing(obstacle) }
        await report("Trying the usual server names")
        if let finding = await first([domain.name], guess) { return .found(finding) }
        return .nothing(.nothingFound)
    }

    // MARK: Asking

    private struct Answer: Sendable {
        var finding: Finding?
        var isUnencrypted = false
    }

    /// What the domain itself says, the best first.
    private func ownAnswers() async -> [Answer] {
        async let newer = newerFile()
        async let file = answer(
            "https://autoconfig.\(domain.name)/mail/config-v1.1.xml?emailaddress=\(domain.encodedAddress)",
            of: domain.name, by: .file(domain.name))
        async let wellKnown = answer(
            "https://\(domain.name)/.well-known/autoconfig/mail/config-v1.1.xml",
            of: domain.name, by: .file(domain.name))
        async let records = serviceRecords()
        async let session = network.jmapSession(of: domain)
        var all = await [newer, file, wellKnown]
        let fromRecords = await records.safe
        let ownSession = await session
        // Older files cannot name JMAP, which the domain may offer all the same.
        let named = fromRecords.jmap.flatMap { domain.contains($0.host?.lowercased() ?? "") ? $0 : nil }
        if let jmap = named ?? ownSession {
            for index in all.indices where all[index].finding?.servers.jmap == nil {
                all[index].finding?.servers.jmap = jmap
            }
        }
        if let ownSession, named == nil {
            let servers = FoundServers(jmap: ownSession)
            all.append(Answer(finding: Finding(servers: servers, origin: .file(domain.name))))
        }
        all.append(Answer(finding: Finding(servers: fromRecords, origin: .records)))
        return all
    }

    private func newerFile() async -> Answer {
        async let file = network.file(
            "https://ua-auto-config.\(domain.name)/.well-known/user-agent-configuration.json",
            of: domain.name)
        let records = await network.records("_ua-auto-config.\(domain.name)", .txt)
        guard let file = await file, let servers = PACCReader.read(file, confirmedBy: records) else {
            return Answer()
        }
        return Answer(finding: Finding(servers: servers.safe, origin: .file(domain.name)))
    }

    private func answer(_ address: String, of asked: String, by origin: Finding.Origin) async -> Answer {
        guard let file = await network.file(address, of: asked) else { return Answer() }
        switch AutoconfigReader.read(file, for: domain) {
        case .found(let servers): return Answer(finding: Finding(servers: servers.safe, origin: origin))
        case .unencrypted: return Answer(isUnencrypted: true)
        case nil: return Answer()
        }
    }

    /// RFC 6186, RFC 8314 and RFC 8620, section 2.2.
    private func serviceRecords() async -> FoundServers {
        async let jmap = service("_jmap")
        async let incoming = (service("_imaps"), service("_imap"))
        async let outgoing = (service("_submissions"), service("_submission"))
        func server(_ both: (NameRecord?, NameRecord?)) -> DiscoveredServer? {
            both.0.map { DiscoveredServer($0.value, port: $0.port) }
                ?? both.1.map { DiscoveredServer($0.value, port: $0.port, security: .startTLS) }
        }
        var found = FoundServers(incoming: server(await incoming), submission: server(await outgoing))
        found.jmap = await jmap.flatMap { record in
            let port = record.port == 443 ? "" : ":\(record.port)"
            return URL(string: "https://\(record.value)\(port)/.well-known/jmap")
        }
        return found
    }

    /// An empty target says that there is none (RFC 2782); one that cannot be on the internet is passed over.
    private func service(_ name: String) async -> NameRecord? {
        let records = await network.records("\(name)._tcp.\(domain.name)", .srv)
        return records.first { MailDomain.isPublicHost($0.value) && $0.port > 0 }
    }

    /// What the owner of the mail host says. Only the DNS names it, and anyone may have written that, so it is not
    /// given the address.
    private func mailHostAnswer(_ owner: String) async -> Finding? {
        if let match = catalog.service(ofDomain: owner), match.service.refusal.isEmpty,
            match.service.incoming != nil
        {
            return Finding(match: match, origin: .mailHost(owner))
        }
        return await answer(
            "https://autoconfig.\(owner)/mail/config-v1.1.xml", of: owner, by: .mailHost(owner)
        ).finding
    }

    private func databaseAnswer(_ name: String) async -> Finding? {
        await answer("https://\(Self.database)/v1.1/\(name)", of: Self.database, by: .database).finding
    }

    private func guess(_ name: String) async -> Finding? {
        async let imap = server(["imap", "mail"], below: name, port: 993)
        async let smtp = server(["smtp", "mail"], below: name, port: 465)
        let servers = FoundServers(incoming: await imap, submission: await smtp)
        return servers.hasMail ? Finding(servers: servers, origin: .guess) : nil
    }

    private func server(_ names: [String], below domain: String, port: Int) async -> DiscoveredServer? {
        for name in names {
            let server = DiscoveredServer("\(name).\(domain)", port: port)
            if await network.answers(server) { return server }
        }
        return nil
    }

    // MARK: Choosing

    /// The first answer about one of these names that a loaded plugin can use; those after it are not asked about.
    private func first(_ names: [String], _ ask: (String) async -> Finding?) async -> Finding? {
        for name in names where !Task.isCancelled {
            if let answer = await ask(name), let finding = finding([answer]) { return finding }
        }
        return nil
    }

    /// The first that a loaded plugin can add; POP3 if there is nothing else.
    private func finding(_ all: [Finding]) -> Finding? {
        for var finding in all.filter({ !$0.servers.isPOP3 }) + all.filter(\.servers.isPOP3) {
            if let match = finding.match ?? catalog.service(ofServer: finding.servers.incoming) {
                finding.adopt(match, domain)
                return finding
            }
            if finding.servers.jmap != nil, let offer = catalog.setup(for: .jmap) {
                finding.choose(.jmap, offer, domain)
                return finding
            }
            if finding.servers.hasMail, let offer = catalog.setup(for: .imap) {
                finding.choose(.imap, offer, domain)
                return finding
            }
        }
        return nil
    }
}
