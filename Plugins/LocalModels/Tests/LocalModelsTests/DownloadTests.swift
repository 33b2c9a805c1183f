import CrashSupport
import FoundationEssentials
import Glibc
import MailKernelAPI
import MailKernelConformance
import Synchronization
import Testing

@testable import LocalModels

/// Downloads of a small file, from servers that do not behave. FR-SET-04.
@Suite("A download ends with a whole model or with none", .timeLimit(.minutes(10))) struct DownloadTests {
    private static let id = Id<Model>("small")
    /// A model of 900 KB.
    private static let file: Data = {
        var model = SmallModel()
        model.body = 900_000
        var bytes = model.file
        for index in bytes.indices.suffix(899_000) {
            bytes[index] = UInt8(truncatingIfNeeded: index &* 31 >> 3)
        }
        return Data(bytes)
    }()

    private static func entry(_ sources: String...) throws -> CatalogEntry {
        try TestModels.entry(id, file, sources: sources.isEmpty ? ["one.example.org"] : sources)
    }

    private static func bench(
        _ entry: CatalogEntry? = nil, in place: Place? = nil,
        _ answer: @escaping @Sendable (HTTPRequest, Int) -> ServerInMemory.Answer
    ) throws -> (Bench, ServerInMemory) {
        let server = ServerInMemory(answer)
        return (try Bench([try entry ?? Self.entry()], network: server, in: place), server)
    }

    /// What a download ends with, without the wait before the next try.
    private func error(_ bench: Bench) async -> ModelError? {
        let clock = bench.clock
        let moving = Task { await clock.keepMoving(by: 5) }
        defer { moving.cancel() }
        do throws(ModelError) {
            try await bench.provider.download(Self.id) { _ in }
            return nil
        } catch {
            return error
        }
    }

    @Test func aModelComesWholeForTheUserAlone() async throws {
        let (bench, server) = try Self.bench { request, _ in .file(Self.file, to: request) }
        #expect(await error(bench) == nil)
        #expect(try Data(contentsOf: bench.file("small.gguf")) == Self.file)
        var status = stat()
        #expect(stat(bench.file("small.gguf").path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(!bench.has("small.part") && !bench.has("small.part.json"))
        #expect(server.requests.map(\.purpose) == ["download the model The small"])
        #expect(await error(bench) == nil)
        #expect(server.requests.count == 1)
    }

    /// E-SO-05
    @Test func aWrongChecksumDeletesTheFile() async throws {
        var wrong = Self.file
        wrong[wrong.count - 1] ^= 1
        let (bench, _) = try Self.bench { [wrong] request, _ in .file(wrong, to: request) }
        #expect(await error(bench) == .verificationFailed)
        #expect(!bench.has("small.part") && !bench.has("small.gguf") && !bench.has("small.part.json"))
        #expect(try await bench.status(Self.id) == .notDownloaded)
    }

    /// E-SO-04
    @Test func aCutConnectionIsGoneOnWithWhereItStopped() async throws {
        let (bench, server) = try Self.bench { request, number in
            var answer = ServerInMemory.Answer.file(Self.file, to: request)
            if number <= 3 {
                answer.body = answer.body.prefix(200_000)
                answer.end = .closed(host: "one.example.org")
            }
            return answer
        }
        #expect(await error(bench) == nil)
        let ranges = server.requests.map { $0.headers["Range"] }
        #expect(ranges == [nil, "bytes=200000-", "bytes=400000-", "bytes=600000-"])
        #expect(server.requests.dropFirst().allSatisfy { $0.headers["If-Range"] == "\"1\"" })
        #expect(try Data(contentsOf: bench.file("small.gguf")) == Self.file)
    }

    /// E-SO-04: pieces of a size that a fast line gives, and no two ends at the same place of a page.
    @Test func aFastOneThatIsCutGoesOnToTheByte() async throws {
        var model = SmallModel()
        model.body = 9_000_000
        var bytes = model.file
        for index in bytes.indices.suffix(8_999_000) {
            bytes[index] = UInt8(truncatingIfNeeded: index &* 31 >> 3)
        }
        let file = Data(bytes)
        let server = ServerInMemory(chunk: 1_300_001) { request, number in
            var answer = ServerInMemory.Answer.file(file, to: request)
            if number <= 2 {
                answer.body = answer.body.prefix(2_700_013)
                answer.end = .closed(host: "one.example.org")
            }
            return answer
        }
        let entry = try TestModels.entry(Self.id, file, sources: ["one.example.org"])
        let bench = try Bench([entry], network: server)
        #expect(await error(bench) == nil)
        #expect(server.requests.map { $0.headers["Range"] } == [nil, "bytes=2700013-", "bytes=5400026-"])
        #expect(try Data(contentsOf: bench.file("small.gguf")) == file)
    }

    /// E-SO-07: as after a kill, another provider finds what is there.
    @Test func anotherStartGoesOnWithWhatIsValid() async throws {
        let place = try Place()
        let (first, _) = try Self.bench(in: place) { request, _ in
            var answer = ServerInMemory.Answer.file(Self.file, to: request)
            answer.body = answer.body.prefix(300_000)
            answer.stalls = true
            return answer
        }
        let reached = AsyncStream<Int>.makeStream()
        let provider = first.provider
        let task = Task { try await provider.download(Self.id) { reached.continuation.yield($0.received) } }
        for await received in reached.stream where received == 300_000 { break }
        guard case .downloading(let progress) = try await first.status(Self.id) else {
            Issue.record("it is not being downloaded")
            return
        }
        #expect(progress.received == 300_000 && progress.total == Self.file.count)
        task.cancel()
        await #expect(throws: ModelError.cancelled) { try await task.value }

        let (second, server) = try Self.bench(in: place) { request, _ in .file(Self.file, to: request) }
        // What is kept is said.
        let kept = DownloadProgress(received: 300_000, total: Self.file.count, bytesPerSecond: 0)
        #expect(try await second.status(Self.id) == .downloading(kept))
        #expect(await error(second) == nil)
        #expect(server.requests.map { $0.headers["Range"] } == ["bytes=300000-"])
        #expect(try Data(contentsOf: second.file("small.gguf")) == Self.file)
    }

    @Test func aFileThatChangedBeginsAnew() async throws {
        let place = try Place()
        let half = Data(repeating: 7, count: 400_000)
        let (first, _) = try Self.bench(in: place) { request, _ in
            ServerInMemory.Answer(
                status: 200, headers: ["etag": "\"old\""], body: half, end: .offline)
        }
        #expect(await error(first) == .network(.offline))
        // A server that knows If-Range sends all of it.
        let (second, server) = try Self.bench(in: place) { request, _ in
            .file(Self.file, to: request, tag: "\"new\"")
        }
        #expect(await error(second) == nil)
        #expect(server.requests.map { $0.headers["If-Range"] } == ["\"old\""])
    }

    @Test func aServerThatDoesNotKnowIfRangeIsAskedAgain() async throws {
        let place = try Place()
        let (first, _) = try Self.bench(in: place) { _, _ in
            ServerInMemory.Answer(
                status: 200, headers: ["etag": "\"old\""], body: Data(repeating: 7, count: 400_000),
                end: .offline)
        }
        #expect(await error(first) == .network(.offline))
        let (second, server) = try Self.bench(in: place) { request, _ in
            var request = request
            request.headers["If-Range"] = nil
            return .file(Self.file, to: request, tag: "\"new\"")
        }
        #expect(await error(second) == nil)
        #expect(server.requests.map { $0.headers["Range"] } == ["bytes=400000-", nil])
    }

    @Test func aServerThatIgnoresRangeIsListenedToFromTheBeginning() async throws {
        let (bench, _) = try Self.bench { _, number in
            var answer = ServerInMemory.Answer(status: 200, body: Self.file)
            if number == 1 {
                answer.body = answer.body.prefix(500_000)
                answer.end = .closed(host: "one.example.org")
            }
            return answer
        }
        #expect(await error(bench) == nil)
        #expect(try Data(contentsOf: bench.file("small.gguf")) == Self.file)
    }

    /// E-SO-04: a line that is gone for a minute ends no download of an hour.
    @Test(arguments: [
        NetworkError.offline, .closed(host: "one.example.org"),
        .unreachable(host: "one.example.org", reason: "it is silent"),
    ]) func aLostNetworkIsWaitedFor(_ loss: NetworkError) async throws {
        let last = loss == .offline ? 4 : 5
        let (bench, server) = try Self.bench { request, number in
            var answer = ServerInMemory.Answer.file(Self.file, to: request)
            // One that brought something is gone on with at once, unless there is no network at all.
            guard number < last else { return answer }
            answer.body = number == 1 ? answer.body.prefix(200_000) : Data()
            answer.end = loss
            return answer
        }
        let began = bench.clock.now
        #expect(await error(bench) == nil)
        #expect(server.requests.count == last)
        #expect(bench.clock.now.timeIntervalSince(began) == 65)
        #expect(try Data(contentsOf: bench.file("small.gguf")) == Self.file)
    }

    @Test func aNetworkThatStaysAwayIsSaid() async throws {
        let (bench, server) = try Self.bench { _, _ in ServerInMemory.Answer(status: 200, end: .offline) }
        let began = bench.clock.now
        #expect(await error(bench) == .network(.offline))
        #expect(server.requests.count == 4)
        #expect(bench.clock.now.timeIntervalSince(began) == 65)
    }

    @Test func whoCancelsDoesNotWaitForTheNetwork() async throws {
        let (bench, server) = try Self.bench { _, _ in ServerInMemory.Answer(status: 200, end: .offline) }
        let provider = bench.provider
        let task = Task { try await provider.download(Self.id) { _ in } }
        await bench.clock.waitForSleepers()
        task.cancel()
        await #expect(throws: ModelError.cancelled) { try await task.value }
        #expect(server.requests.count == 1)
    }

    @Test func aServerThatIgnoresRangeAndAlwaysCutsIsGivenUp() async throws {
        let (bench, server) = try Self.bench { _, _ in
            ServerInMemory.Answer(
                status: 200, body: Self.file.prefix(500_000), end: .closed(host: "one.example.org"))
        }
        #expect(await error(bench) == .network(.closed(host: "one.example.org")))
        #expect(server.requests.count == 5)
    }

    @Test func anotherLengthIsRefusedBeforeAByte() async throws {
        let (bench, _) = try Self.bench { _, _ in
            ServerInMemory.Answer(
                status: 200, headers: ["content-length": "5000000000"], body: Data(count: 100_000))
        }
        guard case .network(.badAnswer("one.example.org", _)) = await error(bench) else {
            Issue.record("it was not refused")
            return
        }
        let size = try OpenFile.readingModel(bench.file("small.part").path)?.size
        #expect(size == 0)
    }

    @Test func moreThanWasAnnouncedIsNotTaken() async throws {
        let (bench, _) = try Self.bench { _, _ in
            ServerInMemory.Answer(status: 200, body: Self.file + Data(repeating: 1, count: 10_000_000))
        }
        guard case .network(.badAnswer("one.example.org", _)) = await error(bench) else {
            Issue.record("it was taken")
            return
        }
        let size = try OpenFile.readingModel(bench.file("small.part").path)?.size
        #expect(size == 0)
    }

    @Test func lessThanWasAnnouncedIsNoModel() async throws {
        let (bench, _) = try Self.bench { request, _ in
            var answer = ServerInMemory.Answer.file(Self.file, to: request)
            answer.body = request.headers["Range"] == nil ? answer.body.prefix(1000) : Data()
            return answer
        }
        guard case .network(.badAnswer) = await error(bench) else {
            Issue.record("it was taken")
            return
        }
        #expect(try await bench.status(Self.id) != .downloaded && !bench.has("small.gguf"))
        // FR-SET-04: it can be thrown away.
        try await bench.provider.discardDownload(Self.id)
        #expect(try await bench.status(Self.id) == .notDownloaded && !bench.has("small.part"))
    }

    @Test func aPartThatWasNotAskedForIsRefused() async throws {
        for range in [
            "bytes 5-10/1000", "bytes 0-899999/*", "words 1-2/3", "bytes 300000-1/2", "bytes -/5", "",
        ] {
            let (bench, _) = try Self.bench { request, number in
                var answer = ServerInMemory.Answer.file(Self.file, to: request)
                if number == 1 {
                    answer.body = answer.body.prefix(300_000)
                    answer.end = .closed(host: "one.example.org")
                } else {
                    answer.headers["content-range"] = range
                }
                return answer
            }
            guard case .network(.badAnswer) = await error(bench) else {
                Issue.record("“\(range)” was taken")
                return
            }
            let size = try OpenFile.readingModel(bench.file("small.part").path)?.size
            #expect(size == 300_000)
        }
    }

    @Test func aSecondSourceGoesOnWhereTheFirstFailed() async throws {
        let entry = try Self.entry("one.example.org", "two.example.org", "three.example.org")
        let (bench, server) = try Self.bench(entry) { request, number in
            if request.url.host == "two.example.org" { return ServerInMemory.Answer(status: 503) }
            var answer = ServerInMemory.Answer.file(Self.file, to: request)
            if request.url.host == "one.example.org" {
                answer.body = number == 1 ? answer.body.prefix(100_000) : Data()
                answer.end = .closed(host: "one.example.org")
            }
            return answer
        }
        #expect(await error(bench) == nil)
        #expect(
            server.requests.compactMap(\.url.host) == [
                "one.example.org", "one.example.org", "two.example.org", "three.example.org",
            ])
        #expect(server.requests.last?.headers["Range"] == "bytes=100000-")
        // What the first called its version means nothing to the third.
        #expect(server.requests.last?.headers["If-Range"] == nil)
        #expect(try Data(contentsOf: bench.file("small.gguf")) == Self.file)
    }

    /// E-SO-15
    @Test func tooLittleSpaceIsSaidBeforeAnythingIsFetched() async throws {
        var entry = try Self.entry()
        entry.size = 1 << 60
        let (bench, server) = try Self.bench(entry) { request, _ in .file(Self.file, to: request) }
        guard case .noSpace(let needed, let free) = await error(bench) else {
            Issue.record("it was begun")
            return
        }
        #expect(needed > 1 << 60 && free > 0 && free < needed)
        #expect(server.requests.isEmpty)
    }

    /// E-SO-15: another program fills the disk while a model arrives. Room for mail is left, what came is kept,
    /// and it goes on from there.
    @Test(.enabled(if: SmallDisk.canBeMade, "only root can mount a disk"))
    func aDiskThatFillsUpMeanwhileIsSaidAndWhatCameIsKept() async throws {
        let disk = try SmallDisk(megabytes: 160)
        defer { withExtendedLifetime(disk) {} }
        let ballast = URL(filePath: disk.path + "/ballast")
        var model = SmallModel()
        model.body = 60 << 20
        let file = Data(model.file)
        let place = try Place(in: URL(filePath: disk.path))
        let (bench, server) = try Self.bench(try TestModels.entry(Self.id, file), in: place) {
            request, number in
            var answer = ServerInMemory.Answer.file(file, to: request)
            switch number {
            case 1:
                answer.body = answer.body.prefix(20 << 20)
                answer.end = .closed(host: "models.example.org")
            case 2: try? Data(count: 40 << 20).write(to: ballast)
            default: break
            }
            return answer
        }
        guard case .noSpace(let needed, let free) = await error(bench) else {
            Issue.record("it filled the disk")
            return
        }
        #expect(needed > free && free > PartialFile.reserve)
        guard case .downloading(let kept) = try await bench.status(Self.id), kept.received > 20 << 20 else {
            Issue.record("what came is not said")
            return
        }

        try FileManager.default.removeItem(at: ballast)
        #expect(await error(bench) == nil)
        let range = try #require(server.requests.last?.headers["Range"])
        #expect(try #require(Int(range.dropFirst("bytes=".count).dropLast())) >= 32 << 20)
        #expect(try Data(contentsOf: bench.file("small.gguf")) == file)
    }

    @Test func aDownloadIsNotBegunTwice() async throws {
        let (bench, _) = try Self.bench { request, _ in
            var answer = ServerInMemory.Answer.file(Self.file, to: request)
            answer.body = answer.body.prefix(100_000)
            answer.stalls = true
            return answer
        }
        let reached = AsyncStream<Void>.makeStream()
        let provider = bench.provider
        let task = Task { try await provider.download(Self.id) { _ in reached.continuation.yield() } }
        for await _ in reached.stream { break }
        for call in ["download", "delete", "discard"] {
            await #expect(throws: ModelError.self, "\(call)") {
                switch call {
                case "download": try await provider.download(Self.id) { _ in }
                case "delete": try await provider.delete(Self.id)
                default: try await provider.discardDownload(Self.id)
                }
            }
        }
        task.cancel()
        _ = await task.result
    }

    @Test func whatIsNoModelIsDeletedThoughItsChecksumIsRight() async throws {
        let text = Data(repeating: 65, count: 5000)
        let entry = try TestModels.entry(Self.id, text, sources: ["one.example.org"])
        let (bench, _) = try Self.bench(entry) { request, _ in .file(text, to: request) }
        guard case .badFile = await error(bench) else {
            Issue.record("it was taken")
            return
        }
        #expect(!bench.has("small.part") && !bench.has("small.gguf"))
    }

    @Test func theRateIsThatOfTheLastSeconds() {
        let clock = ManualClock()
        let steps = Mutex<[DownloadProgress]>([])
        let meter = ProgressMeter(total: 1_000_000, clock: clock) { step in steps.withLock { $0.append(step) }
        }
        for second in 0..<20 {
            meter.reached(second * 1000)
            clock.advance(by: 1)
        }
        #expect(steps.withLock { $0.last?.bytesPerSecond } == 1000)
        #expect(steps.withLock { $0.count } == 20)
        clock.advance(by: -3600)
        meter.reached(100_000)
        #expect(steps.withLock { $0.last?.bytesPerSecond } == 0)
    }
}
