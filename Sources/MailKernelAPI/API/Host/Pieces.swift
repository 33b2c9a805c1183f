public import FoundationEssentials

/// The bytes of a `ByteSource` in order, piece by piece: `for try await piece in source.pieces(of: 65_536)`.
public struct BytePieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
    private let source: any ByteSource
    private let count: Int
    private var offset = 0

    init(_ source: any ByteSource, count: Int) {
        (self.source, self.count) = (source, count)
    }

    /// The next `count` bytes, or those that are left; nil at the end.
    ///
    /// - Throws: the error of the source, and `IncompleteSource` if it ends before its size.
    public mutating func next() async throws -> Data? {
        let wanted = Swift.min(count, source.size - offset)
        var piece = Data()
        while piece.count < wanted {
            let read = try await source.read(at: offset, count: wanted - piece.count)
            guard !read.isEmpty else { throw IncompleteSource() }
            piece = piece.isEmpty ? read : piece + read
            offset += read.count
        }
        return piece.isEmpty ? nil : piece
    }

    /// An iterator over the rest.
    public func makeAsyncIterator() -> BytePieces { self }
}

/// A `ByteSource` ended before its size.
public struct IncompleteSource: Error, Hashable, Codable, CustomStringConvertible {
    public init() {}

    public var description: String { "The data is incomplete." }
}

extension ByteSource {
    /// All bytes in order, in pieces of at most `count`.
    public func pieces(of count: Int) -> BytePieces { BytePieces(self, count: count) }
}

extension Collection {
    /// The elements in order, in slices of at most `count`, which is positive.
    public func slices(of count: Int) -> [SubSequence] {
        var slices: [SubSequence] = []
        var rest = self[...]
        while !rest.isEmpty {
            slices.append(rest.prefix(Swift.max(1, count)))
            rest = rest.dropFirst(Swift.max(1, count))
        }
        return slices
    }
}
