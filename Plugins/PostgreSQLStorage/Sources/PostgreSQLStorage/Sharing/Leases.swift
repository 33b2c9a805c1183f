import MailKernelAPI

/// A lease ends this many seconds after its holder was last heard of, by the server's clock.
let leaseSeconds = 8

extension Connection {
    /// Makes this kernel the only one that can write; false if another one holds the store.
    func takeStore(for kernel: [UInt8]) throws(StorageError) -> Bool {
        // Commits that the former holder has begun are waited for: they lock the row by its key.
        _ = try first("SELECT 1 FROM store FOR UPDATE", once: true) { _ in () }
        return try run(
            """
            UPDATE store SET holder = $1, held_until = clock_timestamp() + interval '\(leaseSeconds) seconds'
            WHERE holder IS NULL OR holder = $1 OR held_until < clock_timestamp()
            """, .bytes(kernel)) == 1
    }

    /// No other program takes the store before the transaction has ended.
    func keepStore(of kernel: [UInt8]) throws(StorageError) {
        let find = "SELECT 1 FROM store WHERE holder = $1 FOR KEY SHARE"
        guard try first(find, [.bytes(kernel)], { _ in true }) != nil else { throw .inUse }
    }

    /// The fence of the lease; nil if another kernel holds it.
    func takeLease(of id: Id<Account>, for kernel: [UInt8]) throws(StorageError) -> Int? {
        try first(
            """
            UPDATE account SET fence = fence + CASE WHEN holder = $2 THEN 0 ELSE 1 END, holder = $2,
                held_until = clock_timestamp() + interval '\(leaseSeconds) seconds'
            WHERE id = $1 AND (holder IS NULL OR holder = $2 OR held_until < clock_timestamp()) RETURNING fence
            """, [.id(id), .bytes(kernel)]
        ) { $0.int(0) }
    }

    /// Keeps what a kernel holds. What is another's by now stays lost.
    func renewLeases(of kernel: [UInt8]) throws(StorageError) {
        for table in ["account", "store"] {
            try run(
                """
                UPDATE \(table) SET held_until = clock_timestamp() + interval '\(leaseSeconds) seconds'
                WHERE holder = $1
                """, .bytes(kernel))
        }
    }

    func releaseLeases(of kernel: [UInt8]) throws(StorageError) {
        for table in ["account", "store"] {
            try run("UPDATE \(table) SET holder = NULL WHERE holder = $1", .bytes(kernel))
        }
    }
}
