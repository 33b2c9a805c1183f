import FoundationEssentials
import MailKernelAPI
import StoreRules

/// A query over one account, said in SQL: where the emails come from, which are meant, in what order.
struct QueryPlan: AccountQuery {
    let database: Database
    let accountID: Id<Account>
    let account: Int64
    let query: EmailQuery
    private let source: SQLText
    private let condition: SQLText
    private let received: String
    /// The one text that is looked for, if the index of words leads.
    private let leadingText: String?
    /// The mailbox that is asked for as a whole: what it holds is counted already.
    private let wholeMailbox: Int64?
    /// What the index of words is asked, where nothing else is; see `FrequentWords`.
    let onlyWords: SQLText?
    let manyMatches: Int

    init(
        _ query: EmailQuery, _ account: AccountReference, _ database: Database,
        manyMatches: Int = FrequentWords.many
    ) throws(StorageError) {
        self.database = database
        self.manyMatches = manyMatches
        self.query = query
        accountID = account.id
        self.account = account.row
        let compiler = FilterCompiler(database: database, account: account.row, email: "e")
        var conditions = query.filter.map(Self.conjunction) ?? []
        let driver = try Self.driver(of: &conditions, compiler)
        source = driver.source
        received = driver.received
        leadingText = driver.text
        wholeMailbox = conditions.isEmpty ? driver.mailbox : nil
        onlyWords = driver.text != nil && conditions.isEmpty ? driver.condition : nil
        let rest = try conditions.each { filter throws(StorageError) in try compiler.condition(filter) }
        condition = SQLText.joined([driver.condition] + rest, by: "AND", ifEmpty: .all)
    }

    private struct Driver {
        var source: SQLText
        var condition: SQLText
        var received = "e.received"
        var text: String?
        var mailbox: Int64?
    }

    /// The conditions that all have to hold.
    private static func conjunction(_ filter: EmailFilter) -> [EmailFilter] {
        if case .and(let filters) = filter { filters.flatMap(conjunction) } else { [filter] }
    }

    /// What the emails are looked for with: the index of words, the list of a mailbox, or the list
    /// of the account. The condition that it answers is taken out.
    private static func driver(
        of conditions: inout [EmailFilter], _ compiler: FilterCompiler
    ) throws(StorageError) -> Driver {
        if let driver = wordDriver(of: &conditions, compiler) { return driver }
        for (index, filter) in conditions.enumerated() {
            guard let mailbox = try compiler.onlyMailbox(of: filter) else { continue }
            conditions.remove(at: index)
            return Driver(
                source: SQLText("email_mailbox m CROSS JOIN email e ON e.row = m.email"),
                condition: SQLText("m.mailbox = ?", [.integer(mailbox)]), received: "m.received",
                mailbox: mailbox)
        }
        return Driver(
            source: SQLText("email e"), condition: SQLText("e.account = ?", [.integer(compiler.account)]))
    }

    private static func wordDriver(
        of conditions: inout [EmailFilter], _ compiler: FilterCompiler
    ) -> Driver? {
        for (index, filter) in conditions.enumerated() {
            if case .or(let filters) = filter, let match = MatchExpression.either(filters) {
                // To, Cc or Bcc: one question for the index.
                conditions.remove(at: index)
                return wordDriver(match, filters.first?.searchedText?.text, compiler)
            }
            guard let (text, fields) = filter.searchedText else { continue }
            let search = SearchTerms(text)
            let terms = search.distinctTerms
            guard !terms.isEmpty, terms.count <= MatchExpression.maximumTerms else { continue }
            // Signs are not in the index: they are still to be looked for.
            if search.signs.isEmpty { conditions.remove(at: index) }
            return wordDriver(MatchExpression.all(terms[...], in: fields), text, compiler)
        }
        return nil
    }

    private static func wordDriver(_ match: String, _ text: String?, _ compiler: FilterCompiler) -> Driver {
        let table = SearchIndex(account: compiler.account).table
        return Driver(
            source: SQLText("\(table) CROSS JOIN email e ON e.row = \(table).rowid"),
            condition: SQLText("\(table) MATCH ?", [.text(match)]), text: text)
    }
}

// MARK: Statements

extension QueryPlan {
    var isLedByWords: Bool { leadingText != nil }

    private var isAscending: Bool { query.sort.first?.isAscending ?? false }

    /// Emails in the order of their date, from a place on or before it, nearest to it first.
    func byDate(_ side: QuerySide?, limit: Int, offset: Int) throws(StorageError) -> [QueryHit] {
        let frequent = try FrequentWords(self, limit: limit, offset: offset)
        let (source, condition) = (frequent?.source ?? source, frequent?.condition ?? condition)
        var found =
            "SELECT e.id AS id, e.thread AS thread, \(received) AS received FROM " + source + " WHERE "
            + condition
        if query.collapseThreads { found = found + " AND " + (try isFirstOfThread()) }
        if let side { found = found + " AND " + self.condition(side) }
        var isReversed = false
        if case .before = side { isReversed = true }
        let direction = isAscending != isReversed ? "ASC" : "DESC"
        let ids = isReversed ? "DESC" : "ASC"
        found = found + " ORDER BY \(received) \(direction), e.id \(ids)"
        found = found + SQLText(" LIMIT ? OFFSET ?", [.integer(limit), .integer(offset)])
        // Words lead to thousands of emails; only those that are shown are asked for their thread.
        let statement =
            "SELECT f.id, t.id, f.received FROM (" + found
            + ") f CROSS JOIN thread t ON t.row = f.thread ORDER BY f.received \(direction), f.id \(ids)"
        return try database.rows(statement.sql, statement.values) { row in
            QueryHit(
                accountID: accountID, emailID: row.id(0), threadID: row.id(1), keys: [.number(row.double(2))])
        }
    }

