import FoundationEssentials
import MailKernelAPI

/// Sets a damaged database aside, creates a new one, and salvages data that exists nowhere else: accounts
/// with their settings, drafts, mail waiting to be sent, kept blobs. The rest comes back from the servers.
///
/// If it is interrupted, or the disk is full, the next opening starts again with the database set aside.
struct Recovery {
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

    /// Each record separately: an inconsistent one must not affect others.
    private func salvage(_ damaged: Database, into database: Database) throws(StorageError) -> Int {
        let salvage = Salvage(damaged)
        var count = 0
        for change in salvage.frame() { _ = try attempt(change, database) }
        for change in salvage.treasures() where try attempt(change, database) { count += 1 }
        for change in salvage.draftNames() { _ = try attempt(change, database) }
        try keepBlobs(salvage.keptBlobs(), database)
        return count
    }

    private func attempt(_ change: StorageChange, _ database: Database) throws(StorageError) -> Bool {
        do throws(StorageError) {
            return try database.transaction(.write) { () throws(StorageError) in
                _ = try Commit.apply(ChangeSet([change]), to: database)
                return true
            }
        } catch .notFound, .invalid {
            return false
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
