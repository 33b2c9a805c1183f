import MailKernelAPI
import StoreRules

extension PostgreSQLStorage {
    func queryEmails(_ query: EmailQuery) async throws(StorageError) -> EmailQueryResult {
        try query.filter?.checkSize()
        return try await store().together(query.accountIDs) { parts, missing throws(StorageError) in
            try parts.run(query).result(try parts.queryState(missing))
        }
    }

    /// Old results are not kept: a new query costs a page, remembering would cost the whole list.
    func queryEmailChanges(
        _ query: EmailQuery, since state: State, limit: Int
    ) async throws(StorageError) -> EmailQueryChanges {
        try query.filter?.checkSize()
        return try await store().together(query.accountIDs) { parts, missing throws(StorageError) in
            let now = try parts.queryState(missing)
            guard now == state else { throw .cannotCalculateChanges }
            var whole = query
            whole.window = .position(0)
            whole.limit = 0
            let total = query.calculateTotal ? try parts.run(whole).result(now).total : nil
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

extension [ServerPart] {
    fileprivate func run(_ query: EmailQuery) throws(StorageError) -> QueryRun<QueryPlan> {
        var plans: [QueryPlan] = []
        for part in self {
            for id in Set(part.ids) {
                guard let account = try part.connection.account(id) else { continue }
                plans.append(try QueryPlan(query, id, account, part.connection))
            }
        }
        return QueryRun(query, plans.sorted { $0.accountID < $1.accountID })
    }

    /// Changes with every change of the mail of these accounts, and when a server that was missing is back.
    fileprivate func queryState(_ missing: [String]) throws(StorageError) -> State {
        var revisions: [(account: Int, revision: Int)] = []
        for part in self {
            revisions += try part.connection.rows(
                "SELECT account, revision FROM account WHERE id = ANY ($1)", [.ids(part.ids)]
            ) { ($0.int(0), $0.int(1)) }
        }
        let texts = revisions.sorted { $0.account < $1.account }.map { "\($0.account).\($0.revision)" }
        let id = try first?.connection.storeID() ?? ""
        return State(rawValue: "\(id)-q\((texts + missing).joined(separator: "_"))")
    }
}
