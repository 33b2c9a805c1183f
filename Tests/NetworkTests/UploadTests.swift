import Foundation
import MailKernelAPI
import TestSupport
import Testing

@testable import Network

@Suite("Uploads are read as they are sent", .timeLimit(.minutes(10)))
struct UploadTests {
    /// Bytes that are made when they are read, and how many were.
    private final class Source: ByteSource {
        struct Broken: Error {}

        let size: Int
        let breaksAt: Int
        let read = Counter()

        init(size: Int, breaksAt: Int = .max) {
            self.size = size
            self.breaksAt = breaksAt
        }

        func read(at offset: Int, count: Int) async throws -> Data {
            _ = read.next()
            guard offset < breaksAt else { throw Broken() }
            return Self.bytes(offset..<min(size, offset + count))
        }

        static func bytes(_ range: Range<Int>) -> Data {
            Data(range.map { UInt8(truncatingIfNeeded: $0 % 251) })
        }
    }

    private func post(_ body: any ByteSource, to path: String, _ bench: Bench) async throws -> HTTPResponse {
        let url = try bench.servers.url("web", path)
        return try await bench.access().send(HTTPRequest("POST", url, body: body, purpose: "a test"))
    }

    @Test func aLargeBodyArrivesWhole() async throws {
        let bench = try await Bench()
        let source = Source(size: 5_000_003)
        let response = try await post(source, to: "/length", bench)
        let sum = Source.bytes(0..<source.size).reduce(0) { $0 &+ Int($1) }
        #expect(response.status == 200)
        #expect(String(decoding: response.body, as: UTF8.self) == "\(source.size) \(sum)")
        #expect(source.read.next() > 5)
    }

    @Test func aBodyOfNoBytesIsOne() async throws {
        let response = try await post(DataSource(Data()), to: "/length", try await Bench())
        #expect(String(decoding: response.body, as: UTF8.self) == "0 0")
    }

    @Test func aBodyThatCannotBeReadEndsTheRequest() async throws {
        let bench = try await Bench()
        let failed = await failure {
            try await post(Source(size: 5_000_000, breaksAt: 2_000_000), to: "/length", bench)
        }
        guard case .local = failed else {
            Issue.record("it ended with \(String(describing: failed))")
            return
        }
        #expect(await bench.closedEntries(1).count == 1)
    }

    /// The server closed the kept connection; the body is sent again on a new one.
    @Test func aBodyIsReadAgainForANewConnection() async throws {
        let bench = try await Bench()
        let access = bench.access()
        let url = try bench.servers.url("web", "/closing")
        for _ in 0..<3 {
            let request = HTTPRequest(
                "POST", url, body: DataSource(Data("twice".utf8)), purpose: "a test")
            let response = try await access.send(request)
            #expect(response.body == Data("twice".utf8))
        }
    }

    /// RFC 8620, section 7.3: an event source is silent for as long as its pings are apart.
    @Test func aStreamOfEventsMayBeSilentForLongerThanOthers() async throws {
        var patience = Patience.patient
        patience.stall = .seconds(1)
        let bench = try await Bench(patience: patience)
        let url = try bench.servers.url("web", "/pulse?n=2&pause=2.5")
        let sink = Collector()
        let request = HTTPRequest("GET", url, purpose: "a test", silence: .seconds(60))
        let response = try await bench.access().download(request, into: sink) { _ in }
        #expect(response.status == 200)
        #expect(sink.bytes == Data("data: 0\n\ndata: 1\n\n".utf8))
        let impatient = HTTPRequest("GET", url, purpose: "a test")
        let failed = await failure {
            try await bench.access().download(impatient, into: Collector()) { _ in }
        }
        guard case .unreachable = failed else {
            Issue.record("it ended with \(String(describing: failed))")
            return
        }
    }
}
