import FoundationEssentials
import MailKernelAPI
import Testing

@testable import LocalModels

/// FR-SET-04: what arrives quickly goes to the disk past the system's memory, in whole pages.
@Suite("Pieces of any size become one file") struct PieceWriterTests {
    private static let contents = Data(
        (0..<12_345_678).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) })

    /// Small and large ones, in whole pages and not, larger than what is written at a time.
    @Test(arguments: [
        [1_048_576], [1_000_003], [600_001, 5, 700_000, 4096, 4_194_304], [5_000_001, 1], [12_345_678], [999],
    ])
    func theyAreInTheFileInOrder(_ sizes: [Int]) throws {
        let place = try Place()
        let path = place.url.appending(path: "file").path
        let file = try OpenFile.writingModel(path)
        let writer = PieceWriter(file, at: 0)
        var (done, turn) = (0, 0)
        while done < Self.contents.count {
            let piece = Self.contents[done...].prefix(sizes[turn % sizes.count])
            try writer.add(piece)
            done += piece.count
            turn += 1
            #expect(try done - file.size < 4096)
            if turn % 5 == 0 {
                try writer.flush()
                #expect(try file.size == done)
            }
        }
        try writer.flush()
        #expect(try Data(contentsOf: URL(filePath: path)) == Self.contents)
    }

    @Test(arguments: [0, 1, 4096, 300_007]) func theyGoOnFromWhatIsThere(_ start: Int) throws {
        let place = try Place()
        let path = place.url.appending(path: "file").path
        let file = try OpenFile.writingModel(path)
        try file.write(Self.contents.prefix(start), at: 0)
        let writer = PieceWriter(file, at: start)
        for first in stride(from: start, to: Self.contents.count, by: 1_500_000) {
            try writer.add(Self.contents[first...].prefix(1_500_000))
        }
        try writer.flush()
        #expect(try Data(contentsOf: URL(filePath: path)) == Self.contents)
    }

    /// A device of which nothing can be said but that it takes no more: ENOSPC for every byte.
    @Test func aDiskThatIsFullIsSaid() throws {
        let writer = PieceWriter(try OpenFile.writingModel("/dev/full"), at: 0)
        #expect(throws: ModelError.self) { try writer.add(Data(count: 1_000_000)) }
        #expect(throws: ModelError.self) { try writer.add(Data(count: 10)) }
    }
}
