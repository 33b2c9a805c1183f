import FoundationEssentials
import MailKernelAPI
import StoreRules

/// A query over one account in SQL: where the emails come from, which are meant, in what order.
struct QueryPlan: AccountQuery {
    let connection: Connection
    let accountID: Id<Account>
    let account: Int
    let query: EmailQuery
    private let source: SQLText
    private let condition: SQLText
    private let received: String
    private let mailboxes: [Mailbox.Role: [Id<Mailbox>]]
    /// Those that all have to occur.
    private let words: [SQLText]

    var isLedByWords: Bool { !words.isEmpty }

    init(_ query: EmailQuery, _ queried: QueriedAccount) throws(StorageError) {
        self.query = query
        connection = queried.connection
        accountID = queried.id
        account = queried.number
        mailboxes = queried.mailboxes
        let compiler = FilterCompiler(
            connection: connection, account: account, mailboxes: mailboxes, email: "e")
        let filters = query.filter.map(Self.conjunction) ?? []
        words = filters.flatMap { filter in
            filter.searchedText.map { compiler.eachWord(of: $0.text, in: $0.fields) } ?? []
        }
        let mailbox = !words.isEmpty ? nil : Self.mailbox(in: filters, mailboxes)
        var conditions = [SQLText("e.account = ?", [.integer(account)])]
        if query.filter?.wantedTexts.isEmpty == false {
            conditions.append(SearchPlace.condition(account, of: "e"))
        }
        for (index, filter) in filters.enumerated() where index != mailbox?.index {
            conditions.append(try compiler.condition(filter))
        }
        if let mailbox {
            source = SQLText("email_mailbox m JOIN email e ON e.account = m.account AND e.id = m.id")
            conditions.append(
                SQLText("m.account = ? AND m.mailbox = ?", [.integer(account), .id(mailbox.id)]))
        } else {
            source = SQLText("email e")
        }
        received = mailbox == nil ? "e.received" : "m.received"
        condition = SQLText.joined(conditions, by: "AND", ifEmpty: .all)
    }

    /// The conditions that all have to hold.
    private static func conjunction(_ filter: EmailFilter) -> [EmailFilter] {
        if case .and(let filters) = filter { filters.flatMap(conjunction) } else { [filter] }
    }

    /// The first condition that only selects a mailbox: its list leads to the emails.
    private static func mailbox(
        in filters: [EmailFilter], _ mailboxes: [Mailbox.Role: [Id<Mailbox>]]
    ) -> (index: Int, id: Id<Mailbox>)? {
        for (index, filter) in filters.enumerated() {
            if case .inMailbox(let id) = filter { return (index, id) }
            guard case .inRole(let role) = filter else { continue }
            if let ids = mailboxes[role], ids.count == 1 { return (index, ids[0]) }
        }
        return nil
    }
}

// MARK: By date

extension QueryPlan {
    private var isAscending: Bool { query.sort.first?.isAscending ?? false }

    /// Fewer emails are searched all at once.
    private static let few = 5_000

    /// Frequent words are asked for in the newest quarter of a year first, and further back until there are enough.
    func byDate(_ side: QuerySide?, limit: Int, offset: Int) throws(StorageError) -> [QueryHit] {
        guard isLedByWords, side == nil, !isAscending, limit > 0, limit < 1_000, offset < 1_000,
            try isFoundOften(), let newest = try newestQuarter()
        else { return try byDate(side, limit: limit, offset: offset, in: nil) }
        for quarters in [1, 4, 16] {
            let recent = SearchPlace.condition(account, quarters, upTo: newest, of: "e")
            let hits = try byDate(nil, limit: limit, offset: offset, in: recent)
            if hits.count == limit { return hits }
        }
        return try byDate(nil, limit: limit, offset: offset, in: nil)
    }

    /// To ask several times is worth it only where there would be much to sort otherwise.
    private func isFoundOften() throws(StorageError) -> Bool {
        let isOfAccount = SQLText("e.account = ?", [.integer(account)])
        for conditions in [[isOfAccount], words] {
            let estimates = try connection.estimatedEmails(conditions)
            guard estimates.allSatisfy({ $0 >= Self.few }) else { return false }
        }
        return true
    }

    private func newestQuarter() throws(StorageError) -> Int? {
        try connection.first(
            "SELECT quarter FROM email WHERE account = $1 ORDER BY received DESC LIMIT 1", [.integer(account)]
        ) { $0.int(0) }
    }

    private func byDate(
        _ side: QuerySide?, limit: Int, offset: Int, in place: SQLText?
    ) throws(StorageError) -> [QueryHit] {
        var text = "SELECT e.id, e.thread, \(received) FROM " + source + " WHERE " + condition
        if let place { text = text + " AND " + place }
        if query.collapseThreads { text = text + " AND " + (try isFirstOfThread()) }
        if let side { text = text + " AND " + self.condition(side) }
        var isReversed = false
        if case .before = side { isReversed = true }
        let direction = isAscending != isReversed ? "ASC" : "DESC"
        // The planner takes words for independent, and would walk through all dates for two that never meet.
        let key = isLedByWords ? "(\(received) + 0)" : received
        text = text + " ORDER BY \(key) \(direction), e.id \(isReversed ? "DESC" : "ASC")"
        text = text + SQLText(" LIMIT ? OFFSET ?", [.integer(limit), .integer(max(0, offset))])
        return try connection.rows(text) { row in
            QueryHit(
                accountID: accountID, emailID: row.id(0), threadID: row.id(1), keys: [.number(row.real(2))])
        }
    }

