import MailKernelAPI

/// The newest emails with words that very many have: the list by date is gone along until enough of them were
/// met. To look up the date of each one takes longer, and reads most of the table.
struct FrequentWords {
    /// From so many matches on, a list is rarely gone along for long.
    static let many = 10_000
    private static let longestWindow = 1_000

    let source = SQLText("email e INDEXED BY email_newest")
    let condition: SQLText

    /// Nil if the words are not that frequent, or more is asked than words.
    init?(_ plan: QueryPlan, limit: Int, offset: Int) throws(StorageError) {
        guard let words = plan.onlyWords, !plan.query.collapseThreads, limit <= Self.longestWindow,
            offset <= Self.longestWindow
        else { return nil }
        let table = SearchIndex(account: plan.account).table
        let found = "(SELECT rowid FROM \(table) WHERE " + words
        let some = "SELECT count(*) FROM " + found + SQLText(" LIMIT ?)", [.integer(plan.manyMatches)])
        let count = try plan.database.first(some.sql, some.values) { $0.int(0) } ?? 0
        guard count >= plan.manyMatches else { return nil }
        condition = SQLText("e.account = ? AND e.row IN ", [.integer(plan.account)]) + found + ")"
    }
}
