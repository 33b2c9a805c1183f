import FoundationEssentials
import MailKernelAPI

extension PostgreSQLStorage {
    func writeBlob(_ blob: BlobInfo) async throws(StorageError) -> any BlobWriter {
        let account = try await read(orNone: blob.accountID) { _, account in account }
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
        var missing: String?
        while true {
            let read = try await read(accountID, none: nil) {
                connection, account throws(StorageError) -> BlobRead? in
                try connection.readBlob(id, account, offset: offset, count: count)
            }
            guard let read else { throw .notFound("blob \(id)") }
            if read.isCached {
                try store.server(of: accountID).uses.note(.init(account: accountID, blob: id))
            }
            switch read.place {
            case .rows(let bytes): return bytes
            case .object(let object):
                let objects = try store.objectsOrWhyNot()
                if let bytes = try await objects.read(object, offset: offset, count: count) { return bytes }
                // It may have been replaced meanwhile.
                guard missing != object.upload else { throw .notFound("blob \(id)") }
                missing = object.upload
            }
        }
    }

    func removeBlob(_ id: Id<Blob>, in accountID: Id<Account>) async throws(StorageError) {
        let store = try store()
        _ = try await store.at(accountID) { server throws(StorageError) in
            try await server.write { connection throws(StorageError) in
                let find = "SELECT account FROM account WHERE id = $1 FOR KEY SHARE"
                guard let account = try connection.first(find, [.id(accountID)], { $0.int(0) }) else {
                    throw .elsewhere
                }
                try connection.removeBlob(id, account)
            }
        }
        store.sweep?.wake()
    }

    /// Stores a blob.
    ///
    /// - Parameter read: up to some bytes of it from an offset on.
    func keep(
        _ info: BlobInfo, size: Int,
        _ read: @escaping @Sendable (_ offset: Int, _ count: Int) throws(StorageError) -> [UInt8]
    ) async throws(StorageError) {
        if let objects = try store().objects, size >= max(1, objects.client.settings.threshold) {
            return try await keepObject(info, size: size, objects, read)
        }
        try await keep(info, size: size) { connection, account throws(StorageError) in
            try connection.writeChunks(account, size: size, read)
        }
    }

    /// - Parameter place: stores the bytes, and returns what the blob's row calls them.
    func keep(
        _ info: BlobInfo, size: Int,
        _ place: @escaping @Sendable (Connection, _ account: Int) throws(StorageError) -> String
    ) async throws(StorageError) {
        let store = try store()
        let done: Void? = try await store.at(info.accountID) { server throws(StorageError) in
            let uses = server.uses.take() ?? []
            try await server.write { connection throws(StorageError) in
                try connection.keep(info, size: size, uses, place)
            }
        }
        guard done != nil else { throw .notFound("account \(info.accountID)") }
        store.sweep?.wake()
    }
}

private struct BlobRead {
    enum Place {
        case rows(Data)
        case object(StoredObject)
    }

    var place: Place
    var isCached: Bool
}

extension Connection {
    private static var chunk: Int { 256 << 10 }

    fileprivate func keep(
        _ info: BlobInfo, size: Int, _ uses: [BlobUses.Key],
        _ place: (Connection, _ account: Int) throws(StorageError) -> String
    ) throws(StorageError) {
        let found = try first(
            "SELECT account, cache_limit FROM account WHERE id = $1 FOR UPDATE", [.id(info.accountID)]
        ) { (number: $0.int(0), limit: $0.int(1)) }
        guard let found else { throw .elsewhere }
        let cache = BlobCache(self)
        try cache.note(uses)
        try removeBlob(info.id, found.number)
        try run(
            "INSERT INTO blob VALUES ($1, $2, $3, $4, $5, $6, $7, $8)", .integer(found.number),
            .id(info.id), .string(try place(self, found.number)), .string(info.type), .string(info.name),
            .integer(size), .flag(info.retention == .cached), .integer(try cache.nextUse(of: found.number)))
        try cache.evict(account: found.number, limit: found.limit)
    }

    fileprivate func removeBlob(_ id: Id<Blob>, _ account: Int) throws(StorageError) {
        try run(
            """
            WITH gone AS (DELETE FROM blob WHERE account = $1 AND id = $2 RETURNING upload)
            DELETE FROM blob_chunk WHERE account = $1 AND upload IN (SELECT upload FROM gone)
            """, .integer(account), .id(id))
    }

    /// Returns what the chunks are called.
    fileprivate func writeChunks(
        _ account: Int, size: Int,
        _ read: (_ offset: Int, _ count: Int) throws(StorageError) -> [UInt8]
    ) throws(StorageError) -> String {
        let upload = UUID().uuidString
        for offset in stride(from: 0, to: size, by: Self.chunk) {
            try run(
                "INSERT INTO blob_chunk VALUES ($1, $2, $3, $4)", .integer(account), .string(upload),
                .integer(offset / Self.chunk), .bytes(try read(offset, Self.chunk)))
        }
        return upload
    }

    fileprivate func readBlob(
        _ id: Id<Blob>, _ account: Int, offset: Int, count: Int
    ) throws(StorageError) -> BlobRead? {
        let blob = try first(
            """
            SELECT b.upload, b.size, b.cached, o.key FROM blob b
            LEFT JOIN blob_object o ON o.account = b.account AND o.upload = b.upload
            WHERE b.account = $1 AND b.id = $2
            """, [.integer(account), .id(id)]
        ) {
            (upload: $0.text(0), size: $0.int(1), isCached: $0.flag(2), key: $0.isNull(3) ? nil : $0.data(3))
        }
        guard let blob else { return nil }
        if let key = blob.key {
            let object = StoredObject(account: account, upload: blob.upload, key: key, size: blob.size)
            return BlobRead(place: .object(object), isCached: blob.isCached)
        }
        guard offset >= 0, offset < blob.size, count > 0 else {
            return BlobRead(place: .rows(Data()), isCached: blob.isCached)
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
        return BlobRead(place: .rows(chunks.reduce(into: Data()) { $0 += $1 }), isCached: blob.isCached)
    }
}
