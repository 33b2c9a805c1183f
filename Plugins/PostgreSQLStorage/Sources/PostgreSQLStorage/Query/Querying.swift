import MailKernelAPI
import StoreRules

extension PostgreSQLStorage {
    func queryEmails(_ query: EmailQuery) async throws(StorageError) -> EmailQueryResult {
        try query.filter?.checkSize()
        return try await store().together(query.accountIDs) { parts, missing throws(StorageError) in
            let queried = try Queried(query, parts, missing)
            return try queried.run(query).result(queried.state)
        }
    }

    /// Old results are not kept: a new query costs a page, remembering would cost the whole list.
    func queryEmailChanges(
        _ query: EmailQuery, since state: State, limit: Int
    ) async throws(StorageError) -> EmailQueryChanges {
        try query.filter?.checkSize()
        return try await store().together(query.accountIDs) { parts, missing throws(StorageError) in
            let queried = try Queried(query, parts, missing)
            let now = queried.state
            guard now == state else { throw .cannotCalculateChanges }
            var whole = query
            whole.window = .position(0)
            whole.limit = 0
            let total = query.calculateTotal ? try queried.run(whole).result(now).total : nil
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

/// An account that a query is about, as far as is to be known before it can be compiled.
struct QueriedAccount {
    let connection: Connection
    let id: Id<Account>
    let number: Int
    let revision: Int
    var mailboxes: [Mailbox.Role: [Id<Mailbox>]] = [:]
}

/// The accounts of a query, read in one exchange with each server.
private struct Queried {
    private var accounts: [QueriedAccount] = []
    /// Changes with every change of the mail of these accounts, and when a server that was missing is back.
    private(set) var state = State(rawValue: "")

    init(_ query: EmailQuery, _ parts: [ServerPart], _ missing: [String]) throws(StorageError) {
        let hasRole = query.filter?.hasRole ?? false
        let store = try parts.first?.connection.askStoreID()
        for part in parts {
            let connection = part.connection
            let accounts = try connection.ask(
                "SELECT id, account, revision FROM account WHERE id = ANY ($1)", [.ids(part.ids)])
            let mailboxes = try hasRole ? Self.askForMailboxes(of: part) : nil
            var found = try connection.rows(accounts) {
                QueriedAccount(
                    connection: connection, id: $0.id(0), number: $0.int(1), revision: $0.int(2))
            }
            if let mailboxes { try Self.note(connection, mailboxes, in: &found) }
            self.accounts += found
        }
        let texts = accounts.sorted { $0.number < $1.number }.map { "\($0.number).\($0.revision)" }
        var id = ""
        if let store, let first = parts.first { id = try first.connection.storeID(from: store) }
        state = State(rawValue: "\(id)-q\((texts + missing).joined(separator: "_"))")
    }

    private static func askForMailboxes(of part: ServerPart) throws(StorageError) -> Question {
        try part.connection.ask(
            """
            SELECT a.account, m.role, m.id FROM account a JOIN mailbox m ON m.account = a.account
            WHERE a.id = ANY ($1) AND m.role <> ''
            """, [.ids(part.ids)])
    }

    private static func note(
        _ connection: Connection, _ mailboxes: Question, in accounts: inout [QueriedAccount]
    ) throws(StorageError) {
        for (number, role, id) in try connection.rows(
            mailboxes, { ($0.int(0), $0.text(1), $0.id(2) as Id<Mailbox>) })
        {
            guard let role = Mailbox.Role(rawValue: role),
                let index = accounts.firstIndex(where: { $0.number == number })
            else { continue }
            accounts[index].mailboxes[role, default: []].append(id)
        }
    }

    func run(_ query: EmailQuery) throws(StorageError) -> QueryRun<QueryPlan> {
        var plans: [QueryPlan] = []
        for account in accounts { plans.append(try QueryPlan(query, account)) }
        return QueryRun(query, plans.sorted { $0.accountID < $1.accountID })
    }
}

extension EmailFilter {
    /// Whether it is, or contains, a condition on the role of a mailbox.
    fileprivate var hasRole: Bool {
        switch self {
        case .and(let filters), .or(let filters), .not(let filters): filters.contains { $0.hasRole }
        case .inRole: true
        case .inMailbox, .inMailboxOtherThan, .before, .after, .minSize, .maxSize, .hasKeyword, .notKeyword,
            .hasAttachment, .text, .from, .to, .cc, .bcc, .subject, .body, .header, .category,
            .allInThreadHaveKeyword, .someInThreadHaveKeyword, .noneInThreadHaveKeyword:
            false
        }
    }
}
