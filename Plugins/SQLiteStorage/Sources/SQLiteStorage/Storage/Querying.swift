import MailKernelAPI
import StoreRules

extension SQLiteStorage {
    func queryEmails(_ query: EmailQuery) async throws(StorageError) -> EmailQueryResult {
        try query.filter?.checkSize()
        return try await read { database throws(StorageError) in
            try QueryRun(query, database).result(try StoreRow(database).queryState)
        }
    }

    /// Old results are not kept: a new query costs a page, remembering would cost the whole list.
    func queryEmailChanges(
        _ query: EmailQuery, since state: State, limit: Int
    ) async throws(StorageError) -> EmailQueryChanges {
        try query.filter?.checkSize()
        return try await read { database throws(StorageError) in
            let now = try StoreRow(database).queryState
            guard now == state else { throw .cannotCalculateChanges }
            var whole = query
            whole.window = .position(0)
            whole.limit = 0
            let total = query.calculateTotal ? try QueryRun(whole, database).result(now).total : nil
            return EmailQueryChanges(oldState: state, newState: now, removed: [], added: [], total: total)
        }
    }

    func snippets(
        for filter: EmailFilter, emailIDs: [Id<Email>], in accountID: Id<Account>
    ) async throws(StorageError) -> [SearchSnippet] {
        try filter.checkSize()
        let maker = SnippetMaker(filter)
        return try await read(accountID, none: []) { database, account throws(StorageError) in
            try emailIDs.each { id throws(StorageError) in
                guard let stored = try database.email(id, in: accountID, account),
                    let row = try database.emailRow(id, account: account),
                    let body = try database.body(ofEmail: row)
                else { return nil }
                return maker.snippet(of: stored.email, body)
            }
        }
    }
}

extension QueryRun<QueryPlan> {
    init(
        _ query: EmailQuery, _ database: Database, manyMatches: Int = FrequentWords.many
    ) throws(StorageError) {
        let plans = try Set(query.accountIDs).sorted().each { id throws(StorageError) -> QueryPlan? in
            guard let account = try database.account(id) else { return nil }
            return try QueryPlan(query, account, database, manyMatches: manyMatches)
        }
        self.init(query, plans)
    }
}
