import CSQLite

/// A connection to a database file, used by one thread at a time; its owner ensures that.
///
/// The methods that are generic are inlinable, so that a plugin has them compiled for its own error.
public final class Database<Failure: DatabaseFailure> {
    @usableFromInline let connection: Connection
    /// Ends what this connection is doing. It costs a little, so it is set up for those who use it.
    lazy var interruption = Interruption(of: handle)

    /// - Parameters:
    ///   - flags: those of SQLite.
    ///   - patience: how many milliseconds another connection is waited for.
    public init(_ path: String, flags: CInt, files: String? = nil, patience: CInt) throws(Failure) {
        var opened: OpaquePointer?
        // Serialized by us: SQLite's own locks would be taken for nothing.
        let code = sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX, files)
        guard code == SQLITE_OK, let opened else {
            let failure = Failure.from(code, opened)
            sqlite3_close_v2(opened)
            throw failure
        }
        connection = Connection(opened)
        sqlite3_extended_result_codes(opened, 1)
        sqlite3_busy_timeout(opened, patience)
    }

    public var handle: OpaquePointer { connection.handle }
    public var lastInsertID: Int64 { sqlite3_last_insert_rowid(handle) }
    /// The rows that the last statement changed.
    public var changes: Int { Int(sqlite3_changes64(handle)) }
    /// Since the connection was opened, those that tables make for themselves included.
    public var totalChanges: Int { Int(sqlite3_total_changes64(handle)) }

    /// Runs statements that return nothing.
    public func execute(_ sql: String) throws(Failure) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw .from(code, handle) }
    }

    /// Shows each row to `body` until it answers false. The SQL is ours; foreign values are always bound.
    @inlinable public func each(
        _ sql: String, _ values: [SQLValue] = [], _ body: (Row) throws(Failure) -> Bool
    ) throws(Failure) {
        let statement = try reporting { () throws(ResultCode) in try connection.statement(sql) }
        defer { statement.end() }
        try reporting { () throws(ResultCode) in try statement.begin(values) }
        while let row = try reporting({ () throws(ResultCode) in try statement.next() }) {
            guard try body(row) else { return }
        }
    }

    @inlinable public func run(_ sql: String, _ values: SQLValue...) throws(Failure) {
        try each(sql, values) { _ in true }
    }

    /// The rows that a statement returns, each made into a value.
    @inlinable public func rows<Value>(
        _ sql: String, _ values: [SQLValue] = [], _ make: (Row) throws(Failure) -> Value
    ) throws(Failure) -> [Value] {
        var made: [Value] = []
        try each(sql, values) { row throws(Failure) in
            made.append(try make(row))
            return true
        }
        return made
    }

    /// The first row made into a value; nil if there is none.
    @inlinable public func first<Value>(
        _ sql: String, _ values: [SQLValue] = [], _ make: (Row) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        var made: Value?
        try each(sql, values) { row throws(Failure) in
            made = try make(row)
            return false
        }
        return made
    }

    @inlinable public func integer(_ sql: String, _ values: SQLValue...) throws(Failure) -> Int64? {
        try first(sql, values) { $0.isNull(0) ? nil : $0.int64(0) } ?? nil
    }

    @inlinable public func text(_ sql: String, _ values: SQLValue...) throws(Failure) -> String? {
        try first(sql, values) { $0.textOrNil(0) } ?? nil
    }

    /// Throws the plugin's error where SQLite returned a code.
    @inlinable func reporting<Answer>(_ body: () throws(ResultCode) -> Answer) throws(Failure) -> Answer {
        do throws(ResultCode) {
            return try body()
        } catch {
            throw failure(error)
        }
    }

    @usableFromInline func failure(_ code: ResultCode) -> Failure { .from(code.code, handle) }
}

// MARK: Transactions

/// What a transaction is for.
public enum TransactionPurpose: String {
    case read = "BEGIN"
    case write = "BEGIN IMMEDIATE"
}

extension Database {
    /// Runs `body` in one transaction, which is undone when it throws.
    @inlinable public func transaction<Answer>(
        _ purpose: TransactionPurpose = .write, _ body: () throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        try run(purpose.rawValue)
        do throws(Failure) {
            let answer = try body()
            try run("COMMIT")
            return answer
        } catch {
            rollBack()
            throw error
        }
    }

    /// Some failures have ended the transaction already.
    @usableFromInline func rollBack() {
        if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
    }
}
