import Foundation
import MailKernelAPI
import MailKernelConformance
import Network
import Synchronization
import TestSupport
import Testing

/// FR-SET-04, E-SO-04, E-SO-05, E-SO-07 with the real plugin, the real network and servers with TLS.
@Suite(
    "Models are downloaded from nginx, and from servers that do not behave",
    .enabled(if: ModelBench.isBuilt, Comment(rawValue: ModelBench.isNotBuilt)), .timeLimit(.minutes(10)))
struct ModelDownloadTests {
    private static let file = ModelBench.smallModel()
    private static let id = Id<Model>("small")

    /// A file, an nginx that serves it, and sources of it that do not behave.
    private struct Stage {
        let bench: ModelBench
        let nginx: Nginx
        let path: URL

        init() async throws {
            bench = try await ModelBench()
            nginx = try await Nginx(bench.servers, files: ["small.gguf": ModelDownloadTests.file])
            path = bench.place.url.appending(path: "original.gguf")
            try ModelDownloadTests.file.write(to: path)
        }

        func good() throws -> URL {
            try #require(URL(string: "https://localhost:\(nginx.port)/small.gguf"))
        }

        func bad(_ how: String, _ count: Int = 0) throws -> URL {
            try bench.servers.url("web", "/file?path=\(path.path)&how=\(how)&n=\(count)")
        }

        func provider(_ sources: URL...) async throws -> any AIModelProvider {
            try bench.provider(try await ModelBench.entry("small", path, sources: sources))
        }

        var kept: Data? { try? Data(contentsOf: bench.place.url.appending(path: "models/small.part")) }
        var model: Data? { try? Data(contentsOf: bench.place.url.appending(path: "models/small.gguf")) }
    }

    private func error(_ provider: any AIModelProvider) async -> ModelError? {
        do throws(ModelError) {
            try await provider.download(Self.id) { _ in }
            return nil
        } catch {
            return error
        }
    }

    @Test func aModelComesFromNginx() async throws {
        let stage = try await Stage()
        let provider = try await stage.provider(stage.good())
        let steps = Mutex<[DownloadProgress]>([])
        try await provider.download(Self.id) { step in steps.withLock { $0.append(step) } }
        #expect(stage.model == Self.file && stage.kept == nil)
        #expect(steps.withLock { $0.last?.received } == Self.file.count)
        #expect(try await provider.models().map(\.status) == [.downloaded])
        let ledger = LedgerReader(folder: stage.bench.place.url.appending(path: "connections"))
        #expect(ledger.page().entries.map(\.purposes) == [["download the model A model"]])
    }

    @Test func whatACutLeftIsGoneOnWithFromNginx() async throws {
        let stage = try await Stage()
        let cut = try await stage.provider(stage.bad("cuts", 2_000_000))
        #expect(await error(cut) == nil)
        #expect(stage.model == Self.file)
    }

    @Test func anotherProviderGoesOnWithWhatIsThere() async throws {
        let stage = try await Stage()
        let provider = try await stage.provider(stage.bad("stalls", 2_500_000))
        let reached = AsyncStream<Int>.makeStream()
        let task = Task { try await provider.download(Self.id) { reached.continuation.yield($0.received) } }
        for await received in reached.stream where received >= 2_400_000 { break }
        task.cancel()
        await #expect(throws: ModelError.cancelled) { try await task.value }
        let kept = try #require(stage.kept)
        #expect(kept.count >= 2_400_000 && Self.file.starts(with: kept))
        let next = try await stage.provider(stage.good())
        let unfinished = DownloadProgress(received: kept.count, total: Self.file.count, bytesPerSecond: 0)
        #expect(try await next.models().map(\.status) == [.downloading(unfinished)])
        let first = Mutex<Int?>(nil)
        try await next.download(Self.id) { step in first.withLock { $0 = $0 ?? step.received } }
        #expect(first.withLock { $0 } == kept.count)
        #expect(stage.model == Self.file)
    }

    @Test func aFileThatChangedOnNginxBeginsAnew() async throws {
        let stage = try await Stage()
        let provider = try await stage.provider(stage.good())
        // As if an older version had been begun.
        let models = stage.bench.place.url.appending(path: "models")
        try FileManager.default.createDirectory(at: models, withIntermediateDirectories: true)
        try Data(repeating: 9, count: 1_000_000).write(to: models.appending(path: "small.part"))
        let sum = try await Command.run("sha256sum", [stage.path.path]).output.prefix(64)
        let note =
            ["sha256": String(sum), "versions": [try stage.good().absoluteString: "\"older\""]]
            as [String: Any]
        try JSONSerialization.data(withJSONObject: note).write(
            to: models.appending(path: "small.part.json"))
        #expect(await error(provider) == nil)
        #expect(stage.model == Self.file)
    }

    @Test func aWrongFileIsDeleted() async throws {
        let stage = try await Stage()
        var wrong = Self.file
        wrong[3_000_000] ^= 1
        try wrong.write(to: stage.nginx.folder.url.appending(path: "www/small.gguf"))
        #expect(await error(try await stage.provider(stage.good())) == .verificationFailed)
        #expect(stage.model == nil && stage.kept == nil)
    }

    @Test(arguments: ["ignores", "cuts", "stalls", "lies", "more"])
    func aServerThatDoesNotBehaveHarmsNothing(_ how: String) async throws {
        let stage = try await Stage()
        let provider = try await stage.provider(stage.bad(how, 1_000_000), stage.good())
        let task = Task { await error(provider) }
        if how == "stalls" {
            // The network gives it up after a while; this test does not wait for that.
            try await polling(until: "most is there") { (stage.kept?.count ?? 0) >= 900_000 }
            task.cancel()
            #expect(await task.value == .cancelled)
            #expect(await error(try await stage.provider(stage.good())) == nil)
        } else {
            #expect(await task.value == nil)
        }
        #expect(stage.model == Self.file)
    }

    @Test func nobodyLeadsToAnotherHost() async throws {
        let stage = try await Stage()
        let target = "https%3A%2F%2F127.0.0.1%3A\(stage.nginx.port)%2Fsmall.gguf"
        let redirect = try stage.bench.servers.url("web", "/redirect?to=\(target)")
        #expect(
            await error(try await stage.provider(redirect))
                == .network(.hostNotAllowed(host: "127.0.0.1")))
        let plain = try stage.bench.servers.url(
            "web", "/redirect?to=http%3A%2F%2Flocalhost%3A\(stage.nginx.port)%2Fsmall.gguf")
        guard case .network(.insecure) = await error(try await stage.provider(plain)) else {
            Issue.record("it went without encryption")
            return
        }
    }
}
