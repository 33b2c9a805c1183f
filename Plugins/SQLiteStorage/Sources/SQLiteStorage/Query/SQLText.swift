import MailKernelAPI

/// A piece of SQL with the values that are bound to it.
struct SQLText {
    var sql: String
    var values: [SQLValue]

    init(_ sql: String, _ values: [SQLValue] = []) {
        self.sql = sql
        self.values = values
    }

    static let all = SQLText("1")
    static let none = SQLText("0")

    static func + (one: SQLText, other: SQLText) -> SQLText {
        SQLText(one.sql + other.sql, one.values + other.values)
    }

    static func + (one: SQLText, other: String) -> SQLText {
        SQLText(one.sql + other, one.values)
    }

    static func + (one: String, other: SQLText) -> SQLText {
        SQLText(one + other.sql, other.values)
    }

    /// The pieces with a word between them, as a balanced tree: SQLite limits how deep an expression
    /// is, and a filter can have any number of conditions.
    static func joined(_ pieces: ArraySlice<SQLText>, by word: String, ifEmpty: SQLText) -> SQLText {
        guard let first = pieces.first else { return ifEmpty }
        guard pieces.count > 1 else { return first }
        let middle = pieces.startIndex + pieces.count / 2
        return "(" + joined(pieces[..<middle], by: word, ifEmpty: ifEmpty) + " \(word) "
            + joined(pieces[middle...], by: word, ifEmpty: ifEmpty) + ")"
    }
}
