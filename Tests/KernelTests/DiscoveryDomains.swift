import Foundation
import MailKernelAPI
import MailKernelConformance
import TestSupport

@testable import Accounts
@testable import Network

/// `Tests/Fixtures/domains/domains.json`: 200 domains by kinds of hosters, and what is to be found for each.
struct DiscoveryDomains: Decodable {
    struct Service: Decodable {
        let id, name, incoming, submission: String
        let domains, mailHosts: [String]
    }

    struct Kind: Decodable {
        let line: String
        let warns: Bool
        let state: String
    }

    let services: [Service]
    let kinds: [String: Kind]
    let domains: [String: [String]]

    static var file: URL { Checkout.root.appending(path: "Tests/Fixtures/domains/domains.json") }

    static func read() throws -> DiscoveryDomains {
        try JSONDecoder().decode(DiscoveryDomains.self, from: Data(contentsOf: file))
    }

    /// A plugin that knows these services, IMAP and JMAP.
    var provider: SetupsOnly {
        let known = services.map { service in
            KnownService(
                id: service.id, name: service.name, domains: service.domains, mailHosts: service.mailHosts,
                incoming: DiscoveredServer(service.incoming, port: 993),
                submission: DiscoveredServer(service.submission, port: 465))
        }
        let closed = KnownService(
            id: "closed", name: "Closed", domains: ["closed.example"], refusal: "It is closed.")
        return SetupsOnly(setups: [
            AccountSetup(
                id: "imap", title: "Add another mail account", serviceName: "your mail server",
                services: known + [closed], protocols: [.imap]),
            AccountSetup(id: "jmap", title: "Add a JMAP account", serviceName: "JMAP", protocols: [.jmap]),
        ])
    }
}

/// A provider that offers setups and notes how a sign-in begins.
struct SetupsOnly: AccountProvider {
    let setups: [AccountSetup]
    let begun = Watched<[AuthorizationRequest]>([])

    func authorize(_ step: AuthorizationAnswer) async throws(AccountError) -> AuthorizationStep {
        guard case .begin(let request) = step else { throw .unsupported("this") }
        begun.withLock { $0.append(request) }
        return .form([FormField(name: "address", label: "Address", kind: .email)])
    }

    func validate(_ candidate: AccountCandidate) async throws(AccountError) -> ValidatedAccount {
        throw .unsupported("this")
    }

    func session(
        for account: Account, secrets: any SecretStore
    ) async throws(AccountError) -> any AccountSession {
        throw .unsupported("this")
    }
}

/// Connects everywhere, and counts.
final class OpenStreams: PluginNetwork, ByteStream {
    let counts = Watched((opened: 0, closed: 0))

    func connect(
        to endpoint: Endpoint, security: TransportSecurity, purpose: String
    ) async throws(NetworkError) -> any ByteStream {
        counts.withLock { $0.opened += 1 }
        return self
    }

    func close() async { counts.withLock { $0.closed += 1 } }

    func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse { throw .cancelled }
    func download(
        _ request: HTTPRequest, into sink: any ByteSink,
        head: @escaping @Sendable (HTTPResponse) async throws -> Void
    ) async throws(NetworkError) -> HTTPResponse { throw .cancelled }
    func submit(
        _ message: any ByteSource, _ submission: SMTPSubmission
    ) async throws(NetworkError) -> SMTPOutcome { throw .cancelled }
    func read(upTo count: Int) async throws(NetworkError) -> Data? { nil }
    func write(_ bytes: Data) async throws(NetworkError) {}
    func startTLS() async throws(NetworkError) {}
}

/// `Tests/Servers/mail_domains.py`: plays the domains.
final class DomainServers: Sendable {
    let folder: TemporaryFolder
    private let process: Command
    private let ports: [String: Int]

    init() async throws {
        let made = try await Command.run(Checkout.root.appending(path: "Tests/Tools/python-env"), [])
        guard made.status == 0 else { throw CannotStart(description: made.errors) }
        folder = try TemporaryFolder()
        process = try Command(
            TestServers.python,
            [
                "-B", Checkout.root.appending(path: "Tests/Servers/mail_domains.py").path, folder.url.path,
                DiscoveryDomains.file.path,
            ])
        guard await process.line(containing: "}\n") else {
            throw CannotStart(description: await process.result().errors)
        }
        ports = try JSONDecoder().decode([String: Int].self, from: Data(process.outputSoFar.utf8))
    }

    deinit { process.signal(SIGTERM) }

    /// What the servers were asked, a line each.
    var asked: [Substring] {
        let text = try? String(contentsOf: folder.url.appending(path: "asked"), encoding: .utf8)
        return (text ?? "").split(separator: "\n")
    }

    var nameServer: NameServer? { NameServer("127.0.0.1:\(ports["dns"] ?? 0)") }

    var ledger: ConnectionLedger { ConnectionLedger(folder: folder.url.appending(path: "connections")) }

    func network(_ ledger: ConnectionLedger) -> DiscoveryNetwork {
        let network = Network(
            NetworkSettings(
                version: "1",
                proxies: Proxies(environment: ["https_proxy": "http://127.0.0.1:\(ports["proxy"] ?? 0)"]),
                systemCertificates: folder.url.appending(path: "ca.pem"),
                nameServer: nameServer), ledger: ledger)
        return DiscoveryNetwork(
            names: network.names(for: "mailkernel"),
            web: network.access(
                for: "mailkernel", hosts: ["*"], addresses: .publicOnly, followsRedirects: false),
            patience: .seconds(2))
    }
}
