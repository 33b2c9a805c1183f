import Foundation
import MailKernelAPI
import TestSupport
import Testing

@testable import Network

@Suite("A plugin reaches the hosts of its manifest and no others", .timeLimit(.minutes(10))) struct HostTests
{
    @Test(
        arguments: [
            (["imap.example.org"], "imap.example.org", true),
            (["imap.example.org"], "IMAP.example.org.", true),
            (["imap.example.org"], "smtp.example.org", false),
            (["imap.example.org"], "a.imap.example.org", false),
            (["*.example.org"], "a.example.org", true), (["*.example.org"], "a.b.example.org", true),
            (["*.example.org"], "example.org", false), (["*.example.org"], ".example.org", false),
            (["*.example.org"], "badexample.org", false), (["*.example.org"], "example.org.evil.test", false),
            (["*"], "anything.test", true), (["*"], "", false), ([], "example.org", false),
        ])
    func patternsMeanWhatTheySay(_ patterns: [String], _ host: String, _ isAllowed: Bool) {
        #expect(HostRules(patterns).allow(host) == isAllowed)
    }

    /// What `*` stands for where a person enters servers.
    @Test func onlyWhatWasEnteredIsMeantByAStar() {
        let entered = EnteredHosts()
        let rules = HostRules(["imap.example.org", "*"]) { entered.allows($0, for: "a") }
        #expect(rules.allow("imap.example.org") && !rules.allow("mail.example.net"))
        entered.allow([" Mail.Example.net. ", "", " . "], for: "a", of: "account")
        entered.allow(["other.test"], for: "b", of: "another")
        #expect(rules.allow("mail.example.net") && rules.allow("MAIL.example.net."))
        for host in ["a.mail.example.net", "mail.example.net.evil.test", "other.test", "", "."] {
            #expect(!rules.allow(host), "\(host)")
        }
    }

    @Test func nobodyElseIsContacted() async throws {
        let bench = try await Bench()
        let access = bench.access(["imap.example.org"])
        let endpoint = Endpoint(host: "localhost", port: bench.servers.port("echo"))
        let submission = SMTPSubmission(
            endpoint: endpoint, security: .tls, login: .password(user: "a", password: Secret("b")),
            envelope: Envelope(mailFrom: "a@b.test", rcptTo: ["c@d.test"]), purpose: "a test")
        let failures = [
            await failure { try await bench.get("web", "/echo", with: access) },
            await failure { try await access.connect(to: endpoint, security: .tls, purpose: "a test") },
            await failure { try await access.submit(DataSource(Data()), submission) },
        ]
        #expect(failures == Array(repeating: .hostNotAllowed(host: "localhost"), count: 3))
        #expect(bench.entries.isEmpty)
    }

    /// What an address is taken for must not depend on who reads it.
    @Test(
        arguments: [
            "https://localhost@evil.test/", "https://evil.test\\@localhost/", "https://evil.test#@localhost/",
            "https://evil.test/localhost", "https://localhost.evil.test/", "https://%65vil.test/",
        ])
    func anAddressCannotPretend(_ address: String) async throws {
        let bench = try await Bench()
        guard let url = URL(string: address) else { return }
        let failed = await failure {
            try await bench.access().send(HTTPRequest("GET", url, purpose: "a test"))
        }
        switch failed {
        case .hostNotAllowed, .local: break
        default: Issue.record("\(address): \(String(describing: failed))")
        }
        #expect(bench.entries.isEmpty)
    }

    @Test(arguments: ["http://localhost/", "ftp://localhost/", "file:///etc/passwd", "HTTP://localhost/"])
    func onlyHTTPSIsFetched(_ address: String) async throws {
        let bench = try await Bench()
        let url = try #require(URL(string: address))
        let failed = await failure {
            try await bench.access().send(HTTPRequest("GET", url, purpose: "a test"))
        }
        switch failed {
        case .insecure, .local: break
        default: Issue.record("\(address): \(String(describing: failed))")
        }
        #expect(bench.entries.isEmpty)
    }

    @Test func aNameInTheAddressIsRefused() async throws {
        let bench = try await Bench()
        let url = try #require(URL(string: "https://ana:secret@localhost/"))
        #expect(
            await failure { try await bench.access().send(HTTPRequest("GET", url, purpose: "a test")) }
                == .local(reason: "the URL contains a user name or password"))
    }
}

@Suite("Redirects are followed as far as the hosts go", .timeLimit(.minutes(10))) struct RedirectTests {
    private func redirect(_ bench: Bench, to location: String, status: Int = 302) throws -> HTTPRequest {
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-._~")
        let encoded = try #require(location.addingPercentEncoding(withAllowedCharacters: allowed))
        let url = try bench.servers.url("web", "/redirect?status=\(status)&to=\(encoded)")
        return HTTPRequest(
            "POST", url, body: DataSource(Data("body".utf8)), bearer: Secret("token"), purpose: "a test")
    }

    @Test(arguments: [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
    func theMethodChangesAsTheStatusSays(_ status: Int, _ method: String) async throws {
        let bench = try await Bench()
        let echo = try Echo(try await bench.access().send(try redirect(bench, to: "/echo", status: status)))
        #expect(echo.method == method && echo.body == (method == "POST" ? "body" : ""))
        // The same server may have the token.
        #expect(echo.headers["authorization"] == "Bearer token")
    }

    @Test func anotherOriginDoesNotGetTheToken() async throws {
        let bench = try await Bench()
        let there = try bench.servers.url("web", "/echo", host: "127.0.0.1").absoluteString
        let echo = try Echo(try await bench.access().send(try redirect(bench, to: there)))
        #expect(echo.headers["authorization"] == nil)
    }

    @Test func anotherHostIsRefused() async throws {
        let bench = try await Bench()
        let request = try redirect(bench, to: "https://tracker.example/")
        #expect(
            await failure { try await bench.access().send(request) }
                == .hostNotAllowed(host: "tracker.example"))
        #expect(Set(bench.entries.map(\.host)) == ["localhost"])
    }

    @Test func anAddressWithoutEncryptionIsRefused() async throws {
        let bench = try await Bench()
        let request = try redirect(bench, to: "http://localhost:\(bench.servers.port("plain"))/echo")
        guard
            case .insecure("localhost", let reason) = await failure({ try await bench.access().send(request) }
            )
        else {
            Issue.record("it was followed")
            return
        }
        #expect(reason.contains("redirects to a URL without encryption"))
    }

    @Test func aCircleEnds() async throws {
        let bench = try await Bench()
        #expect(
            await failure { try await bench.get("web", "/circle") }
                == .badAnswer(host: "localhost", reason: "too many redirects"))
    }
}
