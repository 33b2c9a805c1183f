import FoundationEssentials
import MailKernelAPI

extension PostgreSQLStorage {
    func writeBlob(_ blob: BlobInfo) async throws(StorageError) -> any BlobWriter {
        let account = try await read { connection throws(StorageError) in
            try connection.account(blob.accountID)
        }
        guard account != nil else { throw .notFound("account \(blob.accountID)") }
        return try BufferedBlobWriter(blob, into: self)
    }

    func blobInfo(_ id: Id<Blob>, in accountID: Id<Account>) async throws(StorageError) -> BlobInfo? {
        try await read(accountID, none: nil) { connection, account throws(StorageError) in
            try connection.first(
                "SELECT type, name, size, cached FROM blob WHERE account = $1 AND id = $2",
                [.integer(account), .id(id)]
            ) { row in
                BlobInfo(
                    id: id, accountID: accountID, type: row.text(0), name: row.textOrNil(1), size: row.int(2),
                    retention: row.flag(3) ? .cached : .kept)
            }
        }
    }

    func readBlob(
        _ id: Id<Blob>, in accountID: Id<Account>, offset: Int, count: Int
    ) async throws(StorageError) -> Data {
        let store = try store()
        let read = try await read(accountID, none: nil) {
            connection, account throws(StorageError) -> BlobRead? in
            try connection.readBlob(id, account, offset: offset, count: count)
        }
        guard let read else { throw .notFound("blob \(id)") }
        if read.isCached { store.uses.note(.init(account: accountID, blob: id)) }
        return read.bytes
    }

    func removeBlob(_ id: Id<Blob>, in accountID: Id<Account>) async throws(StorageError) {
        try await store().write { connection throws(StorageError) in
            guard let account = try connection.account(accountID) else { return }
            try connection.removeBlob(id, account)
        }
    }

    /// Stores a blob whose bytes `next` returns one chunk after the other, until it returns none.
    func keep(
        _ info: BlobInfo,
        _ next: @escaping @Sendable (_ offset: Int, _ count: Int) throws(StorageError) -> [UInt8]
    ) async throws(StorageError) {
        let store = try store()
        let uses = store.uses.take() ?? []
        try await store.write { connection throws(StorageError) in
            let found = try connection.first(
                "SELECT account, cache_limit FROM account WHERE id = $1 FOR UPDATE", [.id(info.accountID)]
            ) { (number: $0.int(0), limit: $0.int(1)) }
            guard let found else { throw .notFound("account \(info.accountID)") }
            let cache = BlobCache(connection)
            try cache.note(uses)
            try connection.removeBlob(info.id, found.number)
            try connection.writeBlob(info, found.number, use: try cache.nextUse(of: found.number), next)
            try cache.evict(account: found.number, limit: found.limit)
        }
    }
}

private struct BlobRead {
    var bytes: Data
    var isCached: Bool
}

extension Connection {
    private static var chunk: Int { 256 << 10 }

    fileprivate func removeBlob(_ id: Id<Blob>, _ account: Int) throws(StorageError) {
        try run(
            """
            WITH gone AS (DELETE FROM blob WHERE account = $1 AND id = $2 RETURNING upload)
            DELETE FROM blob_chunk WHERE account = $1 AND upload IN (SELECT upload FROM gone)
            """, .integer(account), .id(id))
    }

    fileprivate func writeBlob(
        _ info: BlobInfo, _ account: Int, use: Int,
        _ next: (_ offset: Int, _ count: Int) throws(StorageError) -> [UInt8]
    ) throws(StorageError) {
        let upload = SQLValue.string(UUID().uuidString)
        var size = 0
        while true {
            let bytes = try next(size, Self.chunk)
            guard !bytes.isEmpty else { break }
            try run(
                "INSERT INTO blob_chunk VALUES ($1, $2, $3, $4)", .integer(account), upload,
                .integer(size / Self.chunk), .bytes(bytes))
            size += bytes.count
        }
        try run(
            "INSERT INTO blob VALUES ($1, $2, $3, $4, $5, $6, $7, $8)", .integer(account), .id(info.id),
            upload,
            .string(info.type), .string(info.name), .integer(size), .flag(info.retention == .cached),
            .integer(use))
    }

    fileprivate func readBlob(
        _ id: Id<Blob>, _ account: Int, offset: Int, count: Int
    ) throws(StorageError) -> BlobRead? {
        let blob = try first(
            "SELECT upload, size, cached FROM blob WHERE account = $1 AND id = $2",
            [.integer(account), .id(id)]
        ) { (upload: $0.text(0), size: $0.int(1), isCached: $0.flag(2)) }
        guard let blob else { return nil }
        guard offset >= 0, offset < blob.size, count > 0 else {
            return BlobRead(bytes: Data(), isCached: blob.isCached)
        }
        let end = offset + min(count, blob.size - offset)
        let first = offset / Self.chunk
        let chunks = try rows(
            """
            SELECT substring(bytes FROM (CASE WHEN number = $3 THEN $5 + 1 ELSE 1 END)::integer
                FOR least($6 - number * $7, $7)::integer - (CASE WHEN number = $3 THEN $5 ELSE 0 END)::integer)
            FROM blob_chunk WHERE account = $1 AND upload = $2 AND number BETWEEN $3 AND $4 ORDER BY number
            """,
            [
                .integer(account), .string(blob.upload), .integer(first), .integer((end - 1) / Self.chunk),
                .integer(offset - first * Self.chunk), .integer(end), .integer(Self.chunk),
            ]
        ) { $0.data(0) }
        return BlobRead(bytes: chunks.reduce(into: Data()) { $0 += $1 }, isCached: blob.isCached)
    }
}
