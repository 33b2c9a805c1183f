import FoundationEssentials
import MailKernelAPI
import Synchronization
import Testing

@testable import PostgreSQLStorage

@Suite("What comes next in an object is requested ahead") struct ReadAheadTests {
    private static let object = StoredObject(account: 1, upload: "u", key: Data(), size: 20_000_000)

    @Test func aReaderInOrderGetsEverythingFromWholeRequests() async throws {
        let server = Server()
        let ahead = server.ahead
        for start in stride(from: 0, to: Self.object.size, by: OpenedBlock.size) {
            let end = min(start + OpenedBlock.size, Self.object.size)
            let block = try #require(try await ahead.block(Self.object, start..<end))
            #expect(block.range == start..<end)
            let reach = server.asked.map(\.upperBound).max() ?? 0
            #expect(reach * StoredObject.piece <= end + 15 * OpenedBlock.size)
        }
        let asked = server.asked.sorted { $0.lowerBound < $1.lowerBound }
        #expect(asked.first?.lowerBound == 0)
        #expect(zip(asked, asked.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
        #expect(asked.last?.upperBound == Self.object.pieces.upperBound)
        #expect(asked.map(\.upperBound) == [28, 56, 77])
        await ahead.stop()
    }

    @Test func aReadFromTheMidstRequestsItsPiecesOnly() async throws {
        let server = Server()
        let ahead = server.ahead
        for start in [5_000_000, 5_000_100, 12_000_000] {
            _ = try await ahead.block(Self.object, start..<start + 10)
        }
        #expect(server.asked == [19..<20, 45..<46])
    }

    @Test func oneLargeReadIsNotRequestedAllAtOnce() async throws {
        let server = Server()
        _ = try await server.ahead.block(Self.object, 1_000_000..<Self.object.size)
        #expect(server.asked.map(\.count).reduce(0, +) <= 15 * OpenedBlock.pieces)
    }

    @Test func whatFailedAheadIsRequestedAgain() async throws {
        let server = Server(failures: 1) { $0.lowerBound > 0 }
        let ahead = server.ahead
        for start in stride(from: 0, to: 4 * OpenedBlock.size, by: OpenedBlock.size) {
            let wanted = start..<start + OpenedBlock.size
            // The reader may have come before the failure.
            let first = try? await ahead.block(Self.object, wanted)
            let block = if let first { first } else { try await ahead.block(Self.object, wanted) }
            #expect(block?.range == wanted)
        }
        await ahead.stop()
    }

    @Test func whatFailsIsNotRequestedForEver() async throws {
        let server = Server(failures: .max) { _ in true }
        let error = await #expect(throws: StorageError.self) {
            try await server.ahead.block(Self.object, 0..<1)
        }
        #expect(error == Server.failure)
        #expect(server.asked.count == 1)
    }

    @Test func anObjectThatIsGoneIsNone() async throws {
        let ahead = ReadAhead { _, _, _ in .gone }
        #expect(try await ahead.block(Self.object, 0..<Self.object.size) == nil)
    }

    @Test func nothingIsReadOnceItWasStopped() async throws {
        let server = Server()
        let ahead = server.ahead
        _ = try await ahead.block(Self.object, 0..<OpenedBlock.size)
        await ahead.stop()
        await #expect(throws: StorageError.closed) { try await ahead.block(Self.object, 0..<1) }
    }

    @Test(.timeLimit(.minutes(1))) func theRequestEndsWithItsOnlyReader() async throws {
        let (began, begin) = AsyncStream<Void>.makeStream()
        let ahead = ReadAhead { _, _, _ in
            begin.yield()
            try? await Task.sleep(for: .seconds(1_000))
            return .failed(.cancelled)
        }
        let reading = Task { try await ahead.block(Self.object, 0..<1) }
        for await _ in began { break }
        reading.cancel()
        await #expect(throws: StorageError.cancelled) { try await reading.value }
    }
}

/// Remembers what was requested, and fails as often as it should.
private final class Server: Sendable {
    static let failure = StorageError.unreachable(reason: "it failed")

    private let state: Mutex<(asked: [Range<Int>], failures: Int)>
    private let fails: @Sendable (Range<Int>) -> Bool

    init(failures: Int = 0, _ fails: @escaping @Sendable (Range<Int>) -> Bool = { _ in false }) {
        state = Mutex(([], failures))
        self.fails = fails
    }

    var ahead: ReadAhead { ReadAhead { self.deliver($0, $1, $2) } }
    var asked: [Range<Int>] { state.withLock { $0.asked } }

    private func deliver(
        _ object: StoredObject, _ pieces: Range<Int>, _ deliver: @escaping ObjectFetch.Delivery
    ) -> ObjectFetch.End {
        let isFailing = state.withLock { state in
            state.asked.append(pieces)
            guard fails(pieces), state.failures > 0 else { return false }
            state.failures -= 1
            return true
        }
        guard !isFailing else { return .failed(Self.failure) }
        var next = pieces.lowerBound
        while next < pieces.upperBound {
            let end = min(pieces.upperBound, (next / OpenedBlock.pieces + 1) * OpenedBlock.pieces)
            let bytes = object.bytes(in: next..<end)
            deliver(OpenedBlock(start: bytes.lowerBound, bytes: Data(count: bytes.count)))
            next = end
        }
        return .complete
    }
}
