import MailKernelAPI
import StoreRules

/// The columns that a query's results are ordered by.
struct QueryOrder {
    struct Column {
        var key: SQLText
        var isAscending: Bool
        var isText = false
    }

    let columns: [Column]
    /// The relevance of each email, and its join; empty if not requested.
    let relevance: SQLText
    let join: String

    init(_ query: EmailQuery, compiler: FilterCompiler, leadingText: String?) {
        let texts = query.filter?.wantedTexts.map(\.text) ?? []
        let terms = SearchTerms.distinct(texts.flatMap { SearchTerms($0).terms })
        let index = SearchIndex(account: compiler.account)
        let sort = query.sort.isEmpty ? [EmailSort(.receivedAt, isAscending: false)] : query.sort
        let isAsked = !terms.isEmpty && sort.contains { $0.property == .relevance }
        // Where the index leads with all that is looked for, it ranks as it goes.
        let isLeading = leadingText.map { texts == [$0] } ?? false
        let isRanked = isAsked && !isLeading
        let score = !isAsked ? "0" : isLeading ? Self.score(index) : "coalesce(r.score, 0)"
        columns = sort.map { sort in
            Column(
                key: Self.key(sort.property, compiler, score: score), isAscending: sort.isAscending,
                isText: Self.isText(sort.property))
        }
        relevance = isRanked ? Self.relevance(of: terms, index) : SQLText("")
        join = isRanked ? " LEFT JOIN ranked r ON r.email = e.row" : ""
    }

    private static func isText(_ property: EmailSort.Property) -> Bool {
        switch property {
        case .from, .to, .subject: true
        default: false
        }
    }

    private static func key(
        _ property: EmailSort.Property, _ compiler: FilterCompiler, score: String
    ) -> SQLText {
        switch property {
        case .receivedAt: SQLText("e.received")
        case .sentAt: SQLText("e.sent")
        case .size: SQLText("e.size")
        case .from: SQLText("e.from_key")
        case .to: SQLText("e.to_key")
        case .subject: SQLText("e.subject_key")
        case .hasKeyword(let keyword): compiler.has(keyword)
        case .allInThreadHaveKeyword(let keyword): compiler.allInThread(have: keyword)
        case .someInThreadHaveKeyword(let keyword): compiler.someInThread(have: keyword)
        case .relevance: SQLText(score)
        }
    }

    private static func score(_ index: SearchIndex) -> String {
        let weights = SearchableText.Field.allCases.map { field in
            switch field {
            case .subject: "4.0"
            case .body: "1.0"
            default: "2.0"
            }
        }
        return "bm25(\(index.table), \(weights.joined(separator: ", ")))"
    }

    /// Ranked apart: the function that ranks can only be called where the index is searched.
    private static func relevance(of terms: [SearchTerms.Term], _ index: SearchIndex) -> SQLText {
        SQLText(
            """
            WITH ranked (email, score) AS MATERIALIZED (
            SELECT rowid, \(score(index)) FROM \(index.table)
            WHERE \(index.table) MATCH ?)\u{20}
            """, [.text(MatchExpression.any(terms))])
    }
}
