import MailKernelAPI
import StoreRules

/// The columns that a query's results are ordered by.
struct QueryOrder {
    struct Column {
        var key: SQLText
        var isAscending: Bool
        var isText = false
    }

    /// Only so many of the newest matches are ranked: to rank means to read their words.
    private static let mostRanked = 500

    let columns: [Column]
    /// The relevance of each email, and its join; empty if not requested.
    let relevance: SQLText
    let join: String

    init(_ query: EmailQuery, compiler: FilterCompiler) {
        let texts = query.filter?.wantedTexts.map(\.text) ?? []
        let terms = SearchTerms.distinct(texts.flatMap { SearchTerms($0).terms })
        let sort = query.sort.isEmpty ? [EmailSort(.receivedAt, isAscending: false)] : query.sort
        let isRanked = !terms.isEmpty && sort.contains { $0.property == .relevance }
        let score = isRanked ? "coalesce(r.score, 0::double precision)" : "0::double precision"
        columns = sort.map { sort in
            let (key, isText) = Self.key(sort.property, compiler, score: score)
            return Column(key: key, isAscending: sort.isAscending, isText: isText)
        }
        relevance = isRanked ? Self.relevance(of: terms, compiler.account) : SQLText("")
        join = isRanked ? " LEFT JOIN ranked r ON r.id = e.id" : ""
    }

    /// Numbers are all of one type, which is how they are read.
    private static func key(
        _ property: EmailSort.Property, _ compiler: FilterCompiler, score: String
    ) -> (SQLText, isText: Bool) {
        switch property {
        case .receivedAt: (SQLText("e.received"), false)
        case .sentAt: (SQLText("e.sent"), false)
        case .size: (SQLText("e.size::double precision"), false)
        case .from: (SQLText("e.from_key"), true)
        case .to: (SQLText("e.to_key"), true)
        case .subject: (SQLText("e.subject_key"), true)
        case .hasKeyword(let keyword): (number(compiler.has(keyword)), false)
        case .allInThreadHaveKeyword(let keyword): (number(compiler.allInThread(have: keyword)), false)
        case .someInThreadHaveKeyword(let keyword): (number(compiler.someInThread(have: keyword)), false)
        case .relevance: (SQLText(score), false)
        }
    }

    private static func number(_ condition: SQLText) -> SQLText {
        "(CASE WHEN " + condition + " THEN 1 ELSE 0 END)::double precision"
    }

    /// The best match has the smallest score. The weights are those of the body, the recipients, the senders and the
    /// subject.
    private static func relevance(of terms: [SearchTerms.Term], _ account: Int) -> SQLText {
        let words = WordSearch.any(terms)
        return SQLText(
            """
            WITH ranked AS MATERIALIZED (
            SELECT id, -ts_rank('{0.25, 0.5, 0.5, 1.0}', terms, ?::tsquery)::double precision AS score FROM (
            SELECT id, terms FROM email e WHERE account = ? AND\u{20}
            """, [.text(words), .integer(account)])
            + SearchPlace.condition(account, of: "e")
            + SQLText(
                """
                 AND terms @@ ?::tsquery ORDER BY (received + 0) DESC LIMIT ?) newest)\u{20}
                """, [.text(words), .integer(mostRanked)])
    }
}
