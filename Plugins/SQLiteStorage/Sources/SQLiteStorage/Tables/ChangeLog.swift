import MailKernelAPI
import StoreRules

/// The last changes of each type of each account.
struct ChangeLog {
    typealias Kind = RecordChange.Kind
    typealias Difference = RecordChange

    /// The minimum to keep, and the surplus that is removed at once.
    private static let limit = 10_000
    private static let slack = 1_000

    private struct History {
        var row: Int64
        var oldest: Int
        var current: Int
        var count: Int
    }

    let database: Database
    /// 0 for what belongs to no account.
    let account: Int64
    /// The store's last change when the account was added: nothing of it is older.
    let born: Int

    /// The number behind the present state.
    func current(_ type: DataType) throws(StorageError) -> Int {
        try history(type)?.current ?? born
    }

    private func history(_ type: DataType) throws(StorageError) -> History? {
        try database.first(
            "SELECT row, oldest, current, count FROM history WHERE account = ? AND type = ?",
            [.integer(account), .text(type.rawValue)]
        ) { History(row: $0.int64(0), oldest: $0.int(1), current: $0.int(2), count: $0.int(3)) }
    }

    /// Notes changes of one type under numbers that follow `store.lastChange`.
    func append(_ differences: [Difference], of type: DataType, _ store: inout StoreRow) throws(StorageError)
    {
        var history: History
        if let known = try self.history(type) { history = known } else { history = try start(type) }
        for difference in differences {
            store.lastChange += 1
            history.current = store.lastChange
            try database.run(
                "INSERT INTO change VALUES (?, ?, ?, ?, ?)", .integer(history.row),
                .integer(store.lastChange), .text(difference.id), .integer(difference.kind.rawValue),
                .flag(difference.onlyCounts))
        }
        history.count += differences.count
        try prune(&history)
        try database.run(
            "UPDATE history SET oldest = ?, current = ?, count = ? WHERE row = ?", .integer(history.oldest),
            .integer(history.current), .integer(history.count), .integer(history.row))
    }

    private func start(_ type: DataType) throws(StorageError) -> History {
        try database.run(
            "INSERT INTO history (account, type, oldest, current, count) VALUES (?, ?, ?, ?, 0)",
            .integer(account), .text(type.rawValue), .integer(born), .integer(born))
        return History(row: database.lastInsertID, oldest: born, current: born, count: 0)
    }

    private func prune(_ history: inout History) throws(StorageError) {
        guard history.count > Self.limit + Self.slack else { return }
        let surplus = history.count - Self.limit
        let oldest = try database.integer(
            "SELECT number FROM change WHERE history = ? ORDER BY number LIMIT 1 OFFSET ?",
            .integer(history.row), .integer(surplus - 1))
        guard let oldest else { return }
        try database.run(
            "DELETE FROM change WHERE history = ? AND number <= ?", .integer(history.row), .integer(oldest))
        history.oldest = Int(oldest)
        history.count -= surplus
    }
}

// MARK: Reading

extension ChangeLog {
    /// What happened after `number`, told as far as `limit` ids go: the numbers behind states are of
    /// single changes, so the telling can stop anywhere, also in the middle of a commit.
    func changes(
        of type: DataType, since number: Int, limit: Int, _ store: StoreRow
    ) throws(StorageError) -> Changes {
        let history = try history(type)
        let current = history?.current ?? born
        guard number >= history?.oldest ?? born, number <= current else { throw .cannotCalculateChanges }
        var list = ChangeList(since: number, limit: limit)
        try database.each(
            """
            SELECT number, id, kind, only_counts FROM change WHERE history = ? AND number > ? ORDER BY number
            """, [.integer(history?.row ?? 0), .integer(number)]
        ) { row in
            let kind = Kind(rawValue: row.int(2)) ?? .updated
            return list.add(
                RecordChange(type: type, id: row.text(1), kind: kind, onlyCounts: row.flag(3)),
                number: row.int(0))
        }
        return list.changes(current: current, state: store.state)
    }
}
