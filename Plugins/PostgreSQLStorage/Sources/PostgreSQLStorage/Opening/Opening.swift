import MailKernelAPI

/// Opens the store: makes its tables if there are none, and refuses what it cannot work with.
struct Opening {
    let connection: Connection
    let schema: String
    /// Makes another connection.
    let connect: () throws(StorageError) -> Connection
    var role = ServerRole.only

    func run() throws(StorageError) -> StorageOpening {
        do throws(StorageError) {
            try Self.checkVersion(connection.serverVersion)
            try checkPooler()
            try checkEncoding()
            let met = try openTables()
            try CommitMarks.prepare(connection, schema: schema)
            return met
        } catch {
            throw refusedPrivilege() ?? error
        }
    }

    private func openTables() throws(StorageError) -> StorageOpening {
        // Several kernels that open a new store at once: the first one makes it.
        try connection.lock("mailkernel.\(schema)")
        guard try isThere() else {
            try create()
            try openPlaces(isNew: true)
            return .created
        }
        try openPlaces(isNew: false)
        let format = try connection.first("SELECT format FROM store", once: true) { $0.int(0) }
        guard let format else { throw .corrupt(reason: "the table “store” is empty") }
        guard format <= Schema.spreadVersion else {
            throw .newerFormat(found: format, known: Schema.spreadVersion)
        }
        guard format >= Schema.version else {
            throw .unsupported(
                "The store was made by an earlier version of this plugin, which cannot be converted. Remove it with "
                    + "“DROP SCHEMA \(schema) CASCADE”: mailkernel then reads all mail from its services again."
            )
        }
        return .ready
    }

    private func isThere() throws(StorageError) -> Bool {
        try connection.first("SELECT to_regclass($1) IS NOT NULL", [.text("\(schema).store")], once: true) {
            $0.flag(0)
        } ?? false
    }

    private func create() throws(StorageError) {
        // “IF NOT EXISTS” needs the privilege to create even for a schema that is there.
        if try !isThereSchema() { try connection.execute("CREATE SCHEMA \(schema)") }
        try connection.execute(Schema.creation + ObjectTable.creation)
        var id = String(UInt64.random(in: .min ... .max), radix: 36)
        if case .further(_, let store) = role { id = store }
        try connection.run(
            "INSERT INTO store (id, format) VALUES ($1, $2)", .text(id), .integer(Schema.version))
    }

    private func isThereSchema() throws(StorageError) -> Bool {
        try connection.first("SELECT 1 FROM pg_namespace WHERE nspname = $1", [.text(schema)], once: true) {
            _ in
            true
        } ?? false
    }
}

// MARK: What the server must have

extension Opening {
    /// The oldest release whose features are used.
    private static let oldestServer = 150_000

    static func checkVersion(_ version: Int) throws(StorageError) {
        guard version < oldestServer else { return }
        throw .unsupported(
            "The store needs PostgreSQL 15 or newer, but the server is version \(version / 10_000). Upgrade the server."
        )
    }

    private func checkEncoding() throws(StorageError) {
        let encoding = try connection.first("SELECT current_setting('server_encoding')", once: true) {
            $0.text(0)
        }
        guard encoding != "UTF8" else { return }
        throw .unsupported(
            "The database must have the encoding UTF8, not \(encoding ?? "an unknown one"). Create another database "
                + "with it.")
    }

    /// A pooler that gives each transaction another process of the server loses prepared statements and settings.
    func checkPooler() throws(StorageError) {
        guard try connection.currentProcess() != connection.process else { return }
        let one = try connect()
        let other = try connect()
        try one.execute("BEGIN")
        let before = try other.currentProcess()
        try one.execute("COMMIT")
        guard try other.currentProcess() != before else { return }
        throw .unsupported(
            "The store is connected through a pooler in transaction mode, such as pgbouncer, which loses prepared "
                + "statements. Set “pool_mode = session” for this database, or connect to the server directly."
        )
    }

    /// Instead of an error that is about a missing privilege.
    private func refusedPrivilege() -> StorageError? {
        guard let failure = connection.failure, failure.state == "42501" else { return nil }
        return .unsupported(
            "The database role lacks a privilege: \(failure.message). Make the role the owner of the database, or of "
                + "the schema “\(schema)” and everything in it.")
    }
}

extension Connection {
    /// Keeps others who name the same thing waiting until the transaction has ended.
    fileprivate func lock(_ name: String) throws(StorageError) {
        _ = try first("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [.text(name)], once: true) {
            _ in ()
        }
    }

    fileprivate func currentProcess() throws(StorageError) -> Int {
        try first("SELECT pg_backend_pid()", once: true) { $0.int(0) } ?? 0
    }
}
