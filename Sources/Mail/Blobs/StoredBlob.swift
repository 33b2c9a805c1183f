import FoundationEssentials
import MailKernelAPI

/// A blob of the store as a source of bytes.
package struct StoredBlob: ByteSource {
    package let info: BlobInfo
    private let store: any MailReader

    package init(_ info: BlobInfo, _ store: any MailReader) {
        self.info = info
        self.store = store
    }

    /// - Throws: `.notFound` if its bytes are not here.
    package init(_ id: Id<Blob>, in accountID: Id<Account>, _ store: any MailReader)
        async throws(StorageError)
    {
        guard let info = try await store.blobInfo(id, in: accountID) else { throw .notFound("a blob") }
        self.init(info, store)
    }

    package var size: Int { info.size }

    package func read(at offset: Int, count: Int) async throws -> Data {
        guard offset >= 0, offset < size, count > 0 else { return Data() }
        return try await store.readBlob(info.id, in: info.accountID, offset: offset, count: count)
    }
}

/// Bytes whose stored copy may go while they are read: a kept message once its service has it, a cached
/// one when room is needed. They are then fetched again.
actor FetchedAgain: ByteSource {
    nonisolated let size: Int
    private var source: any ByteSource
    private let fetch: @Sendable () async throws -> any ByteSource

    init(_ source: any ByteSource, fetch: @escaping @Sendable () async throws -> any ByteSource) {
        self.size = source.size
        self.source = source
        self.fetch = fetch
    }

    func read(at offset: Int, count: Int) async throws -> Data {
        do {
            return try await source.read(at: offset, count: count)
        } catch StorageError.notFound {
            source = try await fetch()
            return try await source.read(at: offset, count: count)
        }
    }
}

extension ByteSource {
    /// Gives all of it to a sink, piece by piece.
    package func write(to sink: any ByteSink) async throws {
        for try await piece in pieces(of: 1 << 20) { try await sink.write(piece) }
    }

    /// All of it in memory.
    ///
    /// - Throws: `BlobError.tooLarge` if that would be more than `limit`.
    package func data(limit: Int) async throws -> Data {
        guard size <= limit else { throw BlobError.tooLarge(size: size, limit: limit) }
        var all = Data(capacity: size)
        for try await piece in pieces(of: 1 << 20) { all.append(piece) }
        return all
    }
}
