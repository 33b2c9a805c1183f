import Foundation
import KernelSupport
import MailKernelAPI
import TestSupport
import Testing

@testable import Accounts
@testable import Kernel
@testable import Network
@testable import Store

/// ACC-01 … ACC-06: the service of an address is found from the address alone.
@Suite("Mail services are found from the address") struct DiscoveryTests {
    private struct Trial {
        let servers: DomainServers
        let ledger: ConnectionLedger
        let provider: SetupsOnly
        let test: TestKernel
        let domains: DiscoveryDomains

        init() async throws {
            servers = try await DomainServers()
            ledger = servers.ledger
            domains = try DiscoveryDomains.read()
            provider = domains.provider
            test = try await TestKernel(
                hasAccounts: false, providers: ["org.example.setups": provider],
                discovery: servers.network(ledger))
        }

        var discoveries: Discoveries { test.kernel.signIns.discoveries }

        func allow() async throws {
            try await test.kernel.preferences.set(["serviceSearch": "allow"])
        }

        func find(_ address: String) async throws -> Discovery {
            let begun = try #require(try await discoveries.begin(address))
            return try #require(await discoveries.settled(begun.id, within: 60))
        }
    }

    /// ACC-01: 190 of 200 domains without a server name, and an honest form for the others.
    @Test func twoHundredDomainsAreFoundOrRefusedHonestly() async throws {
        let trial = try await Trial()
        try await trial.allow()
        var found = 0
        for (kind, names) in trial.domains.domains.sorted(by: { $0.key < $1.key }) {
            let expected = try #require(trial.domains.kinds[kind])
            for name in names {
                let discovery = try await trial.find("ada@\(name)")
                let line = expected.line.replacing("{d}", with: name)
                #expect(discovery.phase.rawValue == expected.state, "\(name)")
                if !line.isEmpty {
                    #expect((discovery.line ?? discovery.problem) == line, "\(name)")
                }
                #expect((discovery.warning != nil) == expected.warns, "\(name)")
                // Where nothing was found, the form for entering servers is offered.
                #expect(!discovery.setupIDs.isEmpty, "\(name)")
                if discovery.phase == .found { found += 1 }
                await trial.discoveries.cancel(discovery.id)
            }
        }
        #expect(trial.domains.domains.values.map(\.count).reduce(0, +) == 200)
        #expect(found == 190)
    }

