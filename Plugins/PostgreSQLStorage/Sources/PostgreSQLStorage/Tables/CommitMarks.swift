import FoundationEssentials
import MailKernelAPI

/// A number that each transaction of a lane leaves in a table, so that the lane can find out whether its last one was
/// committed. The server's own number of a transaction is no answer: after a crash or on a promoted standby another
/// transaction can have it.
struct CommitMarks {
    static let table = "commit_mark"

    private let lane = Array(UUID().uuidString.utf8)
    private var last = 0

    /// Makes the table if there is none, and forgets lanes that have ended.
    static func prepare(_ connection: Connection, schema: String) throws(StorageError) {
        let isThere = try connection.first(
            "SELECT to_regclass($1) IS NOT NULL", [.text("\(schema).\(table)")], once: true
        ) { $0.flag(0) }
        guard isThere == true else {
            return try connection.execute(
                """
                CREATE TABLE \(table) (
                    lane bytea PRIMARY KEY, number bigint NOT NULL,
                    set_at timestamptz NOT NULL DEFAULT clock_timestamp())
                """)
        }
        try connection.execute(
            "DELETE FROM \(table) WHERE set_at < clock_timestamp() - interval '1 day'")
    }

    /// The last statement of a transaction. It does nothing if the transaction has changed nothing.
    mutating func set(on connection: Connection) throws(StorageError) {
        last += 1
        try connection.send(
            """
            INSERT INTO \(Self.table) (lane, number) SELECT $1, $2 WHERE pg_current_xact_id_if_assigned() IS NOT NULL
            ON CONFLICT (lane) DO UPDATE SET number = excluded.number, set_at = excluded.set_at
            """, .bytes(lane), .integer(last))
    }

    /// Whether the last transaction was committed. It waits for one that the server still works on.
    func isThere(on connection: Connection) throws(StorageError) -> Bool {
        try connection.execute("SET LOCAL lock_timeout = \(Int(connection.patience * 250))")
        let found = try connection.first(
            """
            INSERT INTO \(Self.table) AS mark (lane, number) VALUES ($1, 0)
            ON CONFLICT (lane) DO UPDATE SET set_at = excluded.set_at RETURNING number
            """, [.bytes(lane)], once: true
        ) { $0.int(0) }
        return found == last
    }
}
