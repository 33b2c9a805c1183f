import MailKernelAPI
import StoreRules

extension SearchableText.Field {
    /// The name of its column: `from` and `to` are words of SQL.
    var column: String { "in_" + rawValue }
}

/// The full-text index: a table per account, so that one goes with its account and without its rows
/// being looked for one by one.
struct SearchIndex {
    let table: String

    init(account: Int64) {
        table = "search_\(account)"
    }

    /// Tokens are what `TextFolding` made; `ascii` divides them at spaces and changes nothing.
    ///
    /// Each commit writes a piece, of all its words together. Merging them is left to `IndexMerging` as far as
    /// there are not very many.
    var creation: String {
        let columns = SearchableText.Field.allCases.map(\.column).joined(separator: ", ")
        return """
            CREATE VIRTUAL TABLE \(table) USING fts5 (\(columns), tokenize = 'ascii', prefix = '2 3');
            INSERT INTO \(table) (\(table), rank)
                VALUES ('hashsize', 8388608), ('automerge', 64), ('crisismerge', 128);
            """
    }

    /// Works on about so many pages of the index; false if there is nothing to be merged.
    func merge(_ pages: Int, in database: Database) throws(StorageError) -> Bool {
        let before = database.totalChanges
        try database.run("INSERT INTO \(table) (\(table), rank) VALUES ('merge', ?)", .integer(pages))
        // FTS5 counts the statement itself as a change.
        return database.totalChanges - before > 1
    }

    func add(_ text: SearchableText, row: Int64, to database: Database) throws(StorageError) {
        let values: [SQLValue] = [.integer(row)] + text.fields.map { .text($0) }
        let columns = SearchableText.Field.allCases.map(\.column).joined(separator: ", ")
        try database.each(
            "INSERT INTO \(table) (rowid, \(columns)) VALUES (?, ?, ?, ?, ?, ?, ?)", values
        ) { _ in true }
    }

    func remove(row: Int64, from database: Database) throws(StorageError) {
        try database.run("DELETE FROM \(table) WHERE rowid = ?", .integer(row))
    }
}