    /// Where an email stands, if it is among the results.
    func place(of email: Id<Email>) throws(StorageError) -> QueryPlace? {
        // By its id, and not by going through the list that the results come from.
        var statement = SQLText(
            "SELECT e.received FROM email e WHERE e.account = ? AND e.id = ?",
            [.integer(account), .id(email)])
        if let filter = query.filter {
            let compiler = FilterCompiler(database: database, account: account, email: "e")
            statement = statement + " AND " + (try compiler.condition(filter))
        }
        if query.collapseThreads { statement = statement + " AND " + (try isFirstOfThread()) }
        let received = try database.first(statement.sql, statement.values) { $0.double(0) }
        return received.map { QueryPlace(received: $0, emailID: email, accountID: accountID) }
    }

    /// How many results there are, or how many before a place.
    func count(_ side: QuerySide?) throws(StorageError) -> Int {
        if side == nil, let wholeMailbox {
            let counted = query.collapseThreads ? "total_threads" : "total_emails"
            return try database.first(
                "SELECT \(counted) FROM mailbox WHERE row = ?", [.integer(wholeMailbox)]
            ) { $0.int(0) } ?? 0
        }
        let what = query.collapseThreads && side == nil ? "count(DISTINCT e.thread)" : "count(*)"
        var statement = "SELECT \(what) FROM " + source + " WHERE " + condition
        if let side {
            if query.collapseThreads { statement = statement + " AND " + (try isFirstOfThread()) }
            statement = statement + " AND " + self.condition(side)
        }
        return try database.first(statement.sql, statement.values) { $0.int(0) } ?? 0
    }

    /// Ids are compared first, then accounts: in both directions the smaller is first.
    private func condition(_ side: QuerySide) -> SQLText {
        let (place, isBefore) =
            switch side {
            case .before(let place): (place, true)
            case .fromOn(let place): (place, false)
            }
        let past = isAscending != isBefore ? ">" : "<"
        let ids: String
        switch (isBefore, accountID < place.accountID, accountID == place.accountID) {
        case (true, true, _): ids = "<="
        case (true, false, _): ids = "<"
        case (false, _, true), (false, false, _): ids = ">="
        default: ids = ">"
        }
        return SQLText(
            "\(received) \(past)= ? AND (\(received) \(past) ? OR e.id \(ids) ?)",
            [.real(place.received), .real(place.received), .id(place.emailID)])
    }

    /// No other result of the thread comes earlier in the order.
    private func isFirstOfThread() throws(StorageError) -> SQLText {
        let earlier = isAscending ? "<" : ">"
        let compiler = FilterCompiler(database: database, account: account, email: "o")
        var statement = SQLText(
            """
            NOT EXISTS (SELECT 1 FROM email o WHERE o.thread = e.thread AND o.received \(earlier)= e.received
            AND (o.received \(earlier) e.received OR o.id < e.id)
            """)
        if let filter = query.filter { statement = statement + " AND " + (try compiler.condition(filter)) }
        return statement + ")"
    }

    /// All results in any order, passed to `body` until it returns false.
    ///
    /// - Parameter limit: the maximum number of results.
    func each(limit: Int, _ body: (QueryHit) -> Bool) throws(StorageError) {
        let order = QueryOrder(
            query, compiler: FilterCompiler(database: database, account: account, email: "e"),
            leadingText: leadingText)
        let columns = order.columns
        var found = order.relevance + "SELECT e.id AS id, e.thread AS thread"
        for (number, column) in columns.enumerated() {
            found = found + ", " + column.key + " AS key\(number)"
        }
        let directions = columns.enumerated().map { "key\($0) \($1.isAscending ? "ASC" : "DESC")" }
        let keys = directions.map { $0 + ", " }.joined()
        found = found + " FROM " + source + order.join + " WHERE " + condition + " ORDER BY " + keys + "id"
        found = found + SQLText(" LIMIT ?", [.integer(limit)])
        // Of thousands of emails only those that are shown are asked for their thread, and come in the order
        // that they were found in.
        let shown = columns.indices.map { ", f.key\($0)" }.joined()
        let statement =
            "SELECT f.id, t.id\(shown) FROM (" + found + ") f CROSS JOIN thread t ON t.row = f.thread"
            + (limit < .max ? " ORDER BY " + keys + "f.id" : "")
        try database.each(statement.sql, statement.values) { row in
            body(
                QueryHit(
                    accountID: accountID, emailID: row.id(0), threadID: row.id(1),
                    keys: columns.indices.map {
                        columns[$0].isText ? .text(row.text($0 + 2)) : .number(row.double($0 + 2))
                    }))
        }
    }
}

extension FilterCompiler {
    /// The mailbox of a filter that only selects a mailbox.
    fileprivate func onlyMailbox(of filter: EmailFilter) throws(StorageError) -> Int64? {
        switch filter {
        case .inMailbox(let id): return try database.mailboxRow(id, account: account)
        case .inRole(let role):
            let rows = try database.mailboxRows(withRoleIn: [role], account: account)
            return rows.count == 1 ? rows[0] : nil
        case .and, .or, .not, .inMailboxOtherThan, .before, .after, .minSize, .maxSize, .hasKeyword,
            .notKeyword, .allInThreadHaveKeyword, .someInThreadHaveKeyword, .noneInThreadHaveKeyword,
            .hasAttachment, .text, .from, .to, .cc, .bcc, .subject, .body, .header, .category:
            return nil
        }
    }
}
