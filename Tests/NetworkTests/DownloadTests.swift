import Foundation
import MailKernelAPI
import TestSupport
import Testing

@testable import Network

@Suite("Downloads, from nginx and from a server that cuts them", .timeLimit(.minutes(10)))
struct DownloadTests {
    private static let contents = {
        let block = (0..<100_003).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 11) }
        return Data(repeatElement(block, count: 200).joined())
    }()

    @Test func aLargeFileArrivesWholeThroughASlowSink() async throws {
        let bench = try await Bench()
        let nginx = try await Nginx(bench.servers, files: ["large": Self.contents])
        let sink = Collector(pause: .milliseconds(2))
        let url = try #require(URL(string: "https://localhost:\(nginx.port)/large"))
        let response = try await bench.access().download(
            HTTPRequest("GET", url, purpose: "a test"), into: sink
        ) { _ in }
        #expect(response.status == 200 && response.body.isEmpty)
        #expect(sink.bytes == Self.contents)
        #expect(response.headers["content-length"] == "20000600")
    }

    @Test func theRestIsAskedForWithRange() async throws {
        let bench = try await Bench()
        let nginx = try await Nginx(bench.servers, files: ["file": Data("0123456789".utf8)])
        let sink = Collector()
        let url = try #require(URL(string: "https://localhost:\(nginx.port)/file"))
        let response = try await bench.access().download(
            HTTPRequest("GET", url, headers: ["Range": "bytes=4-"], purpose: "a test"), into: sink
        ) { _ in }
        #expect(response.status == 206 && sink.bytes == Data("456789".utf8))
        #expect(response.headers["content-range"] == "bytes 4-9/10")
        let beyond = try await bench.access().download(
            HTTPRequest("GET", url, headers: ["Range": "bytes=40-"], purpose: "a test"), into: Collector()
        ) { _ in }
        #expect(beyond.status == 416)
    }

    @Test func theBodyOfAnythingButSuccessIsInTheAnswer() async throws {
        let bench = try await Bench()
        let sink = Collector()
        let response = try await bench.access().download(
            HTTPRequest("GET", try bench.servers.url("web", "/nothing"), purpose: "a test"), into: sink
        ) { _ in }
        #expect(response.status == 404 && response.body == Data("there is nothing".utf8))
        #expect(sink.bytes.isEmpty)
    }

    @Test func whatCameBeforeACutIsATrueBeginning() async throws {
        let bench = try await Bench()
        let sink = Collector()
        let request = HTTPRequest("GET", try bench.servers.url("web", "/cut?n=300000"), purpose: "a test")
        #expect(
            await failure { try await bench.access().download(request, into: sink) { _ in } }
                == .closed(host: "localhost")
        )
        // A reset can overtake the last bytes.
        #expect(sink.bytes.count <= 300_000 && sink.bytes.allSatisfy { $0 == UInt8(ascii: "y") })
    }

    @Test func aSinkThatIsFullStopsIt() async throws {
        let bench = try await Bench()
        let nginx = try await Nginx(bench.servers, files: ["large": Self.contents])
        let url = try #require(URL(string: "https://localhost:\(nginx.port)/large"))
        let failed = await failure {
            try await bench.access().download(
                HTTPRequest("GET", url, purpose: "a test"), into: Collector(limit: 1_000_000)
            ) { _ in }
        }
        guard case .local = failed else {
            Issue.record("it ended with \(String(describing: failed))")
            return
        }
        let entries = await bench.closedEntries(1)
        // What the sink did not take was not fetched either, but for what was on its way.
        #expect(entries.count == 1 && entries[0].received < 15_000_000)
    }

    /// A caller that asked for a range sees that the server ignored it, before the body begins again.
    @Test func theHeadComesBeforeTheBodyAndCanRefuseIt() async throws {
        struct Unwanted: Error {}
        let bench = try await Bench()
        let sink = Collector()
        let request = HTTPRequest(
            "GET", try bench.servers.url("web", "/size?n=1000"), headers: ["Range": "bytes=5-"],
            purpose: "a test")
        let failed = await failure {
            try await bench.access().download(request, into: sink) { response in
                #expect(response.status == 200 && response.headers["content-length"] == "1000")
                #expect(response.body.isEmpty && sink.bytes.isEmpty)
                throw Unwanted()
            }
        }
        guard case .local = failed else {
            Issue.record("\(String(describing: failed))")
            return
        }
        #expect(sink.bytes.isEmpty)
    }

    @Test func aSinkHearsNothingAfterACancellation() async throws {
        final class Stopping: ByteSink {
            let calls = Counter()

            func write(_ bytes: Data) async throws {
                _ = calls.next()
                // More has arrived by the time that this returns.
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        let bench = try await Bench()
        let nginx = try await Nginx(bench.servers, files: ["large": Self.contents])
        let url = try #require(URL(string: "https://localhost:\(nginx.port)/large"))
        let sink = Stopping()
        let task = Task {
            await failure {
                try await bench.access().download(HTTPRequest("GET", url, purpose: "a test"), into: sink) {
                    _ in
                }
            }
        }
        #expect(await task.value == .cancelled)
        #expect(sink.calls.next() == 2)
    }

    @Test func aCancelledDownloadStops() async throws {
        let bench = try await Bench()
        let nginx = try await Nginx(bench.servers, files: ["large": Self.contents])
        let url = try #require(URL(string: "https://localhost:\(nginx.port)/large"))
        let news = bench.ledger.news()
        let task = Task {
            await failure {
                try await bench.access().download(
                    HTTPRequest("GET", url, purpose: "a test"), into: Collector(pause: .milliseconds(50))
                ) { _ in }
            }
        }
        for await entry in news where entry.state == .open { break }
        task.cancel()
        #expect(await task.value == .cancelled)
    }
}
