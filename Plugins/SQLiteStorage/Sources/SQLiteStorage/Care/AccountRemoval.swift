import FoundationEssentials
import Glibc
import MailKernelAPI

extension SQLiteStorage {
    func removeAccount(_ id: Id<Account>) async throws(StorageError) {
        let store = try store()
        let files = try await store.withWriter { database throws(StorageError) -> [String] in
            guard let account = try database.account(id) else { return [] }
            return try AccountRemoval(database: database, account: account).run()
        }
        store.removeBlobFiles(files)
    }
}

/// Takes an account out of all tables, and what was of it out of the files.
///
/// What is deleted is overwritten, which `secure_delete` sees to: unless nothing else is there, when
/// it is quicker to write the rest anew.
private struct AccountRemoval {
    let database: Database
    let account: AccountReference

    /// Returns the files of its blobs.
    func run() throws(StorageError) -> [String] {
        let isOnly = try database.integer("SELECT count(*) FROM account") == 1
        if isOnly { try database.execute("PRAGMA secure_delete = OFF") }
        defer { if isOnly { try? database.execute("PRAGMA secure_delete = ON") } }
        let files = try database.transaction(.write) { () throws(StorageError) in
            try empty(isOnly: isOnly)
        }
        if isOnly {
            // What is left is little, and copied faster than free pages are given back one by one.
            try database.execute("VACUUM")
        } else {
            try database.giveBackPages()
        }
        try database.emptyLog()
        return files
    }

    private func empty(isOnly: Bool) throws(StorageError) -> [String] {
        let files = try database.rows("SELECT file FROM blob WHERE account = ?", [.integer(account.row)]) {
            $0.text(0)
        }
        try database.execute("DROP TABLE \(SearchIndex(account: account.row).table)")
        // With nobody else's rows in them tables are emptied at once, and not row by row.
        for table in ["email_body", "email_keyword", "email_mailbox"] {
            try delete(
                table, isOnly ? nil : "email IN (SELECT row FROM email WHERE account = ?)")
        }
        try delete("change", "history IN (SELECT row FROM history WHERE account = ?)")
        for table in [
            "email", "mailbox", "thread", "thread_message", "thread_subject", "remote", "insight",
            "identity", "submission", "blob",
        ] {
            try delete(table, isOnly ? nil : "account = ?")
        }
        try removePeople(isOnly: isOnly)
        for table in ["document", "history"] { try delete(table, "account = ?") }
        try database.run("DELETE FROM account WHERE row = ?", .integer(account.row))
        try note()
        return files
    }

    private func delete(_ table: String, _ condition: String?) throws(StorageError) {
        guard let condition else { return try database.run("DELETE FROM \(table)") }
        try database.run("DELETE FROM \(table) WHERE \(condition)", .integer(account.row))
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

extension Database {
    /// Gives free pages back to the disk, in steps between which others can write.
    fileprivate func giveBackPages() throws(StorageError) {
        let start = clock()
        while try integer("PRAGMA freelist_count") ?? 0 > 0 {
            try execute("PRAGMA incremental_vacuum(2000)")
            // The rest is used again by what comes next.
            if Double(clock() - start) / Double(CLOCKS_PER_SEC) > 0.5 { return }
        }
    }

    /// Empties the log, in which pages stand as they were before. A reader that is still at an older
    /// moment is waited for.
    fileprivate func emptyLog() throws(StorageError) {
        for _ in 0..<20 {
            let isBusy = try first("PRAGMA wal_checkpoint(TRUNCATE)") { $0.flag(0) } ?? false
            guard isBusy else { return }
        }
        throw .inUse
    }
}
