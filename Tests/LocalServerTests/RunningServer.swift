import Foundation
import JMAP
import MailKernelAPI
import Synchronization
import TestSupport
import Testing

@testable import LocalServer

/// A server on folders of its own, with a token and a session.
final class RunningServer: Sendable {
    let place: TemporaryFolder
    let service = FakeService()
    let server: LocalServer
    let token: String
    let readToken: String
    let log = Mutex<[String]>([])

    init(
        in place: TemporaryFolder? = nil, page: URL? = nil,
        _ configure: (inout LocalServerConfiguration) -> Void = { _ in },
        limits: (inout JMAPLimits) -> Void = { _ in }
    ) throws {
        let place = try place ?? TemporaryFolder()
        self.place = place
        service.state.withLock { limits(&$0.limits) }
        var configuration = LocalServerConfiguration(
            data: place.url.appending(path: "server"), configuration: place.url.appending(path: "config"),
            page: page, log: PluginLog(least: .debug) { _, _ in })
        configuration.tlsPort = nil
        configure(&configuration)
        let tokens = TokenStore(folder: configuration.configuration)
        let name = UUID().uuidString
        token = try tokens.create(name: "t \(name)", isReadOnly: false)
        readToken = try tokens.create(name: "r \(name)", isReadOnly: true)
        server = try LocalServer(configuration, service: service)
    }

    var tokens: TokenStore { TokenStore(folder: place.url.appending(path: "config")) }
    var port: Int { URL(string: server.pageURL)?.port ?? 0 }
    var tlsPort: Int { server.tlsURL.flatMap { URL(string: $0)?.port } ?? 0 }
    var host: String { "127.0.0.1:\(port)" }

    func client() throws -> WireClient { try WireClient(port: port) }

    /// A request as text; the Host header is right unless it is given.
    func request(
        _ method: String, _ target: String, _ headers: [String] = [], body: String? = nil
    ) -> String {
        var lines = ["\(method) \(target) HTTP/1.1"]
        if !headers.contains(where: { $0.lowercased().hasPrefix("host:") }) { lines.append("Host: \(host)") }
        lines += headers
        if let body { lines.append("Content-Length: \(body.utf8.count)") }
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")
    }

    /// Asks on a connection of its own.
    func ask(
        _ method: String, _ target: String, _ headers: [String] = [], body: String? = nil
    ) async throws -> WireClient.Answer {
        try await client().ask(request(method, target, headers, body: body))
    }

    var bearer: String { "Authorization: Bearer \(token)" }

    /// Begins a session as a browser does, and returns its Cookie header.
    func signIn() async throws -> String {
        let link = try #require(URL(string: server.startLink()))
        let answer = try await ask("GET", "\(link.path)?\(link.query ?? "")", ["Sec-Fetch-Site: none"])
        #expect(answer.status == 303)
        let cookie = try #require(answer.header("Set-Cookie")?.split(separator: ";").first)
        return "Cookie: \(cookie)"
    }

    func post(_ body: String, _ headers: [String]) async throws -> WireClient.Answer {
        try await ask("POST", "/jmap/api", headers + ["Content-Type: application/json"], body: body)
    }
}
