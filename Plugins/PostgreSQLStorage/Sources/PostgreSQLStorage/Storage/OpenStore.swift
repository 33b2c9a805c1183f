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
    private let isShared: Bool
    private let readers: LanePool
    private let writers: LanePool

    private static let mostReaders = 4
    /// Commits to one account wait for each other on the server, each on its own connection.
    private static let mostWriters = 3

    /// - Parameter isShared: whether other kernels can have the store open, too.
    init(isShared: Bool, _ connect: @escaping @Sendable () throws(StorageError) -> Connection) {
        self.isShared = isShared
        kernel = Array(UUID().uuidString.utf8)
        others = OtherKernels(kernel, isShared: isShared, connect)
        readers = LanePool(Self.mostReaders) { Lane("postgresql-storage.reader-\($0)", connect: connect) }
        writers = LanePool(Self.mostWriters) { Lane("postgresql-storage.writer-\($0)", connect: connect) }
    }

    func read<Answer: Sendable>(
        _ body: @escaping @Sendable (Connection) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        try await readers.run { lane throws(StorageError) in try lane.read(body) }
    }

    /// Everything that `body` writes is durable when this returns, or nothing was written if it throws.
    func write<Answer: Sendable>(
        _ body: @escaping @Sendable (Connection) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        let (kernel, isShared) = (kernel, isShared)
        return try await prepare { connection throws(StorageError) in
            if !isShared { try connection.keepStore(of: kernel) }
            return try body(connection)
        }
    }

    /// Writes before this kernel holds the store.
    func prepare<Answer: Sendable>(
        _ body: @escaping @Sendable (Connection) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        try await writers.run { lane throws(StorageError) in try lane.write(body) }
    }

    /// Takes the store, unless it is shared. A kernel that crashed holds it for some more seconds.
    func take() async throws(StorageError) {
        guard !isShared else { return }
        let kernel = kernel
        if try await prepare({ connection throws(StorageError) in try connection.takeStore(for: kernel) }) {
            return
        }
        try await read { connection throws(StorageError) in
            _ = try connection.first("SELECT pg_sleep(\(leaseSeconds) + 0.5)", once: true) { _ in () }
        }
        guard try await prepare({ connection throws(StorageError) in try connection.takeStore(for: kernel) })
        else { throw .inUse }
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
