public import FoundationEssentials

/// Takes bytes as they arrive, so that nothing large is ever held in memory.
public protocol ByteSink: Sendable {
    /// Takes the next bytes, in order; returns when more may come.
    ///
    /// - Throws: when the bytes cannot be taken (a full disk). Stop then, and let the error through.
    func write(_ bytes: Data) async throws
}

/// Gives bytes as they are asked for, any part, any number of times.
public protocol ByteSource: Sendable {
    var size: Int { get }

    /// Up to `count` bytes from `offset` on; fewer only at the end, none past it.
    func read(at offset: Int, count: Int) async throws -> Data
}

/// Bytes that are in memory anyway.
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
