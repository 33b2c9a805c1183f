import Foundation
import MailKernelAPI
import Synchronization
import TestSupport

@testable import Network

/// A network with a ledger of its own, that trusts the authority of the test servers.
struct Bench {
    let servers: TestServers
    let place: TemporaryFolder
    let ledger: ConnectionLedger
    let network: Network

    init(
        proxies: Proxies = .none, patience: Patience = .patient,
        now: @escaping @Sendable () -> Date = { Date() }
    ) async throws {
        servers = try await TestServers.shared.value
        place = try TemporaryFolder()
        ledger = ConnectionLedger(folder: place.url.appending(path: "connections"), now: now)
        network = Network(
            NetworkSettings(version: "1.2.3", proxies: proxies, moreCertificates: servers.authority),
            ledger: ledger, patience: patience)
    }

    func access(
        _ hosts: [String] = ["localhost", "127.0.0.1", "*.mail.test"], plugin: String = "org.example.a"
    )
        -> any PluginNetwork
    {
        network.access(for: plugin, hosts: hosts)
    }

    var reader: LedgerReader { LedgerReader(folder: place.url.appending(path: "connections")) }
    var entries: [ConnectionEntry] { reader.page().entries }

    /// Waits until no connection is open, and returns all that there were, oldest first.
    func closedEntries(_ count: Int) async -> [ConnectionEntry] {
        var ended = Set(entries.filter { $0.state != .open }.map(\.id))
        let news = ledger.news()
        ended = Set(entries.filter { $0.state != .open }.map(\.id))
        if ended.count < count {
            for await entry in news where entry.state != .open {
                ended.insert(entry.id)
                if ended.count >= count { break }
            }
        }
        return entries.reversed()
    }

    func get(
        _ server: String, _ path: String, host: String = "localhost", with access: (any PluginNetwork)? = nil
    ) async throws -> HTTPResponse {
        try await (access ?? self.access()).send(
            HTTPRequest("GET", try servers.url(server, path, host: host), purpose: "a test"))
    }
}

extension Patience {
    /// For servers that share two processors with all tests of the room.
    static var patient: Patience {
        var patience = Patience()
        patience.connecting = .seconds(600)
        patience.stall = .seconds(600)
        return patience
    }
}

/// Collects what it is given; can be slow, and can refuse.
final class Collector: ByteSink {
    struct Full: Error {}

    private let data = Mutex(Data())
    private let limit: Int
    private let pause: Duration?

    init(limit: Int = .max, pause: Duration? = nil) {
        self.limit = limit
        self.pause = pause
    }

    var bytes: Data { data.withLock { $0 } }

    func write(_ bytes: Data) async throws {
        if let pause { try await Task.sleep(for: pause) }
        try data.withLock { data in
            guard data.count + bytes.count <= limit else { throw Full() }
            data.append(bytes)
        }
    }
}

/// The error that a call throws, or nil.
func failure<Value>(_ body: () async throws -> Value) async -> NetworkError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? NetworkError
    }
}

/// What the web server says that it was asked.
struct Echo: Decodable {
    let connection: Int
    let method: String
    let path: String
    let headers: [String: String]
    let body: String

    init(_ response: HTTPResponse) throws {
        self = try JSONDecoder().decode(Echo.self, from: response.body)
    }
}
