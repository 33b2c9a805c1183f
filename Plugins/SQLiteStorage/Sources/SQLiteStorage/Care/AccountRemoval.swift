import FoundationEssentials
import Glibc
import MailKernelAPI

extension SQLiteStorage {
    func removeAccount(_ id: Id<Account>) async throws(StorageError) {
        let store = try store()
        let files = try await store.withWriter { database throws(StorageError) -> [String] in
            guard let account = try database.account(id) else { return [] }
            let pages = RemovedPages(database: database, folder: store.folder, file: store.databaseFile)
            try pages.mark()
            let files = try AccountRemoval(database: database, account: account).run()
            try pages.clean()
            return files
        }
        store.vectors.forgetAll()
        store.removeBlobFiles(files)
    }
}

/// Removes an account from all tables. The freed pages still contain its data.
struct AccountRemoval {
    let database: Database
    let account: AccountReference

    /// Returns the files of its blobs.
    func run() throws(StorageError) -> [String] {
        defer { try? database.execute("PRAGMA secure_delete = ON") }
        let isOnly = try database.integer("SELECT count(*) FROM account") == 1
        return try database.transaction(.write) { () throws(StorageError) in try empty(isOnly: isOnly) }
    }

    /// First all that writes rows, then what only makes pages free. A page that was not overwritten when it
    /// became free still holds mail where a new use of it leaves gaps.
    private func empty(isOnly: Bool) throws(StorageError) -> [String] {
        let files = try database.rows("SELECT file FROM blob WHERE account = ?", [.integer(account.row)]) {
            $0.text(0)
        }
        let rows = RemovedRows(database: database, account: account, isOnly: isOnly)
        let isCopied = try rows.copyKeptIfFewer()
        try removePeople(isOnly: isOnly)
        for table in ["mailbox", "identity", "submission", "blob"] {
            try rows.delete(from: table, "account = ?")
        }
        try database.run("DELETE FROM document WHERE account = ?", .integer(account.row))
        try database.run("DELETE FROM account WHERE row = ?", .integer(account.row))
        try note()

        // Data left on a page is overwritten together with it. Freed pages are not overwritten here, which
        // would take most of the time and, through a journal, memory.
        try database.execute("PRAGMA secure_delete = FAST")
        try rows.deleteBodies(isCopied: isCopied)
        if !isCopied { try rows.deleteRest() }
        try rows.delete(from: "insight", "account = ?")
        try database.run("DELETE FROM history WHERE account = ?", .integer(account.row))
        try database.execute("DROP TABLE \(SearchIndex(account: account.row).table)")
        return files
    }

    private func removePeople(isOnly: Bool) throws(StorageError) {
        let emails = try database.rows(
            "DELETE FROM contact WHERE account = ? RETURNING email", [.integer(account.row)]
        ) { $0.text(0) }
        if isOnly { return try database.run("DELETE FROM person") }
        for email in emails { try database.refreshPerson(email) }
    }

    private func note() throws(StorageError) {
        var store = try StoreRow(database)
        let gone = ChangeLog.Difference(type: .account, id: account.id.rawValue, kind: .destroyed)
        try database.changeLog(of: nil).append([gone], of: .account, &store)
        store.revision += 1
        try store.save(to: database)
    }
}

/// Remains of a removal in the files: free pages with their old content, and old pages in the log.
struct RemovedPages {
    /// Smaller databases are rewritten completely, which leaves nothing behind.
    private static let fewBytes = 8_000_000

    let database: Database
    let folder: StoreFolder
    let file: OpenFile

    /// Before anything is removed, so that a program that does not live to clean up does so at its next
    /// start.
    func mark() throws(StorageError) {
        _ = try OpenFile.writing(folder.removalMark)
        try OpenFile.synchronizeFolder(folder.path)
    }

    /// Returns once none of the removed data can be read.
    func clean() throws(StorageError) {
        let kept = try database.integer("SELECT sum(mail_bytes + index_bytes) FROM account") ?? 0
        let isWrittenAnew = kept <= Self.fewBytes ? try writeAnew() : false
        if !isWrittenAnew {
            // In the log they stand as they were, and the file is what counts only without it.
            try emptyLog()
            let isGivenBack = try FreePages(file)?.overwrite() ?? false
            // Pages cached by SQLite would restore overwritten data.
            try database.execute("PRAGMA shrink_memory")
            if !isGivenBack { try giveBack() }
        }
        try emptyLog()
        try Folders.remove(folder.removalMark)
    }

    /// False on a full disk, which has no room for a second time what stays.
    private func writeAnew() throws(StorageError) -> Bool {
        do throws(StorageError) {
            try database.execute("VACUUM")
            return true
        } catch .full {
            return false
        }
    }

    /// Shortens the file if that is quick. The rest is reused. A file with holes takes no more space than a
    /// shorter one.
    private func giveBack() throws(StorageError) {
        let start = clock()
        while try database.integer("PRAGMA freelist_count") ?? 0 > 0 {
            try database.execute("PRAGMA incremental_vacuum(2000)")
            if Double(clock() - start) / Double(CLOCKS_PER_SEC) > 0.3 { return }
        }
    }

    /// A reader that is still at an older moment is waited for.
    private func emptyLog() throws(StorageError) {
        for _ in 0..<20 {
            let isBusy = try database.first("PRAGMA wal_checkpoint(TRUNCATE)") { $0.flag(0) } ?? false
            guard isBusy else { return }
        }
        throw .inUse
    }
}
