import CSQLite
import FoundationEssentials
import Glibc
import MailKernelAPI

/// A connection to a database file, used by one thread at a time; its owner ensures that.
final class Database {
    let handle: OpaquePointer
    private var statements: [String: Statement] = [:]
    let interruption: Interruption

    enum Mode {
        case readOnly, readWrite
    }

    init(_ path: String, _ mode: Mode) throws(StorageError) {
        // Only the writer keeps the shared memory off the disk, which may be full.
        let flags = SQLITE_OPEN_READWRITE | (mode == .readWrite ? SQLITE_OPEN_CREATE : 0)
        var opened: OpaquePointer?
        // Serialised by us: SQLite's own locks would be taken for nothing.
        let code = sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX, "unix-excl")
        guard code == SQLITE_OK, let opened else {
            let error = Self.error(code, opened)
            sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
        interruption = Interruption(of: opened)
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, 5_000)
        SQLFunctions.register(on: handle)
        guard mode == .readOnly else { return }
        // The log of a database that is only looked at stays as it is.
        csqlite_keep_log(handle)
        try execute("PRAGMA query_only = ON")
    }

    deinit {
        // Finalised first: a connection with statements would stay open as a zombie.
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    /// Runs statements that return nothing.
    func execute(_ sql: String) throws(StorageError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw Self.error(code, handle) }
    }

    /// Shows each row to `body` until it answers false.
    func each(
        _ sql: String, _ values: [SQLValue] = [], _ body: (Row) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try statement(sql).run(values, body)
    }

    func run(_ sql: String, _ values: SQLValue...) throws(StorageError) {
        try each(sql, values) { _ in true }
    }

    /// The rows that a statement returns, each made into a value.
    func rows<Value>(
        _ sql: String, _ values: [SQLValue] = [], _ make: (Row) throws(StorageError) -> Value
    ) throws(StorageError) -> [Value] {
        var made: [Value] = []
        try each(sql, values) { row throws(StorageError) in
            made.append(try make(row))
            return true
        }
        return made
    }

    /// The first row made into a value; nil if there is none.
    func first<Value>(
        _ sql: String, _ values: [SQLValue] = [], _ make: (Row) throws(StorageError) -> Value
    ) throws(StorageError) -> Value? {
        var made: Value?
        try each(sql, values) { row throws(StorageError) in
            made = try make(row)
            return false
        }
        return made
    }

    func integer(_ sql: String, _ values: SQLValue...) throws(StorageError) -> Int64? {
        try first(sql, values) { $0.isNull(0) ? nil : $0.int64(0) } ?? nil
    }

    func text(_ sql: String, _ values: SQLValue...) throws(StorageError) -> String? {
        try first(sql, values) { $0.textOrNil(0) } ?? nil
    }

    /// A statement, prepared once and kept. Its text is ours; foreign values are always bound.
    private func statement(_ sql: String) throws(StorageError) -> Statement {
        if let kept = statements[sql], !kept.isInUse { return kept }
        let statement = try Statement(handle, sql)
        // Queries have many shapes; the few hundred fixed texts come back after a clean sweep.
        if statements.count > 400 { statements.removeAll() }
        if statements[sql] == nil { statements[sql] = statement }
        return statement
    }

    var lastInsertID: Int64 { sqlite3_last_insert_rowid(handle) }
    var changes: Int { Int(sqlite3_changes64(handle)) }
    /// Since the connection was opened, those that tables make for themselves included.
    var totalChanges: Int { Int(sqlite3_total_changes64(handle)) }
}

// MARK: Transactions

extension Database {
    enum Purpose: String {
        case read = "BEGIN"
        case write = "BEGIN IMMEDIATE"
    }

    /// Runs `body` in one transaction, which is undone when it throws.
    func transaction<Answer>(
        _ purpose: Purpose, _ body: () throws(StorageError) -> Answer
    ) throws(StorageError) -> Answer {
        try run(purpose.rawValue)
        do throws(StorageError) {
            let answer = try body()
            try run("COMMIT")
            return answer
        } catch {
            // Some failures have ended the transaction already.
            if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }
}

// MARK: Errors

extension Database {
    /// The extended codes of `SQLITE_IOERR` that are about writing, synchronising, cutting, and the
    /// memory that is shared with readers.
    private static func isWriting(_ code: CInt) -> Bool {
        [3, 4, 6, 19].contains(code >> 8)
    }

    static func error(_ code: CInt, _ handle: OpaquePointer?) -> StorageError {
        let reason = handle.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } ?? "error \(code)"
        switch code & 0xff {
        case SQLITE_FULL: return .full
        case SQLITE_READONLY, SQLITE_PERM: return .unwritable(reason: reason)
        case SQLITE_CANTOPEN:
            // The file that cannot be opened may be one that there is no room for.
            let isFull = path(of: handle).map { PosixError.isFull(DiskProbe.error(beside: $0)) } ?? false
            return isFull ? .full : .unwritable(reason: reason)
        case SQLITE_CORRUPT, SQLITE_NOTADB: return .corrupt(reason: reason)
        case SQLITE_BUSY, SQLITE_LOCKED: return .inUse
        case SQLITE_INTERRUPT: return .cancelled
        case SQLITE_IOERR:
            // The disk can be full in ways that SQLite only calls an error of output.
            guard isWriting(code) else { return .unreadable(reason: reason) }
            // The number that the system gave is lost by now, so it is asked again.
            return PosixError.writing(path(of: handle).map(DiskProbe.error) ?? EIO)
        default: return .invalid(reason: reason)
        }
    }

    private static func path(of handle: OpaquePointer?) -> String? {
        handle.flatMap { sqlite3_db_filename($0, "main") }.map { String(cString: $0) }
    }
}
