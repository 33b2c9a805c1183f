import FoundationEssentials
import MailKernelAPI
import Synchronization

/// The blobs that can be fetched again, and how many of them an account may keep.
struct BlobCache {
    let database: Database

    init(_ database: Database) {
        self.database = database
    }

    /// Removes cached blobs, least recently used first, until the rest fits. The most recently used stays,
    /// because it is about to be read. Returns the files that are no longer needed.
    func evict(account: Int64, limit: Int) throws(StorageError) -> [String] {
        let total = try database.integer(
            "SELECT sum(size) FROM blob WHERE account = ? AND cached = 1", .integer(account))
        var size = Int(total ?? 0)
        guard size > limit else { return [] }
        let cached = try database.rows(
            "SELECT row, size, file FROM blob WHERE account = ? AND cached = 1 ORDER BY last_use",
            [.integer(account)]
        ) { (row: $0.int64(0), size: $0.int(1), file: $0.text(2)) }
        var files: [String] = []
        for blob in cached.dropLast() where size > limit {
            try database.run("DELETE FROM blob WHERE row = ?", .integer(blob.row))
            files.append(blob.file)
            size -= blob.size
        }
        return files
    }

    /// Saves the reads since the last time.
    func note(_ uses: [Int64: Int]) throws(StorageError) {
        var store = try StoreRow(database)
        for (row, _) in uses.sorted(by: { $0.value < $1.value }) {
            store.lastUse += 1
            try database.run(
                "UPDATE blob SET last_use = ? WHERE row = ?", .integer(store.lastUse), .integer(row))
        }
        try store.save(to: database)
    }
}

/// The cached blobs that were read, until the next write: a read must not wait for the disk.
final class BlobUses: Sendable {
    private struct State {
        var next = 0
        var uses: [Int64: Int] = [:]
    }

    private let state = Mutex(State())

    func note(_ row: Int64) {
        state.withLock { state in
            state.next += 1
            state.uses[row] = state.next
        }
    }

    func take() -> [Int64: Int] {
        state.withLock { state in
            defer { state.uses = [:] }
            return state.uses
        }
    }
}
