import FoundationEssentials
import MailKernelAPI
import Synchronization

/// Keeps everything in one SQLite database and a folder of blobs.
///
/// One connection writes and a few read, each on a separate thread: a reader never waits for the writer, and
/// no SQLite call blocks a shared thread of Swift's tasks.
final class SQLiteStorage: StorageBackend, StorageInsights, StorageCare {
    private let host: HostServices
    private let opened = Mutex<OpenStore?>(nil)

    init(_ host: HostServices) {
        self.host = host
    }

    var parts: StorageParts { StorageParts(insights: self, care: self) }

    func open() async throws(StorageError) -> StorageOpening {
        guard opened.withLock({ $0 }) == nil else { return .ready }
        let opening = Opening(folder: StoreFolder(path: host.dataFolder.path), now: host.clock.now)
        let (store, met) = try await opening.run()
        let isFirst = opened.withLock { opened in
            guard opened == nil else { return false }
            opened = store
            return true
        }
        // Two calls at once: the lock file lets one in, so this cannot be another's.
        guard isFirst else {
            await close(store)
            return met
        }
        store.startChecking(host.log)
        // What the last run did not live to.
        store.merging.wasWritten()
        return met
    }

    func close() async {
        guard let store = opened.withLock({ $0.take() }) else { return }
        await close(store)
    }

    private func close(_ store: OpenStore) async {
        await store.close()
        store.unlock()
    }

    func wipe() async throws(StorageError) {
        guard let store = opened.withLock({ $0.take() }) else { throw .closed }
        await store.close()
        // Others are let in only when all is gone.
        defer { store.unlock() }
        try await OffThread.run { () throws(StorageError) in try store.folder.removeEverything() }
    }

    func store() throws(StorageError) -> OpenStore {
        guard let store = opened.withLock({ $0 }) else { throw .closed }
        return store
    }

    /// Reads of one moment.
    func read<Answer: Sendable>(
        _ body: @escaping @Sendable (Database) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        try await store().read(body)
    }

    /// Reads of one account at one moment; `none` if there is no such account.
    func read<Answer: Sendable>(
        _ accountID: Id<Account>, none: Answer,
        _ body: @escaping @Sendable (Database, Int64) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        try await read { database throws(StorageError) in
            guard let account = try database.account(accountID) else { return none }
            return try body(database, account.row)
        }
    }
}
