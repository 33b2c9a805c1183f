import MailKernelAPI

/// Removes the rows of an account's emails from the tables shared by all accounts, at the least cost: the
/// rows of a large account are spread over each index, and each page must be read and written.
struct RemovedRows {
    /// How to find the rows of a table that stay, in the table as it was.
    private struct Table {
        let name: String
        let kept: String
    }

    /// `email` first: the others ask it who stays.
    private static let tables: [Table] =
        [Table(name: "email", kept: "SELECT * FROM removed WHERE account <> ?")]
        + ["email_keyword", "email_mailbox"].map {
            Table(
                name: $0,
                kept: """
                    SELECT old.* FROM email CROSS JOIN removed AS old ON old.email = email.row
                    WHERE email.account <> ?
                    """)
        }
        + [
            Table(
                name: "change",
                kept: """
                    SELECT old.* FROM history CROSS JOIN removed AS old ON old.history = history.row
                    WHERE history.account <> ?
                    """)
        ]
        + ["thread", "thread_message", "thread_subject", "remote"].map {
            Table(name: $0, kept: "SELECT * FROM removed WHERE account <> ?")
        }

    let database: Database
    let account: AccountReference
    /// There is no other account: all rows go.
    let isOnly: Bool

    /// Rebuilds the tables with the remaining rows if that is less work; returns whether it did.
    func copyKeptIfFewer() throws(StorageError) -> Bool {
        let all = try database.integer("SELECT count(*) FROM email") ?? 0
        let gone =
            try database.integer("SELECT count(*) FROM email WHERE account = ?", .integer(account.row)) ?? 0
        guard !isOnly, all - gone <= 2 * gone else { return false }
        for table in Self.tables { try copyKept(of: table) }
        return true
    }

    /// Never copied: a body is in one place, and bodies are most of the mail.
    func deleteBodies(isCopied: Bool) throws(StorageError) {
        guard isCopied else {
            return try delete(from: "email_body", "email IN (SELECT row FROM email WHERE account = ?)")
        }
        try database.run("DELETE FROM email_body WHERE email NOT IN (SELECT row FROM email)")
    }

    /// The rows of the tables that `copyKeptIfFewer` would have rebuilt.
    func deleteRest() throws(StorageError) {
        for table in ["email_keyword", "email_mailbox"] {
            try delete(from: table, "email IN (SELECT row FROM email WHERE account = ?)")
        }
        try delete(from: "change", "history IN (SELECT row FROM history WHERE account = ?)")
        for table in ["email", "thread", "thread_message", "thread_subject", "remote"] {
            try delete(from: table, "account = ?")
        }
    }

    /// A table without other accounts' rows is emptied at once, not row by row.
    func delete(from table: String, _ condition: String) throws(StorageError) {
        if isOnly { return try database.run("DELETE FROM \(table)") }
        try database.run("DELETE FROM \(table) WHERE \(condition)", .integer(account.row))
    }

    /// Rebuilds a table with the remaining rows and drops the old one without reading its rows.
    private func copyKept(of table: Table) throws(StorageError) {
        let definitions = try database.rows(
            """
            SELECT type = 'table', name, sql FROM sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL
            ORDER BY type = 'table' DESC, name
            """, [.text(table.name)]
        ) { (isTable: $0.flag(0), name: $0.text(1), sql: $0.text(2)) }
        // Numbers of rows that are gone are never given again.
        let last = try database.integer("SELECT seq FROM sqlite_sequence WHERE name = ?", .text(table.name))
        try database.execute("ALTER TABLE \(table.name) RENAME TO removed")
        for definition in definitions where definition.isTable { try database.execute(definition.sql) }
        try database.run("INSERT INTO \(table.name) \(table.kept)", .integer(account.row))
        // Dropping a table or an index keeps all its pages in memory, to take that back alone. Emptying does not.
        try database.execute("DELETE FROM removed")
        for index in definitions where !index.isTable { try database.execute("DROP INDEX \(index.name)") }
        for index in definitions where !index.isTable { try database.execute(index.sql) }
        try database.execute("DROP TABLE removed")
        if let last { try setLastRow(of: table.name, last) }
    }

    private func setLastRow(of table: String, _ last: Int64) throws(StorageError) {
        try database.run("DELETE FROM sqlite_sequence WHERE name = ?", .text(table))
        try database.run(
            "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", .text(table), .integer(last))
    }
}
