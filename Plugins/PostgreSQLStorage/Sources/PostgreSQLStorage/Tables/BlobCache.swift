import FoundationEssentials
import MailKernelAPI
import Synchronization

/// The blobs that can be fetched again, and how many of them an account may keep.
struct BlobCache {
    private let connection: Connection

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Removes cached blobs, least recently used first, until the rest fits. The most recently used stays, because it is
    /// about to be read.
    func evict(account: Int, limit: Int) throws(StorageError) {
        try connection.run(
            """
            WITH gone AS (
                DELETE FROM blob b USING (
                    SELECT id, sum(size) OVER (ORDER BY last_use DESC) AS sum, row_number() OVER (ORDER BY last_use DESC)
                    FROM blob WHERE account = $1 AND cached) c
                WHERE b.account = $1 AND b.id = c.id AND c.sum > $2 AND c.row_number > 1 RETURNING b.upload)
            DELETE FROM blob_chunk WHERE account = $1 AND upload IN (SELECT upload FROM gone)
            """, .integer(account), .integer(limit))
    }

    /// Saves the reads since the last time.
    func note(_ uses: [BlobUses.Key]) throws(StorageError) {
        for use in uses {
            guard let account = try connection.account(use.account) else { continue }
            try connection.run(
                "UPDATE blob SET last_use = $3 WHERE account = $1 AND id = $2", .integer(account),
                .id(use.blob),
                .integer(try nextUse(of: account)))
        }
    }

    /// The clock of an account: the greater, the more recently used.
    func nextUse(of account: Int) throws(StorageError) -> Int {
        try connection.first(
            "UPDATE account SET last_use = last_use + 1 WHERE account = $1 RETURNING last_use",
            [.integer(account)]
        ) { $0.int(0) } ?? 0
    }
}

/// The cached blobs that were read, in this order, until the next write: a read must not wait for the disk.
final class BlobUses: Sendable {
    struct Key: Hashable {
        var account: Id<Account>
        var blob: Id<Blob>
    }

    private let uses = Mutex<[Key]>([])

    func note(_ key: Key) {
        uses.withLock { uses in
            uses.removeAll { $0 == key }
            uses.append(key)
        }
    }

    /// Nil if there are none.
    func take() -> [Key]? {
        uses.withLock { uses in
            defer { uses = [] }
            return uses.isEmpty ? nil : uses
        }
    }
}
