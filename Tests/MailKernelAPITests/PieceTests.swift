import Foundation
import MailKernelAPI
import Testing

@Suite("Large contents are read in pieces") struct PieceTests {
    /// Returns less than it is asked for, and may end before its size.
    private struct SlowSource: ByteSource {
        let size: Int
        var end = Int.max

        func read(at offset: Int, count: Int) -> Data {
            Data((offset..<min(offset + min(count, 3), size, max(offset, end))).map { UInt8($0) })
        }
    }

    @Test(arguments: [(0, []), (5, [5]), (10, [10]), (23, [10, 10, 3])])
    func everyPieceButTheLastIsFull(_ size: Int, _ expected: [Int]) async throws {
        var pieces: [Data] = []
        for try await piece in SlowSource(size: size).pieces(of: 10) { pieces.append(piece) }
        #expect(pieces.map(\.count) == expected)
        #expect(pieces.flatMap { $0 } == (0..<size).map { UInt8($0) })
    }

    @Test func aSourceThatEndsEarlyIsAnError() async throws {
        var pieces = SlowSource(size: 20, end: 14).pieces(of: 10)
        #expect(try await pieces.next()?.count == 10)
        await #expect(throws: IncompleteSource.self) { try await pieces.next() }
    }

    @Test func slicesKeepTheOrder() {
        #expect([1, 2, 3, 4, 5].slices(of: 2).map(Array.init) == [[1, 2], [3, 4], [5]])
        #expect([Int]().slices(of: 2).isEmpty)
        #expect([1, 2].slices(of: 0).map(Array.init) == [[1], [2]])
    }
}
