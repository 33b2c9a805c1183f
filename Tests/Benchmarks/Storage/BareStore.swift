import CBenchmarks
import FoundationEssentials
import MailKernelAPI

/// The same mail in SQLite as one would write it down in an afternoon: messages, labels, and words in
/// FTS5, the same texts in the same columns. It has no threads, no counts and no history; it is what the
/// storage plugin is measured by.
final class BareStore {
    private var handle: OpaquePointer?
    private var statements: [String: OpaquePointer] = [:]

    init(_ path: String) throws {
        guard sqlite3_open(path, &handle) == SQLITE_OK else { throw failure }
        try execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16000")
        try execute(
            """
            CREATE TABLE IF NOT EXISTS message (row INTEGER PRIMARY KEY, id TEXT UNIQUE, received REAL,
                size INTEGER, sender TEXT, subject TEXT, headers TEXT, text TEXT, html TEXT);
            CREATE INDEX IF NOT EXISTS newest ON message (received);
            CREATE TABLE IF NOT EXISTS label (message INTEGER, name TEXT, PRIMARY KEY (message, name))
                WITHOUT ROWID;
            CREATE INDEX IF NOT EXISTS label_name ON label (name, message);
            CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (sender, recipient, cc, bcc, subject, body,
                tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3')
            """)
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close(handle)
    }

    /// One transaction.
    func insert(_ messages: [BareMessage]) throws {
        try execute("BEGIN IMMEDIATE")
        for message in messages {
            try run(
                "INSERT INTO message VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    .integer(message.row), .text(message.id), .real(message.received), .integer(message.size),
                    .text(message.sender), .text(message.subject), .text(message.headers),
                    .text(message.text),
                    .text(message.html),
                ])
            for label in message.labels {
                try run("INSERT INTO label VALUES (?, ?)", [.integer(message.row), .text(label)])
            }
            try run(
                "INSERT INTO words (rowid, sender, recipient, cc, bcc, subject, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    .integer(message.row), .text(message.sender), .text(message.recipients), .text(""),
                    .text(""), .text(message.subject), .text(message.visible),
                ])
        }
        try execute("COMMIT")
    }

    /// How many of the newest 50 matches there are.
    func newest(_ match: String) throws -> Int {
        try run(
            """
            SELECT m.id FROM words w JOIN message m ON m.row = w.rowid WHERE words MATCH ?
            ORDER BY m.received DESC LIMIT 50
            """, [.text(match)])
    }

    /// How many of the 50 best matches there are.
    func best(_ match: String) throws -> Int {
        try run(
            """
            SELECT m.id FROM (SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT 50) w
            JOIN message m ON m.row = w.rowid
            """, [.text(match)])
    }

    private enum Value {
        case integer(Int)
        case real(Double)
        case text(String)
    }

    /// Runs a statement to its end and returns how many rows there were.
    @discardableResult private func run(_ sql: String, _ values: [Value]) throws -> Int {
        let statement = try statement(sql)
        defer { sqlite3_reset(statement) }
        for (index, value) in values.enumerated() {
            switch value {
            case .integer(let number): sqlite3_bind_int64(statement, CInt(index + 1), Int64(number))
            case .real(let number): sqlite3_bind_double(statement, CInt(index + 1), number)
            case .text(let text):
                sqlite3_bind_text(
                    statement, CInt(index + 1), text, CInt(text.utf8.count), csqlite_transient())
            }
        }
        var rows = 0
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: rows += sqlite3_column_text(statement, 0) == nil ? 0 : 1
            case SQLITE_DONE: return rows
            default: throw failure
            }
        }
    }

    private func statement(_ sql: String) throws -> OpaquePointer {
        if let known = statements[sql] { return known }
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
            throw failure
        }
        statements[sql] = statement
        return statement
    }

    private func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
    }

    private var failure: BenchError {
        BenchError(description: "bare SQLite: \(sqlite3_errmsg(handle).map { String(cString: $0) } ?? "?")")
    }
}

/// A message as `BareStore` takes it, with everything made ready.
struct BareMessage {
    var row: Int
    var id: String
    var received: Double
    var size: Int
    var sender: String
    var recipients: String
    var subject: String
    var headers: String
    var text: String
    var html: String
    var visible: String
    var labels: [String]

    init(_ message: GeneratedMessage) {
        func written(_ people: [EmailAddress]) -> String {
            people.map { "\($0.name ?? "") \($0.email)" }.joined(separator: " ")
        }
        row = message.number + 1
        id = message.id.rawValue
        received = message.date.timeIntervalSinceReferenceDate
        size = message.text.utf8.count
        sender = written([message.from])
        recipients = written(message.to)
        subject = message.subject
        headers = message.headers.map { "\($0.name):\($0.value)" }.joined(separator: "\r\n")
        text = message.text
        html = message.isRich ? message.html : ""
        visible = message.visibleText
        labels = message.labels
    }
}
