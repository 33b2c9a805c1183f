import MailKernelAPI
import StoreRules

extension PostgreSQLStorage {
    func queryEmails(_ query: EmailQuery) async throws(StorageError) -> EmailQueryResult {
        try query.filter?.checkSize()
        return try await read { connection throws(StorageError) in
            try connection.run(query).result(try connection.queryState(query.accountIDs))
        }
    }

    /// Old results are not kept: a new query costs a page, remembering would cost the whole list.
    func queryEmailChanges(
        _ query: EmailQuery, since state: State, limit: Int
    ) async throws(StorageError) -> EmailQueryChanges {
        try query.filter?.checkSize()
        return try await read { connection throws(StorageError) in
            let now = try connection.queryState(query.accountIDs)
            guard now == state else { throw .cannotCalculateChanges }
            var whole = query
            whole.window = .position(0)
            whole.limit = 0
            let total = query.calculateTotal ? try connection.run(whole).result(now).total : nil
            return EmailQueryChanges(oldState: state, newState: now, removed: [], added: [], total: total)
        }
    }

    func snippets(
        for filter: EmailFilter, emailIDs: [Id<Email>], in accountID: Id<Account>
    ) async throws(StorageError) -> [SearchSnippet] {
        try filter.checkSize()
        let maker = SnippetMaker(filter)
        return try await read(accountID, none: []) { connection, account throws(StorageError) in
            let found = try connection.rows(
                "SELECT id, core, headers, content FROM email_body WHERE account = $1 AND id = ANY ($2)",
                [.integer(account), .ids(emailIDs)]
            ) { row in
                let email = row.withBytes(1) {
                    PackedEmail.email(row.id(0), in: accountID, $0, mailboxIDs: [], keywords: [])
                }
                return maker.snippet(of: email, row.body(headers: 2, content: 3))
            }
            return emailIDs.picking(from: found, \.emailID)
        }
    }
}

extension Connection {
    fileprivate func run(_ query: EmailQuery) throws(StorageError) -> QueryRun<QueryPlan> {
        var plans: [QueryPlan] = []
        for id in Set(query.accountIDs).sorted() {
            guard let account = try account(id) else { continue }
            plans.append(try QueryPlan(query, id, account, self))
        }
        return QueryRun(query, plans)
    }

    /// Changes with every change of the mail of these accounts.
    fileprivate func queryState(_ accountIDs: [Id<Account>]) throws(StorageError) -> State {
        let revisions = try rows(
            "SELECT account, revision FROM account WHERE id = ANY ($1) ORDER BY account", [.ids(accountIDs)]
        ) { "\($0.int(0)).\($0.int(1))" }
        return State(rawValue: "\(try storeID())-q\(revisions.joined(separator: "_"))")
    }
}