    func place(of email: Id<Email>) throws(StorageError) -> QueryPlace? {
        var text =
            "SELECT \(received) FROM " + source + " WHERE " + condition
            + SQLText(" AND e.id = ?", [.id(email)])
        if query.collapseThreads { text = text + " AND " + (try isFirstOfThread()) }
        return try connection.rows(text) {
            QueryPlace(received: $0.real(0), emailID: email, accountID: accountID)
        }.first
    }

    func count(_ side: QuerySide?) throws(StorageError) -> Int {
        let what = query.collapseThreads && side == nil ? "count(DISTINCT e.thread)" : "count(*)"
        var text = "SELECT \(what) FROM " + source + " WHERE " + condition
        if let side {
            if query.collapseThreads { text = text + " AND " + (try isFirstOfThread()) }
            text = text + " AND " + self.condition(side)
        }
        return try connection.rows(text) { $0.int(0) }.first ?? 0
    }

    /// Ids are compared first, then accounts: in both directions the smaller is first.
    private func condition(_ side: QuerySide) -> SQLText {
        let (place, isBefore) =
            switch side {
            case .before(let place): (place, true)
            case .fromOn(let place): (place, false)
            }
        let past = isAscending != isBefore ? ">" : "<"
        // An email with the anchor's id in an account that sorts after the anchor's follows it.
        let ids =
            isBefore
            ? (accountID < place.accountID ? "<=" : "<") : (accountID < place.accountID ? ">" : ">=")
        return SQLText(
            "\(received) \(past)= ? AND (\(received) \(past) ? OR e.id \(ids) ?)",
            [.real(place.received), .real(place.received), .id(place.emailID)])
    }

    /// No other result of the thread comes earlier in the order.
    private func isFirstOfThread() throws(StorageError) -> SQLText {
        let earlier = isAscending ? "<" : ">"
        let compiler = self.compiler("o")
        let text = SQLText(
            """
            NOT EXISTS (SELECT 1 FROM email o WHERE o.account = e.account AND o.thread = e.thread
            AND o.received \(earlier)= e.received AND (o.received \(earlier) e.received OR o.id < e.id)
            """)
        guard let filter = query.filter else { return text + ")" }
        return text + " AND " + (try compiler.condition(filter)) + ")"
    }
}

// MARK: In any order

extension QueryPlan {
    func each(limit: Int, _ body: (QueryHit) -> Bool) throws(StorageError) {
        guard QueryOrder.isBestFirst(query) else {
            let order = QueryOrder(query, .amongAll, compiler("e"))
            for hit in try hits(order, from: source, condition, limit: limit) where !body(hit) { return }
            return
        }
        let newest =
            "(SELECT e.* FROM " + source + " WHERE " + condition
            + SQLText(" ORDER BY (\(received) + 0) DESC, e.id LIMIT ?) e", [.integer(QueryOrder.mostRanked)])
        let ranked = try hits(
            QueryOrder(query, .own, compiler("e")), from: newest, .all, limit: QueryOrder.mostRanked)
        for hit in ranked where !body(hit) { return }
        guard ranked.count == QueryOrder.mostRanked, limit > ranked.count else { return }
        let others = condition + SQLText(" AND NOT e.id = ANY (?)", [.ids(ranked.map(\.emailID))])
        let order = QueryOrder(query, .none, compiler("e"))
        for hit in try hits(order, from: source, others, limit: limit - ranked.count) where !body(hit) {
            return
        }
    }

    private func hits(
        _ order: QueryOrder, from source: SQLText, _ condition: SQLText, limit: Int
    ) throws(StorageError) -> [QueryHit] {
        var text = order.relevance + "SELECT e.id, e.thread"
        for column in order.columns { text = text + ", " + column.key }
        text = text + " FROM " + source + order.join + " WHERE " + condition + " ORDER BY "
        for (index, column) in order.columns.enumerated() {
            text = text + "\(index + 3) \(column.isAscending ? "ASC" : "DESC"), "
        }
        text = text + SQLText("e.id LIMIT ?", [.integer(limit)])
        return try connection.rows(text) { row in
            QueryHit(
                accountID: accountID, emailID: row.id(0), threadID: row.id(1),
                keys: order.columns.enumerated().map { index, column in
                    column.isText ? .text(row.text(index + 2)) : .number(row.real(index + 2))
                })
        }
    }

    /// - Parameter email: the name that the table of emails has in the statement.
    private func compiler(_ email: String) -> FilterCompiler {
        FilterCompiler(connection: connection, account: account, mailboxes: mailboxes, email: email)
    }
}
