import MailKernelAPI
import StoreRules

extension PostgreSQLStorage {
    func state(of type: DataType, in accountID: Id<Account>?) async throws(StorageError) -> State {
        let state = try await read(orNone: accountID) { connection, account throws(StorageError) in
            let store = try connection.askStoreID()
            let current = try connection.history(of: type, account)?.current ?? 0
            return StateNaming(store: try connection.storeID(from: store), account: account).state(current)
        }
        guard let state else { throw .notFound("account \(accountID?.rawValue ?? "")") }
        return state
    }

    func changes(
        of type: DataType, in accountID: Id<Account>?, since state: State, limit: Int
    ) async throws(StorageError) -> Changes {
        guard limit > 0 else { throw .invalid(reason: "changes were requested with a limit of \(limit)") }
        let changes = try await read(orNone: accountID) { connection, account throws(StorageError) in
            let store = try connection.askStoreID()
            // In the same exchange: whether the state is one of this account is known with the answer.
            let page = try StateNaming.claimedNumber(in: state).map { number throws(StorageError) in
                try connection.askChanges(of: type, account, since: number)
            }
            let history = try connection.history(of: type, account) ?? History()
            let naming = StateNaming(store: try connection.storeID(from: store), account: account)
            guard let page, let number = naming.number(of: state), number >= history.oldest,
                number <= history.current
            else {
                throw .cannotCalculateChanges
            }
            return try connection.changes(of: type, account, since: number, limit: limit, first: page)
                .changes(current: history.current, state: naming.state)
        }
        guard let changes else { throw .notFound("account \(accountID?.rawValue ?? "")") }
        return changes
    }
}

/// Which changes of one type of one account are kept.
struct History {
    /// The oldest state that changes can be listed from.
    var oldest = 0
    var current = 0
    var count = 0
}

extension Connection {
    func history(of type: DataType, _ account: Int) throws(StorageError) -> History? {
        try first(
            "SELECT oldest, current, count FROM history WHERE account = $1 AND type = $2",
            [.integer(account), .string(type.rawValue)]
        ) { History(oldest: $0.int(0), current: $0.int(1), count: $0.int(2)) }
    }

    fileprivate func askChanges(
        of type: DataType, _ account: Int, since number: Int
    ) throws(StorageError) -> Question {
        try ask(
            """
            SELECT number, id, kind, only_counts FROM change
            WHERE account = $1 AND type = $2 AND number > $3 ORDER BY number LIMIT 1000
            """, [.integer(account), .string(type.rawValue), .integer(number)])
    }

    /// In pages, because there may be thousands of changes of few records. The first was asked for before.
    fileprivate func changes(
        of type: DataType, _ account: Int, since number: Int, limit: Int, first: Question
    ) throws(StorageError) -> ChangeList {
        var list = ChangeList(since: number, limit: limit)
        var (last, question) = (number, first)
        while true {
            let page = try rows(question) { row in
                let kind = RecordChange.Kind(rawValue: row.int(2)) ?? .updated
                return (
                    row.int(0), RecordChange(type: type, id: row.text(1), kind: kind, onlyCounts: row.flag(3))
                )
            }
            for (number, change) in page {
                guard list.add(change, number: number) else { return list }
                last = number
            }
            if page.count < 1_000 { return list }
            question = try askChanges(of: type, account, since: last)
        }
    }
}
