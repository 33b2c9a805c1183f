import Foundation
import MailKernelAPI
import TestSupport
import Testing

@testable import Network

@Suite("Streams", .timeLimit(.minutes(10))) struct StreamTests {
    private func open(
        _ bench: Bench, _ server: String, _ security: TransportSecurity = .tls
    ) async throws -> any ByteStream {
        try await bench.access().connect(
            to: Endpoint(host: "localhost", port: bench.servers.port(server)), security: security,
            purpose: "a test")
    }

    /// Reads until the bytes end with a text, or there are no more.
    private func read(_ stream: any ByteStream, until end: String) async throws -> String {
        var all = Data()
        while !all.suffix(end.utf8.count).elementsEqual(end.utf8), let more = try await stream.read(upTo: 1) {
            all.append(more)
        }
        return String(decoding: all, as: UTF8.self)
    }

    @Test func whatIsWrittenCanBeReadBack() async throws {
        let bench = try await Bench()
        let stream = try await open(bench, "echo")
        try await stream.write(Data("hello ".utf8))
        try await stream.write(Data("world\n".utf8))
        #expect(try await read(stream, until: "\n") == "hello world\n")
        await stream.close()
    }

    /// Plugins run on threads of their own: a task then leaves the actor between checking and waiting, and a server as
    /// near as this one answers meanwhile.
    @Test(.timeLimit(.minutes(1))) func aTaskWithThreadsOfItsOwnMissesNoAnswer() async throws {
        let bench = try await Bench()
        let threads = OwnThreads()
        let task = Task(executorPreference: threads) {
            for number in 0..<20 {
                let stream = try await open(bench, "echo")
                try await stream.write(Data("\(number)\n".utf8))
                #expect(try await read(stream, until: "\n") == "\(number)\n")
                await stream.close()
            }
        }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    @Test func aGreetingNeedsNoAsking() async throws {
        let bench = try await Bench()
        let stream = try await open(bench, "greeting")
        #expect(try await read(stream, until: "\n") == "* OK ready\r\n")
    }

    /// Far more than is read ahead: it stops in between, and goes on.
    @Test func aFloodArrivesWholeAndThenEnds() async throws {
        let bench = try await Bench()
        let stream = try await open(bench, "flood")
        try await stream.write(Data("30000001\n".utf8))
        var count = 0
        var isRight = true
        while let bytes = try await stream.read(upTo: 100_000) {
            isRight = isRight && bytes.count <= 100_000 && bytes.first == UInt8(truncatingIfNeeded: count)
            count += bytes.count
        }
        #expect(isRight && count == 30_000_001)
        #expect(try await stream.read(upTo: 1) == nil)
    }

    @Test func readingAndWritingGoOnAtOnce() async throws {
        let bench = try await Bench()
        let stream = try await open(bench, "echo")
        let sent = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 % 251) })
        async let writing: Void = stream.write(sent)
        var back = Data()
        while back.count < sent.count, let more = try await stream.read(upTo: .max) { back.append(more) }
        try await writing
        #expect(back == sent)
    }

    @Test func aCutIsNotTheEnd() async throws {
        let bench = try await Bench()
        let stream = try await open(bench, "hangup")
        try await stream.write(Data("go\n".utf8))
        let failed = await failure {
            while try await stream.read(upTo: 100) != nil {}
        }
        #expect(failed == .closed(host: "localhost"))
        #expect(await failure { try await stream.write(Data("x".utf8)) } == .closed(host: "localhost"))
    }

    @Test func closingEndsWhatIsUnderWay() async throws {
        let bench = try await Bench()
        let stream = try await open(bench, "echo")
        let reading = Task { await failure { try await stream.read(upTo: 1) } }
        try await stream.write(Data("x".utf8))
        _ = await reading.value
        let again = Task { await failure { try await stream.read(upTo: 1) } }
        await Task.yield()
        await stream.close()
        #expect(await again.value == .closed(host: "localhost"))
        #expect(await failure { try await stream.read(upTo: 1) } == .closed(host: "localhost"))
        #expect(await bench.closedEntries(1).map(\.state) == [.finished])
    }

    /// libcurl tries ::1 first, and closes that socket without a word; its number is then the stream's. When
    /// the set of transfers went away it took the stream's place in the loop with it.
    @Test func aStreamOutlivesTheAccessThatOpenedIt() async throws {
        let bench = try await Bench()
        for _ in 0..<30 {
            let stream = try await open(bench, "echo")
            try await stream.write(Data("x\n".utf8))
            #expect(try await read(stream, until: "\n") == "x\n")
            await stream.close()
        }
    }

    @Test func aCancelledReadClosesIt() async throws {
        let bench = try await Bench()
        let stream = try await open(bench, "echo")
        let reading = Task { await failure { try await stream.read(upTo: 1) } }
        reading.cancel()
        #expect(await reading.value == .cancelled)
        #expect(await bench.closedEntries(1).map(\.state) == [.finished])
    }

    @Test func aCancelledConnectLeavesNothing() async throws {
        let bench = try await Bench()
        let news = bench.ledger.news()
        let connecting = Task { await failure { try await open(bench, "silent") } }
        for await entry in news where entry.state == .open { break }
        connecting.cancel()
        #expect(await connecting.value == .cancelled)
        #expect(await bench.closedEntries(1).count == 1)
        #expect(bench.ledger.open.isEmpty)
    }

    @Test func aServerThatTakesNothingIsGivenUp() async throws {
        var patience = Patience.patient
        patience.stall = .seconds(1)
        let bench = try await Bench(patience: patience)
        let stream = try await open(bench, "swallow")
        let port = bench.servers.port("swallow")
        #expect(
            await failure { try await stream.write(Data(count: 50_000_000)) }
                == .unreachable(host: "localhost", reason: "it accepts no more data on port \(port)"))
    }

    @Test func aStreamThatIsNotHeldIsClosed() async throws {
        let bench = try await Bench()
        do {
            let stream = try await open(bench, "echo")
            try await stream.write(Data("x".utf8))
        }
        let entries = await bench.closedEntries(1)
        #expect(entries.count == 1 && entries[0].state == .finished && entries[0].sent > 0)
    }

    @Test func aPlainConnectionBecomesEncrypted() async throws {
        let bench = try await Bench()
        let stream = try await open(bench, "upgrade", .startTLS)
        #expect(try await read(stream, until: "\n") == "* OK plain\r\n")
        try await stream.write(Data("STARTTLS\r\n".utf8))
        #expect(try await read(stream, until: "\n") == "OK begin\r\n")
        try await stream.startTLS()
        try await stream.write(Data("secret\n".utf8))
        #expect(try await read(stream, until: "\n") == "secret\n")
        #expect(await failure { try await stream.startTLS() } != nil)
    }

    /// Bytes that an attacker puts behind the server's response must not be taken for the server's later.
    @Test func whatCameInTheClearIsForgotten() async throws {
        let bench = try await Bench()
        let stream = try await open(bench, "injecting", .startTLS)
        _ = try await read(stream, until: "\n")
        try await stream.write(Data("STARTTLS\r\n".utf8))
        #expect(try await read(stream, until: "\n") == "OK begin\r\n")
        try await stream.startTLS()
        try await stream.write(Data("secret\n".utf8))
        #expect(try await read(stream, until: "\n") == "secret\n")
    }

    @Test func startTLSVerifiesToo() async throws {
        let bench = try await Bench()
        let stream = try await open(bench, "upgradeStranger", .startTLS)
        _ = try await read(stream, until: "\n")
        try await stream.write(Data("STARTTLS\r\n".utf8))
        _ = try await read(stream, until: "\n")
        guard case .insecure("localhost", _) = await failure({ try await stream.startTLS() }) else {
            Issue.record("any server is trusted after STARTTLS")
            return
        }
    }
}

private final class OwnThreads: TaskExecutor {
    private let queue = DispatchQueue(label: "own", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
