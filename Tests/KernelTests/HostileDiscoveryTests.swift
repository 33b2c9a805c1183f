import Foundation
import MailKernelAPI
import MailKernelConformance
import TestSupport
import Testing

@testable import Accounts
@testable import Network

/// ACC-06: answers about a domain are foreign: none leads inside the user's network, hides a server, or costs much.
@Suite("Discovery trusts no answer") struct HostileDiscoveryTests {
    /// Answers with the same records to every question of a kind.
    private struct Names: NameLookup {
        var all: [NameRecord]

        func records(_ name: String, _ kind: NameRecordKind, purpose: String) async -> [NameRecord]? {
            all.filter { $0.kind == kind }
        }
    }

    private let domain = MailDomain(address: "ada@bakery.example")

    /// What is found with these records where every server answers, and what was done.
    private func found(_ records: [NameRecord]) async throws -> (Finding, steps: [String]) {
        let steps = Watched<[String]>([])
        let setups = try DiscoveryDomains.read().provider.setups
        let catalog = ServiceCatalog(setups.map { (pluginID: "org.example", setup: $0) })
        let search = ServiceSearch(
            domain: try #require(domain),
            network: DiscoveryNetwork(names: Names(all: records), web: OpenStreams()), catalog: catalog)
        let result = await search.run { step in steps.withLock { $0.append(step) } }
        guard case .found(let finding) = result else {
            Issue.record("\(result)")
            throw CancellationError()
        }
        return (finding, steps.value)
    }

    private static let inside = [
        "127.0.0.1", "10.0.0.1", "127.1", "0x7f000001", "localhost", "mail.localhost", "nas.local", "::1",
        "mail.bakery.example/x", "mail.bakery.example:25", "ada\\@evil.example", "m\\195\\188ller.example",
        "printer",
        "-a.example", "a..example", String(repeating: "a", count: 64) + ".example",
    ]

    @Test(arguments: inside) func recordsLeadToTheInternetOnly(_ host: String) async throws {
        let bad = [NameRecord(.srv, host, port: 993), NameRecord(.mx, host)]
        let (finding, steps) = try await found(bad)
        #expect(finding.origin == .guess)
        #expect(!steps.contains { $0.hasPrefix("Asking the mail host") })
        // The next one counts.
        let next = try await found(bad + [NameRecord(.srv, "imap.bakery.example", port: 993)])
        #expect(next.0.origin == .records && next.0.servers.jmap?.host == "imap.bakery.example")
    }

    private func read(_ host: String, port: String = "993", user: String = "") throws -> AutoconfigAnswer? {
        func server(_ way: String, _ type: String) -> String {
            "<\(way)Server type=\"\(type)\"><hostname>\(host)</hostname><port>\(port)</port>"
                + "<socketType>SSL</socketType><username>\(user)</username></\(way)Server>"
        }
        let text =
            "<clientConfig><emailProvider>" + server("incoming", "imap") + server("outgoing", "smtp")
            + "</emailProvider></clientConfig>"
        return AutoconfigReader.read(Data(text.utf8), for: try #require(domain))
    }

    @Test(arguments: inside + ["%EMAILLOCALPART%.evil.example", "mail.bakery.example."])
    func filesLeadToTheInternetOnly(_ host: String) throws {
        guard case .found(let servers)? = try read(host) else { return }
        #expect(!servers.safe.hasMail)
    }

    @Test func aHostInCapitalsIsTheSame() throws {
        guard case .found(let servers)? = try read("Mail.%EMAILDOMAIN%") else {
            Issue.record("not read")
            return
        }
        #expect(servers.safe.incoming?.endpoint.host == "mail.bakery.example")
        for port in ["0", "-1", "65536", "9e9"] {
            guard case .found(let servers)? = try read("mail.bakery.example", port: port) else { continue }
            #expect(!servers.safe.hasMail)
        }
        guard case .found(let named)? = try read("mail.bakery.example", user: "a&#10;b") else { return }
        #expect(named.safe.userName == nil)
    }

    @Test func noFileCostsMuch() throws {
        let domain = try #require(domain)
        func answer(_ text: String) -> AutoconfigAnswer? {
            AutoconfigReader.read(Data(text.utf8), for: domain)
        }
        func many(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }
        let entities = (1...9).map { "<!ENTITY e\($0) \"&e\($0 - 1);&e\($0 - 1);\">" }.joined()
        let bomb = "<!DOCTYPE c [<!ENTITY e0 \"x\">\(entities)]>"
        #expect(answer(bomb + "<clientConfig>&e9;</clientConfig>") == nil)
        #expect(answer(many("<a>", 80_000)) == nil)
        #expect(answer(many("<a>", 30_000) + many("</a>", 30_000)) == nil)
        #expect(answer("<clientConfig>" + many("x", 300_000) + "</clientConfig>") == nil)
        #expect(answer("<clientConfig x='\(many("y", 200_000))'/>") == nil)
    }

    /// A page to sign in at is confirmed like a server, unless the domain itself names it; ports are shown.
    @Test func aPageToSignInIsConfirmed() throws {
        let domain = try #require(domain)
        let issuer = try #require(URL(string: "https://evil.example"))
        let servers = FoundServers(
            incoming: DiscoveredServer("mail.bakery.example", port: 22),
            submission: DiscoveredServer("mail.bakery.example", port: 465),
            authentication: [.oauth(issuer: issuer), .password])
        let setup = AccountSetup(id: "imap", title: "t", serviceName: "s", protocols: [.imap])
        for origin in [Finding.Origin.file("bakery.example"), .mailHost("evil.example")] {
            var finding = Finding(servers: servers, origin: origin)
            finding.choose(.imap, PluginSetup(pluginID: "p", setup: setup), domain)
            #expect((finding.warning(for: domain) != nil) == (origin == .mailHost("evil.example")))
            let line = finding.line(for: domain)
            #expect(line.hasPrefix("IMAP at mail.bakery.example:22 and SMTP at mail.bakery.example over TLS"))
        }
    }

    /// A domain that only looks like a known one is neither asked about nor taken for it.
    @Test(arguments: ["ada@\u{212A}olab.example", "ada@bakery.example.", "ada@.example", "ada@a b.example"])
    func someAddressesAreNone(_ address: String) {
        #expect(MailDomain(address: address) == nil)
    }

    @Test(arguments: ["ada@bаkery.example", "ada@bakery．example.org", "ada@10.0.0.1", "ada@bakery.local"])
    func someDomainsAreNotAskedAbout(_ address: String) {
        #expect(MailDomain(address: address)?.mayBeAskedAbout == false)
    }
}
