import CSQLite

/// An open database file with its prepared statements. Like `Statement`, compiled once for all plugins.
@usableFromInline final class Connection {
    @usableFromInline let handle: OpaquePointer
    private var statements: [String: Statement] = [:]

    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    deinit {
        // Finalized first: a connection with statements would stay open as a zombie.
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    /// A statement, prepared once and kept.
    @usableFromInline func statement(_ sql: String) throws(ResultCode) -> Statement {
        if let kept = statements[sql], !kept.isInUse { return kept }
        let statement = try Statement(handle, sql)
        // Queries have many shapes; the few hundred fixed texts come back after a clean sweep.
        if statements.count > 400 { statements.removeAll() }
        if statements[sql] == nil { statements[sql] = statement }
        return statement
    }
}
