import FoundationEssentials
import MailKernelAPI
import Synchronization

/// A store that is open: its servers.
final class OpenStore: Sendable {
    /// What other kernels know this one by.
    let kernel: [UInt8]
    /// The server with everything that belongs to no account. Most stores have no other.
    let home: StoreServer
    let further: [String: StoreServer]
    let map = AccountMap()
    let keeper: PlaceKeeper?
    let vectors = VectorMemory()
    /// Where large blobs are, once the store is open; nil if all are in the database.
    private let large = Mutex<(objects: ObjectStore, sweep: ObjectSweep)?>(nil)

    init(kernel: [UInt8], home: StoreServer, further: [StoreServer] = []) {
        self.kernel = kernel
        self.home = home
        self.further = Dictionary(further.map { ($0.name, $0) }) { first, _ in first }
        keeper = further.isEmpty ? nil : PlaceKeeper(kernel, home: home, further, map)
    }

    var isSpread: Bool { !further.isEmpty }
    var servers: [StoreServer] { [home] + further.values.sorted { $0.name < $1.name } }

    /// Of what belongs to no account.
    func read<Answer: Sendable>(
        _ body: @escaping @Sendable (Connection) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        try await home.read(body)
    }

    /// The same as `StoreServer.write`, of what belongs to no account.
    func write<Answer: Sendable>(
        isMarked: Bool = true,
        _ body: @escaping @Sendable (Connection) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        try await home.write(isMarked: isMarked, body)
    }

    var objects: ObjectStore? { large.withLock { $0?.objects } }
    var sweep: ObjectSweep? { large.withLock { $0?.sweep } }

    func keepLargeBlobs(in objects: ObjectStore, _ sweep: ObjectSweep) {
        large.withLock { $0 = (objects, sweep) }
        sweep.start(self)
    }

    func close() async {
        await sweep?.stop()
        await objects?.stop()
        await keeper?.stop()
        for server in servers { await server.close() }
    }
}
