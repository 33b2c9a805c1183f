import CLocalFolders
import FoundationEssentials
import Glibc

/// One connection to an index. Used by one thread at a time; a `Lane` sees to that.
final class Database {
    private let handle: OpaquePointer
    private var statements: [String: Statement] = [:]

    init(_ path: String, isReadOnly: Bool = false) throws(FolderError) {
        let mode = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        var opened: OpaquePointer?
        // Serialised by us: SQLite's own locks would be taken for nothing.
        let code = sqlite3_open_v2(path, &opened, mode | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let opened else {
            let error = Self.error(code, opened)
            sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
        sqlite3_extended_result_codes(handle, 1)
        // Another session of the same account may be in the middle of a batch.
        sqlite3_busy_timeout(handle, 20_000)
    }

    deinit {
        // Finalised first: a connection with statements would stay open as a zombie.
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    /// Runs statements that return nothing.
    func execute(_ sql: String) throws(FolderError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw Self.error(code, handle) }
    }

    func run(_ sql: String, _ values: SQLValue...) throws(FolderError) {
        try each(sql, values) { _ in true }
    }

    /// Shows each row to `body` until it answers false.
    func each(
        _ sql: String, _ values: [SQLValue], _ body: (Row) throws(FolderError) -> Bool
    ) throws(FolderError) {
        try statement(sql).run(values, body)
    }

    func rows<Value>(
        _ sql: String, _ values: SQLValue..., make: (Row) throws(FolderError) -> Value
    ) throws(FolderError) -> [Value] {
        var made: [Value] = []
        try each(sql, values) { row throws(FolderError) in
            made.append(try make(row))
            return true
        }
        return made
    }

    /// The first row made into a value; nil if there is none.
    func first<Value>(
        _ sql: String, _ values: SQLValue..., make: (Row) throws(FolderError) -> Value
    ) throws(FolderError) -> Value? {
        var made: Value?
        try each(sql, values) { row throws(FolderError) in
            made = try make(row)
            return false
        }
        return made
    }

    /// The first column of the first row; 0 if there is none.
    func integer(_ sql: String, _ values: SQLValue...) throws(FolderError) -> Int64 {
        var found: Int64 = 0
        try each(sql, values) { row in
            found = row.int64(0)
            return false
        }
        return found
    }

    /// A statement, prepared once and kept. Its text is ours; foreign values are always bound.
    private func statement(_ sql: String) throws(FolderError) -> Statement {
        if let kept = statements[sql], !kept.isInUse { return kept }
        let statement = try Statement(handle, sql)
        if statements[sql] == nil { statements[sql] = statement }
        return statement
    }

    var lastInsertID: Int64 { sqlite3_last_insert_rowid(handle) }
    /// The rows that the last statement changed.
    var changes: Int { Int(sqlite3_changes64(handle)) }

    /// Runs `body` in one transaction, which is undone when it throws.
    func transaction<Answer>(
        _ begin: String = "BEGIN IMMEDIATE", _ body: () throws(FolderError) -> Answer
    ) throws(FolderError) -> Answer {
        try run(begin)
        do throws(FolderError) {
            let answer = try body()
            try run("COMMIT")
            return answer
        } catch {
            // Some failures have ended the transaction already.
            if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// The extended codes of `SQLITE_IOERR` that are about writing, synchronising, cutting, and the
    /// memory that is shared with readers.
    private static func isWriting(_ code: CInt) -> Bool {
        [3, 4, 6, 19].contains(code >> 8)
    }

    static func error(_ code: CInt, _ handle: OpaquePointer?) -> FolderError {
        let reason = handle.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } ?? "error \(code)"
        switch code & 0xff {
        case SQLITE_FULL: return .full
        case SQLITE_CORRUPT, SQLITE_NOTADB: return .damaged(reason)
        case SQLITE_IOERR:
            // Quotas and limits are full disks too, which SQLite only calls an error of output.
            guard isWriting(code) else { return .unusable(reason) }
            let path = handle.flatMap { sqlite3_db_filename($0, "main") }.map { String(cString: $0) }
            return DiskProbe.error(beside: path ?? "")
        default: return .unusable(reason)
        }
    }
}

/// A value that is bound to a statement.
enum SQLValue {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob(Data)

    static func integer(_ value: Int) -> SQLValue { .integer(Int64(value)) }
    static func optional(_ value: String?) -> SQLValue { value.map { .text($0) } ?? .null }
    /// In the representation of `Date`, so that it is returned unchanged.
    static func date(_ date: Date) -> SQLValue { .real(date.timeIntervalSinceReferenceDate) }
}
