import MailKernelAPI

/// A table with rows of accounts, as a move copies it. Rows travel as JSON, which PostgreSQL itself writes and reads.
struct MovedTable: Sendable {
    let name: String
    /// Columns that name a row, besides the account. Pages are in their order.
    let keys: [String]
    /// Columns of another unique index.
    var otherKeys: [String] = []
    /// Rows that are copied at once.
    var page = 1_000

    static let all = [
        MovedTable(name: "mailbox", keys: ["id"]),
        MovedTable(name: "email", keys: ["id"], page: 100),
        MovedTable(name: "email_body", keys: ["id"], page: 50),
        MovedTable(name: "email_mailbox", keys: ["mailbox", "id"]),
        MovedTable(name: "insight", keys: ["id"], page: 200),
        MovedTable(name: "thread_message", keys: ["message"]),
        MovedTable(name: "thread_stretch", keys: ["key", "thread", "first", "last"]),
        MovedTable(name: "record", keys: ["type", "id"], page: 200),
        MovedTable(name: "remote", keys: ["feed", "remote"], otherKeys: ["email", "feed"]),
        MovedTable(name: "contact", keys: ["email"]),
        MovedTable(name: "history", keys: ["type"]),
        MovedTable(name: "change", keys: ["type", "number"]),
        MovedTable(name: "blob", keys: ["id"]),
        MovedTable(name: "blob_chunk", keys: ["upload", "number"], page: 8),
        // The keys of objects in S3, which stay where they are: all servers of a store use one bucket.
        MovedTable(name: ObjectTable.name, keys: ["upload"]),
        MovedTable(name: "deed", keys: ["number"]),
    ]

    private var keyList: String { keys.joined(separator: ", ") }
    /// The key as one value, the same on all servers.
    private var key: String { "convert_to(ROW(\(keyList))::text, 'UTF8')" }
    private var bucket: String { "get_byte(sha256(\(key)), 0)" }
}

// MARK: Rows

extension MovedTable {
    struct Page {
        var rows: [String]
        /// The keys of the last row.
        var last: String?
    }

    /// Rows that follow others in the order of their keys.
    ///
    /// - Parameters:
    ///   - last: the keys of the last one before; nil at the beginning.
    ///   - since: leaves out those that are older than this transaction; nil for all.
    func rows(
        of account: Int, after last: String?, since: String?, _ source: Connection
    ) throws(StorageError) -> Page {
        var (conditions, values) = ("account = $1", [SQLValue.integer(account), .integer(page)])
        if let last {
            values.append(.text(last))
            conditions +=
                " AND (\(keyList)) > (SELECT \(keyList) FROM json_populate_record(NULL::\(name), $\(values.count)::json))"
        }
        if let since {
            values.append(.text(since))
            conditions += " AND age(xmin) <= age($\(values.count)::xid8::xid)"
        }
        let names = keys.map { "'\($0)', \($0)" }.joined(separator: ", ")
        let found = try source.rows(
            """
            SELECT row_to_json(t)::text, json_build_object(\(names))::text
            FROM (SELECT * FROM \(name) WHERE \(conditions) ORDER BY \(keyList) LIMIT $2) t
            """, values
        ) { (row: $0.text(0), keys: $0.text(1)) }
        return Page(rows: found.map(\.row), last: found.count < page ? nil : found.last?.keys)
    }

    /// Writes rows, instead of those with the same keys.
    func put(_ rows: [String], _ target: Connection) throws(StorageError) {
        guard !rows.isEmpty else { return }
        let json = SQLValue.text("[\(rows.joined(separator: ","))]")
        let given = "json_populate_recordset(NULL::\(name), $1::json)"
        for keys in [keys, otherKeys] where !keys.isEmpty {
            let isSame = keys.map { "t.\($0) = r.\($0)" }.joined(separator: " AND ")
            try target.run(
                "DELETE FROM \(name) t USING \(given) r WHERE t.account = r.account AND \(isSame)", json)
        }
        try target.run("INSERT INTO \(name) SELECT * FROM \(given)", json)
    }
}

// MARK: Removed rows

extension MovedTable {
    /// Removes rows that the source no longer has, once the target has all that it has.
    func removeSurplus(of account: Int, _ source: Connection, _ target: Connection) throws(StorageError) {
        guard try count(account, source) != count(account, target) else { return }
        let (wanted, found) = (try counts(account, source), try counts(account, target))
        for (bucket, count) in found where wanted[bucket] != count {
            let keys = try source.rows(
                "SELECT \(key) FROM \(name) WHERE account = $1 AND \(self.bucket) = $2",
                [.integer(account), .integer(bucket)]
            ) { Array($0.data(0)) }
            try target.run(
                "DELETE FROM \(name) WHERE account = $1 AND \(self.bucket) = $2 AND \(key) <> ALL ($3)",
                .integer(account), .integer(bucket), .list(keys))
        }
    }

    private func count(_ account: Int, _ connection: Connection) throws(StorageError) -> Int {
        let rows = "SELECT DISTINCT \(keyList) FROM \(name) WHERE account = $1"
        return try connection.first("SELECT count(*) FROM (\(rows)) t", [.integer(account)]) { $0.int(0) }
            ?? 0
    }

    /// In 256 parts, so that few keys have to be compared.
    private func counts(_ account: Int, _ connection: Connection) throws(StorageError) -> [Int: Int] {
        let counts = try connection.rows(
            "SELECT \(bucket), count(*) FROM \(name) WHERE account = $1 GROUP BY 1", [.integer(account)]
        ) { ($0.int(0), $0.int(1)) }
        return Dictionary(counts) { first, _ in first }
    }
}
