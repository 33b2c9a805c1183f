import MailKernelAPI

/// A lease ends this many seconds after its holder was last heard of, by the server's clock.
let leaseSeconds = 8

extension Connection {
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
        try run(
            """
            UPDATE account SET held_until = clock_timestamp() + interval '\(leaseSeconds) seconds' WHERE holder = $1
            """, .bytes(kernel))
    }

    func releaseLeases(of kernel: [UInt8]) throws(StorageError) {
        try run("UPDATE account SET holder = NULL WHERE holder = $1", .bytes(kernel))
    }
}
