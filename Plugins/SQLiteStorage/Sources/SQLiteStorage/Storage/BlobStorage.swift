import FoundationEssentials
import MailKernelAPI

extension SQLiteStorage {
    func writeBlob(_ blob: BlobInfo) async throws(StorageError) -> any BlobWriter {
        let store = try store()
        try store.folder.reserve.demand()
        let account = try await store.read { database throws(StorageError) in
            try database.account(blob.accountID)?.row
        }
        guard account != nil else { throw .notFound("account \(blob.accountID)") }
        return try FileBlobWriter(blob, into: self, store.folder)
    }

    func blobInfo(_ id: Id<Blob>, in accountID: Id<Account>) async throws(StorageError) -> BlobInfo? {
        try await read(accountID, none: nil) { database, account throws(StorageError) in
            try database.first(
                "SELECT type, name, size, cached FROM blob WHERE account = ? AND id = ?",
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
        // Rewriting a blob replaces its file, so the old one may disappear between lookup and opening.
        while true {
            let read = try await store.read { database throws(StorageError) -> BlobRead in
                let blob = try database.first(
                    """
                    SELECT b.row, b.file, b.size, b.cached FROM account a JOIN blob b ON b.account = a.row
                    WHERE a.id = ? AND b.id = ?
                    """, [.id(accountID), .id(id)]
                ) { (row: $0.int64(0), file: $0.text(1), size: $0.int(2), isCached: $0.flag(3)) }
                guard let blob else { throw .notFound("blob \(id)") }
                guard let file = try OpenFile.reading(store.folder.blob(blob.file)) else {
                    return .fileGone(blob.file)
                }
                if blob.isCached { store.blobUses.note(blob.row) }
                guard offset >= 0, offset < blob.size, count > 0 else { return .bytes(Data()) }
                return .bytes(try file.read(at: offset, count: min(count, blob.size - offset)))
            }
            switch read {
            case .bytes(let bytes): return bytes
            case .fileGone(let file):
                guard file != missing else { throw .notFound("blob \(id)") }
                missing = file
            }
        }
    }

    func removeBlob(_ id: Id<Blob>, in accountID: Id<Account>) async throws(StorageError) {
        let store = try store()
        let files = try await store.write { database throws(StorageError) -> [String] in
            guard let account = try database.account(accountID) else { return [] }
            return try database.forgetBlob(id, account: account.row)
        }
        store.removeBlobFiles(files)
    }

    /// Makes a blob known whose bytes are on the disk in `file`.
    func keep(_ info: BlobInfo, file: String) async throws(StorageError) {
        let store = try store()
        let uses = store.blobUses.take()
        let files = try await store.write(bringsIn: true) { database throws(StorageError) -> [String] in
            guard let account = try database.record(of: info.accountID),
                let row = try database.account(info.accountID)?.row
            else { throw .notFound("account \(info.accountID)") }
            let cache = BlobCache(database)
            try cache.note(uses)
            let replaced = try database.forgetBlob(info.id, account: row)
            var counters = try StoreRow(database)
            counters.lastUse += 1
            try counters.save(to: database)
            try database.run(
                """
                INSERT INTO blob (account, id, file, type, name, size, cached, last_use)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """, .integer(row), .id(info.id), .text(file), .text(info.type), .optional(info.name),
                .integer(info.size), .flag(info.retention == .cached), .integer(counters.lastUse))
            return replaced + (try cache.evict(account: row, limit: account.attachmentCacheLimit))
        }
        store.removeBlobFiles(files)
    }
}

extension Database {
    /// Takes a blob out of the table and returns the files that were its.
    fileprivate func forgetBlob(_ id: Id<Blob>, account: Int64) throws(StorageError) -> [String] {
        try rows(
            "DELETE FROM blob WHERE account = ? AND id = ? RETURNING file", [.integer(account), .id(id)]
        ) {
            $0.text(0)
        }
    }
}

private enum BlobRead: Sendable {
    case bytes(Data)
    case fileGone(String)
}
