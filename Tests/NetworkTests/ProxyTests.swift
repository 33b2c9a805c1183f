import Foundation
import MailKernelAPI
import TestSupport
import Testing

@testable import Network

@Suite("Proxies", .timeLimit(.minutes(10))) struct ProxyTests {
    private static func proxies(_ scheme: String, _ server: String, except: String = "") async throws
        -> Proxies
    {
        let port = try await TestServers.shared.value.port(server)
        return Proxies(environment: ["all_proxy": "\(scheme)://127.0.0.1:\(port)", "no_proxy": except])
    }

    /// The names exist for the proxy alone: looked up here, nothing would be found.
    @Test(arguments: [("http", "httpProxy"), ("socks5h", "socks"), ("socks5", "socks")])
    func everythingGoesThroughTheProxyWhichLooksUpTheNames(_ scheme: String, _ server: String) async throws {
        let bench = try await Bench(proxies: try await Self.proxies(scheme, server))
        #expect(try await bench.get("web", "/echo", host: "web.mail.test").status == 200)
        let stream = try await bench.access().connect(
            to: Endpoint(host: "imap.mail.test", port: bench.servers.port("greeting")), security: .tls,
            purpose: "a test")
        #expect(try await stream.read(upTo: 100) == Data("* OK ready\r\n".utf8))
        await stream.close()
        let entries = bench.entries
        #expect(entries.map(\.host).sorted() == ["imap.mail.test", "web.mail.test"])
        #expect(Set(entries.map(\.proxy)) == ["127.0.0.1:\(bench.servers.port(server))"])
    }

    @Test func whatIsExceptedGoesDirectly() async throws {
        let bench = try await Bench(proxies: try await Self.proxies("http", "httpProxy", except: "localhost"))
        #expect(try await bench.get("web", "/echo").status == 200)
        #expect(bench.entries.map(\.proxy) == [nil])
    }

    @Test(arguments: [("http", "httpProxy"), ("socks5h", "socks")])
    func aProxyThatRefusesIsNamed(_ scheme: String, _ server: String) async throws {
        let bench = try await Bench(proxies: try await Self.proxies(scheme, server))
        let failures = [
            await failure { try await bench.get("web", "/echo", host: "refused.mail.test") },
            await failure {
                try await bench.access().connect(
                    to: Endpoint(host: "refused.mail.test", port: 993), security: .tls, purpose: "a test")
            },
        ]
        for failure in failures {
            guard case .unreachable("refused.mail.test", let reason) = failure else {
                Issue.record("\(String(describing: failure))")
                continue
            }
            #expect(reason.contains("proxy"))
        }
    }

    @Test func nothingGoesPastAProxyThatIsNotThere() async throws {
        let port = try FreePort.find()
        let bench = try await Bench(
            proxies: Proxies(environment: ["https_proxy": "socks5://ana:secret@127.0.0.1:\(port)"]))
        for failed in [
            await failure { try await bench.get("web", "/echo") },
            await failure {
                try await bench.access().connect(
                    to: Endpoint(host: "localhost", port: bench.servers.port("echo")), security: .tls,
                    purpose: "a test")
            },
        ] {
            guard case .unreachable("localhost", _) = failed else {
                Issue.record("\(String(describing: failed))")
                continue
            }
        }
        // Its password is not shown.
        #expect(Set(bench.entries.map(\.proxy)) == ["127.0.0.1:\(port)"])
    }

    @Test func streamsRefuseAProxyThatIsReachedOverHTTPS() async throws {
        let bench = try await Bench(proxies: Proxies(environment: ["all_proxy": "https://proxy.test"]))
        guard
            case .unreachable(_, let reason) = await failure({
                try await bench.access().connect(
                    to: Endpoint(host: "localhost", port: 1), security: .tls, purpose: "a test")
            })
        else {
            Issue.record("it went past the proxy")
            return
        }
        #expect(reason.contains("all_proxy"))
    }

    @Test(
        arguments: [
            ("example.org", "example.org", true), ("a.example.org", "example.org", true),
            ("a.example.org", ".example.org", true), ("badexample.org", "example.org", false),
            ("10.1.2.3", "10.0.0.0/8", true), ("11.1.2.3", "10.0.0.0/8", false),
            ("fd00::1", "fd00::/8", true),
            ("10.1.2.3", "fd00::/8", false), ("example.org", "*", true), ("example.org", "10.0.0.0/8", false),
            ("10.1.2.3", "10.0.0.0/99", false),
        ])
    func exceptionsAreNamesAndBlocks(_ host: String, _ exception: String, _ isDirect: Bool) {
        let proxies = Proxies(environment: [
            "ALL_PROXY": "http://proxy.test", "no_proxy": "x.test, \(exception)",
        ])
        #expect((proxies.proxy(for: host, isStream: true) == nil) == isDirect)
    }

    @Test func eachKindHasItsOwnVariable() {
        let both = Proxies(environment: ["https_proxy": "http://a.test", "all_proxy": "socks5://b.test"])
        #expect(both.proxy(for: "x.test", isStream: false) == "http://a.test")
        #expect(both.proxy(for: "x.test", isStream: true) == "socks5h://b.test")
        let one = Proxies(environment: ["HTTPS_PROXY": "http://a.test"])
        #expect(one.proxy(for: "x.test", isStream: true) == "http://a.test")
        #expect(Proxies.none.proxy(for: "x.test", isStream: true) == nil)
    }
}
