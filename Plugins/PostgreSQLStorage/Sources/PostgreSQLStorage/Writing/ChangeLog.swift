import MailKernelAPI
import StoreRules

/// Writes the changes of one account, or of what belongs to none, under numbers that follow each other.
struct ChangeLog {
    /// The minimum to keep of each type, and the surplus that is removed at once.
    private static let limit = 10_000
    private static let slack = 1_000

    let connection: Connection
    let account: Int
    let kernel: [UInt8]
    /// The number of the last change.
    private(set) var last: Int
    /// Of all types, before this commit.
    private let histories: Question

    /// - Parameter last: the number that the transaction has given itself. Nothing changes the account before it ends.
    init(
        _ connection: Connection, _ account: Int, _ kernel: [UInt8], last: Int
    ) throws(StorageError) {
        self.connection = connection
        self.account = account
        self.kernel = kernel
        self.last = last
        histories = try connection.ask(
            "SELECT type, current, count FROM history WHERE account = $1", [.integer(account)])
    }

    private func history(of type: DataType) throws(StorageError) -> History {
        try connection.rows(histories) {
            (type: $0.text(0), history: History(current: $0.int(1), count: $0.int(2)))
        }.first { $0.type == type.rawValue }?.history ?? History()
    }

    /// The number behind the state that the type had before this commit.
    func current(of type: DataType) throws(StorageError) -> Int { try history(of: type).current }

    /// Returns the number behind the new state of the type. Once for each type.
    mutating func append(_ changes: [RecordChange], of type: DataType) throws(StorageError) -> Int {
        let count = try history(of: type).count + changes.count
        let numbers = (1...max(1, changes.count)).map { last + $0 }
        try connection.send(
            """
            INSERT INTO change (account, type, number, id, kind, only_counts, kernel)
            SELECT $1, $2, u.*, $3
            FROM unnest($4::bigint[], $5::bytea[], $6::bigint[], $7::boolean[]) u (number, id, kind, only_counts)
            """, .integer(account), .string(type.rawValue), .bytes(kernel), .integers(numbers),
            .strings(changes.map(\.id)), .integers(changes.map(\.kind.rawValue)),
            .flags(changes.map(\.onlyCounts)))
        last += changes.count
        try connection.send(
            """
            INSERT INTO history AS h VALUES ($1, $2, 0, $3, $4) ON CONFLICT (account, type) DO UPDATE
            SET current = excluded.current, count = h.count + excluded.count
            """, .integer(account), .string(type.rawValue), .integer(last), .integer(changes.count))
        if count > Self.limit + Self.slack { try prune(type, surplus: count - Self.limit) }
        return last
    }

    private func prune(_ type: DataType, surplus: Int) throws(StorageError) {
        let oldest = try connection.first(
            "SELECT number FROM change WHERE account = $1 AND type = $2 ORDER BY number LIMIT 1 OFFSET $3",
            [.integer(account), .string(type.rawValue), .integer(surplus - 1)]
        ) { $0.int(0) }
        guard let oldest else { return }
        try connection.send(
            "DELETE FROM change WHERE account = $1 AND type = $2 AND number <= $3", .integer(account),
            .string(type.rawValue), .integer(oldest))
        try connection.send(
            "UPDATE history SET oldest = $3, count = count - $4 WHERE account = $1 AND type = $2",
            .integer(account), .string(type.rawValue), .integer(oldest), .integer(surplus))
    }
}
