import Foundation
import SQLite
import Testing

/// A client that leaves must not keep a core busy.
@Suite("What is no longer wanted ends") struct InterruptionTests {
    private static let endless =
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"

    @Test(.timeLimit(.minutes(1))) func aReadingEndsWithItsTask() async throws {
        let lane = Lane("test", try Database.inMemory())
        let (begun, begins) = AsyncStream<Void>.makeStream()
        let reading = Task {
            try await lane.read { database throws(TestFailure) in
                begins.yield()
                return try database.integer(Self.endless)
            }
        }
        for await _ in begun { break }
        reading.cancel()
        await #expect(throws: TestFailure.cancelled) { try await reading.value }
        // The next call is not interrupted.
        #expect(
            try await lane.read { database throws(TestFailure) in try database.integer("SELECT 7") } == 7)
        await lane.close()
    }
}
