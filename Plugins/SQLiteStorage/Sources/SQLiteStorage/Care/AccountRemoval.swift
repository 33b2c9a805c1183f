import MailKernelAPI
import StoreRules

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
