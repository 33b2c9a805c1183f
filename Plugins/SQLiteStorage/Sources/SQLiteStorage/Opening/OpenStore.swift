import FoundationEssentials
import MailKernelAPI
import Synchronization

/// A store that is open: its connections, and the lock that keeps others out.
final class OpenStore: Sendable {
    let folder: StoreFolder
    let blobUses = BlobUses()
    let vectors = VectorMemory()
    /// Held as long as the connections are: closing any file of ours on the database would give up
    /// the locks that SQLite has on it (POSIX), and let another program empty the log.
    let databaseFile: OpenFile
    private let lock: OpenFile
    private let writer: Lane
    private let readers: ReaderPool
    let check: BackgroundCheck?
    let merging: IndexMerging
    private let checking = Mutex<Task<Void, Never>?>(nil)

    init(
        folder: StoreFolder, databaseFile: OpenFile, lock: OpenFile, writer: Lane, readers: ReaderPool,
        check: BackgroundCheck?
    ) {
        self.folder = folder
        self.databaseFile = databaseFile
        self.lock = lock
        self.writer = writer
        self.readers = readers
        self.check = check
        merging = IndexMerging(writer)
    }

    /// Looks for damage beside everything else, if it is time to.
    func startChecking(_ log: PluginLog) {
        guard let check else { return }
        let task = Task.detached(priority: .background) {
            guard let damage = (try? await check.run()) ?? nil else { return }
            log.error("Damage was found; the whole database is checked at the next start: \(public: damage)")
        }
        checking.withLock { $0 = task }
    }

    private func stopChecking() async {
        let task = checking.withLock { $0.take() }
        task?.cancel()
        await task?.value
        await check?.lane.close()
    }

    func read<Answer: Sendable>(
        _ body: @escaping @Sendable (Database) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        do throws(StorageError) {
            return try await readers.read(body)
        } catch {
            throw noting(error)
        }
    }

    /// Runs `body` in a transaction of the writer, which is durable when this returns.
    ///
    /// - Parameter bringsIn: whether it needs additional space. It is refused while the reserve is lent.
    func write<Answer: Sendable>(
        bringsIn: Bool = false, _ body: @escaping @Sendable (Database) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        try await withWriter(bringsIn: bringsIn) { database throws(StorageError) in
            try database.transaction(.write) { () throws(StorageError) in try body(database) }
        }
    }

    /// Runs `body` on the writer, outside of any transaction. On a full disk it is run again with the reserve.
    func withWriter<Answer: Sendable>(
        bringsIn: Bool = false, _ body: @escaping @Sendable (Database) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        let room = DiskRoom(folder: folder, file: databaseFile)
        do throws(StorageError) {
            return try await writer.run { database throws(StorageError) in
                let run = { () throws(StorageError) in try body(database) }
                return bringsIn ? try room.bringIn(run) : try room.makeRoom(in: database, run)
            }
        } catch {
            throw noting(error)
        }
    }

    /// Rebuilds damaged indexes. Returns false if something else is damaged.
    func mendIndexes() async throws(StorageError) -> Bool {
        guard try await withWriter({ database throws(StorageError) in try database.mendIndexes() }) else {
            return false
        }
        try Folders.remove(folder.damageMark)
        return true
    }

    /// Does what follows from a commit and is no part of it.
    func wasCommitted(_ outcome: Commit.Outcome) {
        vectors.note(outcome.touchedInsights)
        if outcome.isIndexTouched { merging.wasWritten() }
        removeBlobFiles(outcome.obsoleteFiles)
    }

    /// Removes unreferenced files. If that fails, the next opening removes them.
    func removeBlobFiles(_ names: [String]) {
        for name in names { try? Folders.remove(folder.blob(name)) }
    }

    func close() async {
        await stopChecking()
        await merging.stop()
        let uses = blobUses.take()
        if !uses.isEmpty {
            try? await write(bringsIn: true) { database throws(StorageError) in
                try BlobCache(database).note(uses)
            }
        }
        await readers.close()
        vectors.forgetAll()
        // Last: closing the last connection empties the log into the database.
        await writer.close()
    }

    /// Releases the store. Call this when its files are no longer used.
    func unlock() { lock.unlock() }

    /// The next opening looks through everything.
    func noteDamage() { _ = try? OpenFile.writing(folder.damageMark) }

    private func noting(_ error: StorageError) -> StorageError {
        if case .corrupt = error { noteDamage() }
        return error
    }
}
