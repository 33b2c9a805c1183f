import MailKernelAPI
import StoreRules

extension Database {
    /// Whether the index of an account's words is whole and knows the emails that are there. Only a
    /// connection that may write can be asked; nothing is written.
    func isIndexSound(account: Int64) throws(StorageError) -> Bool {
        let table = SearchIndex(account: account).table
        do throws(StorageError) {
            try run("INSERT INTO \(table) (\(table)) VALUES ('integrity-check')")
            let entries = try integer("SELECT count(*) FROM \(table)")
            return try integer("SELECT count(*) FROM email WHERE account = ?", .integer(account)) == entries
        } catch .corrupt {
            return false
        }
    }

    /// Rebuilds damaged indexes, if nothing else is damaged. Returns whether that was all.
    func mendIndexes() throws(StorageError) -> Bool {
        guard try text("PRAGMA quick_check(1)") == "ok" else { return false }
        let accounts = try rows("SELECT row, id FROM account") { ($0.int64(0), $0.id(1) as Id<Account>) }
        var mended = 0
        for (row, id) in accounts where try !isIndexSound(account: row) {
            try transaction(.write) { () throws(StorageError) in try rebuildSearchIndex(of: id) }
            mended += 1
        }
        return mended > 0
    }

    private func drop(_ index: SearchIndex) throws(StorageError) {
        let drop = "DROP TABLE IF EXISTS \(index.table)"
        do throws(StorageError) {
            try execute(drop)
        } catch .corrupt {
            // FTS5 opens a table to drop it, and cannot: so it gets the two records that an empty one begins with.
            try execute(
                """
                DELETE FROM \(index.table)_data;
                INSERT INTO \(index.table)_data (id, block) VALUES (1, x''), (10, x'00000000000000')
                """)
            try execute(drop)
        }
    }

    func rebuildSearchIndex(of accountID: Id<Account>) throws(StorageError) {
        guard let account = try account(accountID) else { return }
        let index = SearchIndex(account: account.row)
        // The data is in mail that still exists: overwriting would only take time, and memory for a journal.
        try execute("PRAGMA secure_delete = FAST")
        defer { try? execute("PRAGMA secure_delete = ON") }
        try drop(index)
        try execute(index.creation)
        let emails = try rows(
            "SELECT row, id FROM email WHERE account = ? ORDER BY row", [.integer(account.row)]
        ) { ($0.int64(0), $0.id(1) as Id<Email>) }
        for (row, id) in emails {
            guard let stored = try email(id, in: accountID, account.row), let body = try body(ofEmail: row)
            else { continue }
            try index.add(SearchableText(stored.email, body), row: row, to: self)
        }
    }
}