    /// ACC-02: no server is asked before the user has allowed it, and the answer is remembered.
    @Test func nothingIsAskedBeforeTheUserAllowsIt() async throws {
        let trial = try await Trial()
        let asking = try await trial.find("ada@bakery-autoconfig.example")
        #expect(asking.phase == .asking)
        #expect(
            asking.servers == [
                "your DNS server", "bakery-autoconfig.example",
                "the mail host behind bakery-autoconfig.example", "autoconfig.thunderbird.net",
                "the usual server names, such as imap.bakery-autoconfig.example",
            ])
        #expect(trial.servers.asked.isEmpty && trial.ledger.open.isEmpty)
        #expect(try await trial.discoveries.answer(asking.id, allows: false))
        let refused = try #require(await trial.discoveries.discovery(asking.id))
        #expect(refused.phase == .failed && refused.setupIDs == ["org.example.setups/imap"])
        // Remembered, and the built-in list still works.
        #expect(try await trial.find("ada@garden-srv.example").phase == .failed)
        #expect(
            try await trial.find("ada@gmx.de").line
                == "GMX (gmx.net): IMAP at imap.gmx.net and SMTP at mail.gmx.net over TLS")
        #expect(trial.servers.asked.isEmpty)
        // The user may think again.
        #expect(try await trial.discoveries.answer(asking.id, allows: true))
        #expect(await trial.discoveries.settled(asking.id, within: 60)?.phase == .found)
        #expect(try await trial.find("ada@garden-srv.example").phase == .found)
    }

    /// ACC-02: an answer that crosses a second one or the end of the search begins nothing.
    @Test func oneSearchIsBegunWhateverCrossesTheAnswer() async throws {
        let trial = try await Trial()
        let discoveries = trial.discoveries
        let twice = try await trial.find("ada@garden-srv.example")
        async let first = discoveries.answer(twice.id, allows: true)
        async let second = discoveries.answer(twice.id, allows: true)
        #expect(try await [first, second].filter { $0 } == [true])
        #expect(await discoveries.settled(twice.id, within: 60)?.steps.count == 1)
        try await trial.test.kernel.preferences.set(["serviceSearch": "ask"])
        let canceled = try await trial.find("ada@bakery-srv.example")
        async let answered = discoveries.answer(canceled.id, allows: true)
        await discoveries.cancel(canceled.id)
        let begun = try await answered
        #expect(begun || !trial.servers.asked.contains { $0.contains("bakery-srv") })
        #expect(await discoveries.discovery(canceled.id) == nil)
        await discoveries.stop()
        try await trial.allow()
        let late = try #require(try await discoveries.begin("ada@library-srv.example"))
        #expect(late.phase == .asking)
        #expect(!trial.servers.asked.contains { $0.contains("library-srv") })
    }

    /// ACC-02: only those are asked whom the question names, each when those before it have not answered, and only the
    /// domain learns the address.
    @Test func theQuestionNamesAllThatAreAsked() async throws {
        let trial = try await Trial()
        try await trial.allow()
        #expect(try await trial.find("ada@bakery-autoconfig.example").phase == .found)
        #expect(!trial.servers.asked.contains { $0.hasPrefix("dns MX") || $0.contains("thunderbird") })
        #expect(try await trial.find("ada@bakery-redirect.example").phase == .found)
        let asked = trial.servers.asked.map(String.init)
        #expect(
            asked.filter { $0.contains("emailaddress=") }
                == [
                    "bakery-autoconfig", "bakery-redirect",
                ].map {
                    "https autoconfig.\($0).example/mail/config-v1.1.xml?emailaddress=ada%40\($0).example"
                })
        // The redirect leads to the hoster, which is asked as the mail host only.
        let mail = try #require(asked.firstIndex { $0 == "dns MX bakery-redirect.example" })
        let hoster = try #require(asked.firstIndex { $0.contains("hoster-a") })
        #expect(mail < hoster && !asked.contains { $0.contains("thunderbird") })
    }

    /// ACC-06: a guess connects with TLS only, and leaves no connection open.
    @Test func guessesAreMadeOverTLSAndClosed() async {
        let web = OpenStreams()
        let network = DiscoveryNetwork(names: nil, web: web)
        #expect(await network.answers(DiscoveredServer("imap.a.example", port: 993)))
        #expect(web.counts.withLock { $0 == (opened: 1, closed: 1) })
        #expect(await !network.answers(DiscoveredServer("imap.a.example", port: 143, security: .startTLS)))
        #expect(web.counts.withLock { $0.opened } == 1)
    }

    /// ACC-03: each of two name servers that are asked is in the list.
    @Test func aSecondNameServerIsAskedAndListed() async throws {
        let trial = try await Trial()
        let silent = try #require(NameServer("127.0.0.1:1"))
        let real = try #require(trial.servers.nameServer)
        func records(_ servers: [NameServer]) async -> [NameRecord] {
            await SystemNames(user: "mailkernel", ledger: trial.ledger, servers: servers)
                .records("bakery-google.example", .mx, purpose: "test") ?? []
        }
        #expect(await records([silent, real]).first?.value == "aspmx.l.google.com")
        #expect(await records([real, silent]).count == 2)
        let folder = trial.servers.folder.url.appending(path: "connections")
        let ports = LedgerReader(folder: folder).page().entries.map(\.port)
        #expect(ports.filter { $0 == silent.port }.count == 1)
        #expect(ports.filter { $0 == real.port }.count == 2)
    }

    /// ACC-03: every look-up, in the DNS too, is in the list of connections.
    @Test func everyLookUpIsInTheLedger() async throws {
        let trial = try await Trial()
        try await trial.allow()
        _ = try await trial.find("ada@bakery-hoster.example")
        let folder = trial.servers.folder.url.appending(path: "connections")
        let entries = LedgerReader(folder: folder).page().entries
        let purposes = entries.flatMap(\.purposes)
        #expect(purposes.contains("find the mail service (MX bakery-hoster.example)"))
        #expect(purposes.contains("find the mail service (SRV _imaps._tcp.bakery-hoster.example)"))
        #expect(entries.contains { $0.host == "autoconfig.hoster-a.example" && $0.plugin == "mailkernel" })
    }

    /// ACC-04: the plugin begins with what was found, and the address is filled in.
    @Test func aSignInBeginsWithTheService() async throws {
        let trial = try await Trial()
        try await trial.allow()
        let discovery = try await trial.find("ada@bakery-well-known.example")
        let redirect = try #require(URL(string: "http://127.0.0.1:1/signin"))
        let signIn = try await trial.test.kernel.signIns.begin(
            discovery: discovery.id, setup: nil, changing: false, redirect: redirect)
        let form = try #require(await trial.test.kernel.signIns.settled(signIn.id, within: 10))
        #expect(form.fields?.first?.initialValue == "ada@bakery-well-known.example")
        let service = try #require(trial.provider.begun.withLock { $0.first?.discovered })
        #expect(
            service.incoming
                == DiscoveredServer("mail.bakery-well-known.example", port: 143, security: .startTLS))
        #expect(service.userName == "ada@bakery-well-known.example" && !service.isToBeChanged)
        #expect(service.authentication == [.password] && service.source == "bakery-well-known.example")
        await #expect(throws: SignInRefusal.notFound) {
            try await trial.test.kernel.signIns.begin(
                discovery: discovery.id, setup: "org.example.setups/jmap", changing: false,
                redirect: redirect)
        }
    }

    /// ACC-05: what cannot be looked up, or cannot be added, is said without asking.
    @Test(arguments: ["ada@localhost.local", "ada@192.168.1.1", "ada@bücher.example", "ada@closed.example"])
    func someAddressesAreNotAskedAbout(_ address: String) async throws {
        let trial = try await Trial()
        try await trial.allow()
        let discovery = try await trial.find(address)
        #expect(discovery.phase == .failed)
        #expect(discovery.setupIDs.isEmpty == address.hasSuffix("closed.example"))
        #expect(trial.servers.asked.isEmpty)
        #expect(try await trial.discoveries.begin("no address") == nil)
    }

    /// ACC-49: two plugins know the same service, each with its own protocol.
    @Test func aServiceCanHaveTwoWays() throws {
        func setup(_ id: String, _ services: [KnownService], _ protocols: [MailProtocol] = []) -> AccountSetup
        {
            AccountSetup(id: id, title: id, serviceName: id, services: services, protocols: protocols)
        }
        let server = DiscoveredServer("imap.fast.example", port: 993)
        let imap = KnownService(
            id: "fast", name: "Fast", domains: ["fast.example", "sent.example"], mailHosts: ["mx.example"],
            incoming: server, submission: server)
        let jmap = KnownService(
            id: "fast", name: "Fast", domains: ["fast.example"], mailHosts: ["mx.example"])
        let other = KnownService(id: "other", name: "Other", domains: ["other.example"])
        let catalog = ServiceCatalog([
            ("imap", setup("imap", [other, imap], [.imap])), ("jmap", setup("jmap", [], [.jmap])),
            ("jmap", setup("fast", [jmap])),
        ])
        let byDomain = try #require(catalog.service(ofDomain: "fast.example"))
        #expect(byDomain.offer.id == "jmap/fast" && byDomain.service.name == "Fast")
        let byServer = try #require(catalog.service(ofServer: server))
        for match in [byDomain, byServer] {
            #expect(catalog.setups(for: match.service) == ["jmap/fast", "imap/imap"])
        }
        #expect(catalog.setups(for: other) == ["imap/imap"])
    }

    /// ACC-06: a mail host leads to domains that can be an organization's.
    @Test func ownersOfMailHosts() {
        #expect(
            MailDomain.owners(ofMailHost: "mx1.eu.hoster.example") == ["eu.hoster.example", "hoster.example"])
        #expect(MailDomain.owners(ofMailHost: "mx.hoster.co.uk") == ["hoster.co.uk"])
        #expect(MailDomain.owners(ofMailHost: "hoster.co.uk") == [])
        #expect(MailDomain.owners(ofMailHost: "hoster.example") == [])
    }
}
