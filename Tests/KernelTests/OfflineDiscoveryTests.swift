import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Network
import TestSupport
import Testing

@testable import Accounts

/// ACC-100: without a network, the search for an address says so, and can be tried again.
@Suite("Discovery without a network") struct OfflineDiscoveryTests {
    /// Fails every time with the same error, or is like a web where nothing is offered but the usual mail servers.
    private final class Web: PluginNetwork {
        let error: Watched<NetworkError?>
        let asked = Watched<[String]>([])

        init(_ error: NetworkError?) { self.error = Watched(error) }

        private func ask(_ host: String) throws(NetworkError) {
            asked.withLock { $0.append(host) }
            if let error = error.value { throw error }
        }

        func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
            try ask(request.url.host ?? "")
            return HTTPResponse(status: 404, headers: [:], body: Data())
        }

        func connect(
            to endpoint: Endpoint, security: TransportSecurity, purpose: String
        ) async throws(NetworkError) -> any ByteStream {
            try ask(endpoint.host)
            return OpenStreams()
        }

        func download(
            _ request: HTTPRequest, into sink: any ByteSink,
            head: @escaping @Sendable (HTTPResponse) async throws -> Void
        ) async throws(NetworkError) -> HTTPResponse { throw .cancelled }

        func submit(
            _ message: any ByteSource, _ submission: SMTPSubmission
        ) async throws(NetworkError) -> SMTPOutcome { throw .cancelled }
    }

    private struct Names: NameLookup {
        /// Nil if no server answers.
        var answer: [NameRecord]?

        func records(
            _ name: String, _ kind: NameRecordKind, purpose: String
        ) async -> [NameRecord]? { answer }
    }

    private func obstacle(_ error: NetworkError?, names: Names? = nil) async throws -> Discovery.Obstacle? {
        let domain = try #require(MailDomain(address: "ada@bakery.example"))
        let search = ServiceSearch(
            domain: domain, network: DiscoveryNetwork(names: names, web: Web(error)),
            catalog: ServiceCatalog([]))
        guard case .nothing(let obstacle) = await search.run({ _ in }) else { return nil }
        return obstacle
    }

    private static let silence = NetworkError.unreachable(host: "a.example", reason: "no server responded")

    @Test func silenceIsToldFromNotKnowing() async throws {
        #expect(try await obstacle(.offline) == .offline)
        #expect(try await obstacle(.offline, names: Names(answer: nil)) == .offline)
        #expect(try await obstacle(Self.silence) == .unreachable)
        #expect(try await obstacle(Self.silence, names: Names(answer: nil)) == .unreachable)
        // A name server that knows nothing of the domain is there.
        #expect(try await obstacle(Self.silence, names: Names(answer: [])) == .nothingFound)
        #expect(try await obstacle(nil) == .nothingFound)
        // A server with a wrong certificate has responded.
        #expect(try await obstacle(.insecure(host: "a.example", reason: "")) == .nothingFound)
    }

    @Test func itIsTriedAgainAndEndsAtOnceMeanwhile() async throws {
        let web = Web(.offline)
        let provider = try DiscoveryDomains.read().provider
        let test = try await TestKernel(
            hasAccounts: false, providers: ["org.example.setups": provider],
            discovery: DiscoveryNetwork(names: nil, web: web))
        let discoveries = test.kernel.signIns.discoveries
        let begun = try #require(try await discoveries.begin("ada@bakery.example"))
        #expect(try await discoveries.answer(begun.id, allows: true))
        let failed = try #require(await discoveries.settled(begun.id, within: 60))
        #expect(failed.phase == .failed && failed.isOffline && !failed.isRefused)
        #expect(failed.problem?.contains("no network connection") == true)
        #expect(failed.setupIDs == ["org.example.setups/imap"], "the form by hand")
        #expect(!web.asked.value.contains { $0.contains("thunderbird") })
        // The built-in list needs no network.
        #expect(try await discoveries.begin("ada@gmx.de")?.isKnown == true)

        web.error.withLock { $0 = nil }
        #expect(try await discoveries.answer(begun.id, allows: true))
        let found = try #require(await discoveries.settled(begun.id, within: 60))
        #expect(found.phase == .found && found.problem == nil && !found.isOffline)
        #expect(try await !discoveries.answer(begun.id, allows: true), "nothing is awaited any more")
        await test.kernel.stop()
    }
}
