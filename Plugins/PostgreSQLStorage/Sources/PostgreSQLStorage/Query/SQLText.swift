import MailKernelAPI

/// A piece of SQL with the values that are bound to it. Each value is a `?` in the text; there is no other.
struct SQLText {
    private var pieces: String
    private(set) var values: [SQLValue]

    init(_ sql: String, _ values: [SQLValue] = []) {
        pieces = sql
        self.values = values
    }

    static let all = SQLText("true")
    static let none = SQLText("false")

    static func + (one: SQLText, other: SQLText) -> SQLText {
        SQLText(one.pieces + other.pieces, one.values + other.values)
    }

    static func + (one: SQLText, other: String) -> SQLText { SQLText(one.pieces + other, one.values) }
    static func + (one: String, other: SQLText) -> SQLText { SQLText(one + other.pieces, other.values) }

    /// With the numbers that PostgreSQL wants.
    var sql: String {
        var sql = ""
        var number = 0
        for piece in pieces.split(separator: "?", omittingEmptySubsequences: false) {
            if number > 0 { sql += "$\(number)" }
            sql += piece
            number += 1
        }
        return sql
    }

    static func joined(_ pieces: [SQLText], by word: String, ifEmpty: SQLText) -> SQLText {
        guard let first = pieces.first else { return ifEmpty }
        guard pieces.count > 1 else { return first }
        let text = pieces.map(\.pieces).joined(separator: " \(word) ")
        return SQLText("(\(text))", pieces.flatMap(\.values))
    }
}

extension Connection {
    func rows<Value>(
        _ text: SQLText, _ make: (Row) throws(StorageError) -> Value
    ) throws(StorageError) -> [Value] {
        try rows(text.sql, text.values, once: true, make)
    }
}
