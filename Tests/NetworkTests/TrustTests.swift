import Foundation
import MailKernelAPI
import TestSupport
import Testing

@testable import Network

/// FR-SYNC-09: TLS 1.2 or newer, certificates verified, self-signed refused.
@Suite("Servers that cannot be verified are refused", .timeLimit(.minutes(10))) struct TrustTests {
    @Test(
        arguments: [
            ("expired", "expired"), ("elsewhere", "name"), ("stranger", "issuer"), ("self", "self-signed"),
            ("old", "TLS 1.2"), ("noUpgrade", "does not use TLS"),
        ])
    func aServerThatCannotBeVerifiedIsInsecure(_ server: String, _ words: String) async throws {
        let bench = try await Bench()
        let endpoint = Endpoint(host: "localhost", port: bench.servers.port(server))
        let failures = [
            await failure { try await bench.get(server, "/echo") },
            await failure {
                try await bench.access().connect(to: endpoint, security: .tls, purpose: "a test")
            },
        ]
        for failure in failures {
            guard case .insecure("localhost", let reason) = failure else {
                Issue.record("\(server) was answered with \(String(describing: failure))")
                continue
            }
            #expect(reason.localizedCaseInsensitiveContains(words), "\(reason)")
            #expect(reason.contains("port \(endpoint.port)"), "\(reason)")
        }
        let problems = await bench.closedEntries(2).compactMap(\.problem)
        #expect(problems.count == 2)
    }

    @Test func anAddressIsVerifiedLikeAName() async throws {
        let bench = try await Bench()
        #expect(try await bench.get("web", "/echo", host: "127.0.0.1").status == 200)
        let endpoint = Endpoint(host: "127.0.0.1", port: bench.servers.port("echo"))
        try await bench.access().connect(to: endpoint, security: .tls, purpose: "a test").close()
        let other = Endpoint(host: "127.0.0.1", port: bench.servers.port("self"))
        guard
            case .insecure = await failure({
                try await bench.access().connect(to: other, security: .tls, purpose: "a test")
            })
        else {
            Issue.record("a certificate without the address was enough")
            return
        }
    }

    @Test func theAuthoritiesOfTheSystemAreTrustedAndOthersAreNot() async throws {
        let servers = try await TestServers.shared.value
        let place = try TemporaryFolder()
        let network = Network(
            NetworkSettings(version: "1"), ledger: ConnectionLedger(folder: place.url))
        let access = network.access(for: "a", hosts: ["*"])
        let url = try servers.url("web", "/echo")
        guard
            case .insecure = await failure({
                try await access.send(HTTPRequest("GET", url, purpose: "a test"))
            })
        else {
            Issue.record("an unknown authority was trusted")
            return
        }
    }

    @Test func certificatesAreReadAgainWhenTheirFileChanges() async throws {
        let servers = try await TestServers.shared.value
        let place = try TemporaryFolder()
        let file = place.url.appending(path: "certificates.pem")
        let network = Network(
            NetworkSettings(version: "1", moreCertificates: file),
            ledger: ConnectionLedger(folder: place.url.appending(path: "connections")))
        let access = network.access(for: "a", hosts: ["*"])
        let request = HTTPRequest("GET", try servers.url("web", "/echo"), purpose: "a test")
        #expect(await failure { try await access.send(request) } != nil)
        try Data(contentsOf: servers.authority).write(to: file)
        #expect(try await access.send(request).status == 200)
    }

    @Test func aFileWithoutCertificatesIsSaidToBeOne() async throws {
        let servers = try await TestServers.shared.value
        let place = try TemporaryFolder()
        let file = try place.write("nothing", to: "certificates.pem")
        let network = Network(
            NetworkSettings(version: "1", environment: ["SSL_CERT_FILE": file.path], moreCertificates: nil),
            ledger: ConnectionLedger(folder: place.url.appending(path: "connections")))
        let access = network.access(for: "a", hosts: ["*"])
        let request = HTTPRequest("GET", try servers.url("web", "/echo"), purpose: "a test")
        #expect(
            await failure { try await access.send(request) }
                == .insecure(
                    host: "localhost", reason: "the certificates to trust cannot be read from \(file.path)"))
    }
}
