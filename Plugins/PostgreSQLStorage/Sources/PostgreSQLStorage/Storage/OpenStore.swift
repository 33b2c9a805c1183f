import FoundationEssentials
import MailKernelAPI
import Synchronization

/// A store that is open: its connections.
final class OpenStore: Sendable {
    /// What other kernels know this one by.
    let kernel: [UInt8]
    let uses = BlobUses()
    let others: OtherKernels
    let vectors = VectorMemory()
    /// Where large blobs are, once the store is open; nil if all are in the database.
    private let large = Mutex<(objects: ObjectStore, sweep: ObjectSweep)?>(nil)
    private let readers: LanePool
    private let writers: LanePool

    private static let mostReaders = 4
    /// Commits to one account wait for each other on the server, each on its own connection.
    private static let mostWriters = 3

    init(_ connect: @escaping @Sendable () throws(StorageError) -> Connection) {
        kernel = Array(UUID().uuidString.utf8)
        others = OtherKernels(kernel, connect)
        readers = LanePool(Self.mostReaders) { Lane("postgresql-storage.reader-\($0)", connect: connect) }
        writers = LanePool(Self.mostWriters) { Lane("postgresql-storage.writer-\($0)", connect: connect) }
    }

    func read<Answer: Sendable>(
        _ body: @escaping @Sendable (Connection) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        try await readers.run { lane throws(StorageError) in try lane.read(body) }
    }

    /// Everything that `body` writes is durable when this returns, or nothing was written if it throws.
    ///
    /// - Parameter isMarked: see `Lane.write`.
    func write<Answer: Sendable>(
        isMarked: Bool = true,
        _ body: @escaping @Sendable (Connection) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        try await writers.run { lane throws(StorageError) in try lane.write(isMarked: isMarked, body) }
    }

    var objects: ObjectStore? { large.withLock { $0?.objects } }
    var sweep: ObjectSweep? { large.withLock { $0?.sweep } }

    func keepLargeBlobs(in objects: ObjectStore, _ sweep: ObjectSweep) {
        large.withLock { $0 = (objects, sweep) }
        sweep.start(self)
    }

    func close() async {
        await sweep?.stop()
        await others.stop()
        if let uses = uses.take() {
            try? await write { connection throws(StorageError) in try BlobCache(connection).note(uses) }
        }
        await readers.close()
        await writers.close()
    }
}
