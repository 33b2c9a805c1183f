import Foundation
import MailKernelAPI
import Testing

@testable import SQLiteStorage

/// A client that leaves must not keep a core busy.
@Suite("What is no longer wanted ends") struct InterruptionTests {
    private static let endless =
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"

    @Test(.timeLimit(.minutes(1))) func aReadingEndsWithItsTask() async throws {
        let lane = Lane("test", try Database(":memory:", .readWrite))
        let (begun, begins) = AsyncStream<Void>.makeStream()
        let reading = Task {
            try await lane.read { database throws(StorageError) in
                begins.yield()
                return try database.integer(Self.endless)
            }
        }
        for await _ in begun { break }
        reading.cancel()
        await #expect(throws: StorageError.cancelled) { try await reading.value }
        // The next one is not its heir.
        #expect(
            try await lane.read { database throws(StorageError) in try database.integer("SELECT 7") } == 7)
        await lane.close()
    }
}
