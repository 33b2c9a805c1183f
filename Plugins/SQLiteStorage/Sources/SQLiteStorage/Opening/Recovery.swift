import FoundationEssentials
import MailKernelAPI

/// Sets a damaged database aside, creates a new one, and salvages data that exists nowhere else: accounts
/// with their settings, drafts, mail waiting to be sent, changes and mail that a service does not have yet, kept blobs.
/// The rest comes back from the servers.
///
/// If it is interrupted, or the disk is full, the next opening starts again with the database set aside.
struct Recovery {
    private static let emailsAtOnce = 50

    let folder: StoreFolder
    let now: Date

    func run() throws(StorageError) -> StorageOpening {
        let aside = try folder.setDatabaseAside(stamp)
        let database = try Opening.writer(folder)
        try Opening.createSchema(in: database)
        var count = 0
        if let copy = try copy(of: aside) {
            count = try salvage(copy, into: database)
        }
        try Salvage.removeCopy(in: folder)
        try moveLostBlobs(to: aside, database)
        try Folders.remove(folder.damageMark)
        try Folders.remove(folder.recoveryMark)
        try OpenFile.synchronizeFolder(folder.path)
        return .recovered(copy: aside, salvaged: count)
    }

    /// Nil if nothing of it can be read. On a full disk that is not known yet.
    private func copy(of aside: String) throws(StorageError) -> Database? {
        do throws(StorageError) {
            return try Salvage.copy(of: aside, in: folder)
        } catch .full {
            throw .full
        } catch {
            return nil
        }
    }

    private var stamp: String {
        let date = now.formatted(.iso8601.dateSeparator(.dash).timeSeparator(.omitted))
        return date.filter { $0 != ":" }
    }

    private func salvage(_ damaged: Database, into database: Database) throws(StorageError) -> Int {
        let salvage = Salvage(damaged)
        _ = try put(salvage.frame(), into: database)
        let documents = salvage.documents()
        var count = 0
        for some in salvage.emails(of: documents).slices(of: Self.emailsAtOnce) {
            count += try put(some.compactMap(salvage.email), into: database)
            _ = try put(some.flatMap(salvage.references), into: database)
        }
        let records = salvage.submissions() + documents.map { .putDocument($0) }
        count += try put(records, into: database)
        try keepBlobs(salvage.keptBlobs(), database)
        return count
    }

    /// Together, since each commit waits for the disk. An inconsistent record must not affect others, so they are
    /// divided until it is alone. Returns how many were put.
    private func put(_ changes: [StorageChange], into database: Database) throws(StorageError) -> Int {
        do throws(StorageError) {
            try database.transaction(.write) { () throws(StorageError) in
                _ = try Commit.apply(ChangeSet(changes), to: database)
            }
            return changes.count
        } catch .notFound, .invalid {
            guard changes.count > 1 else { return 0 }
            let half = changes.count / 2
            return try put(Array(changes[..<half]), into: database)
                + put(Array(changes[half...]), into: database)
        }
    }

    private func keepBlobs(_ blobs: [Salvage.Blob], _ database: Database) throws(StorageError) {
        try database.transaction(.write) { () throws(StorageError) in
            for blob in blobs where Folders.exists(folder.blob(blob.file)) {
                guard let account = try database.account(blob.info.accountID) else { continue }
                try database.run(
                    """
                    INSERT OR IGNORE INTO blob (account, id, file, type, name, size, cached, last_use)
                    VALUES (?, ?, ?, ?, ?, ?, 0, 0)
                    """, .integer(account.row), .id(blob.info.id), .text(blob.file), .text(blob.info.type),
                    .optional(blob.info.name), .integer(folder.size(of: folder.blob(blob.file))))
            }
        }
    }

    /// Blobs that the new store knows nothing of may still be the only copy of something.
    private func moveLostBlobs(to aside: String, _ database: Database) throws(StorageError) {
        let known = Set(try database.rows("SELECT file FROM blob") { $0.text(0) })
        let lost = Folders.names(in: folder.blobs).filter { !known.contains($0) }
        guard !lost.isEmpty else { return }
        try folder.move(lost, to: aside + "/blobs")
    }
}
