public import FoundationEssentials

/// Receives bytes piece by piece, so that large contents are never held in memory.
public protocol ByteSink: Sendable {
    /// Takes the next bytes, in order. Returns when it is ready for more.
    ///
    /// - Throws: when the bytes cannot be stored (a full disk). Stop then, and pass the error on.
    func write(_ bytes: Data) async throws
}

/// Provides bytes on request: any range, any number of times.
public protocol ByteSource: Sendable {
    /// The number of bytes. It does not change.
    var size: Int { get }

    /// Up to `count` bytes from `offset` on; fewer only at the end, none past it.
    func read(at offset: Int, count: Int) async throws -> Data
}

/// A `ByteSource` for bytes that are already in memory.
public struct DataSource: ByteSource {
    private let data: Data

    public init(_ data: Data) {
        self.data = data
    }

    public var size: Int { data.count }

    public func read(at offset: Int, count: Int) -> Data {
        guard offset >= 0, count > 0 else { return Data() }
        return Data(data.dropFirst(offset).prefix(count))
    }
}
