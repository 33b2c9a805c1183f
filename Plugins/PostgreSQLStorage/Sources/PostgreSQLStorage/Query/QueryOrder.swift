import MailKernelAPI
import StoreRules

/// The columns that a query's results are ordered by.
struct QueryOrder {
    struct Column {
        var key: SQLText
        var isAscending: Bool
        var isText = false
    }

    /// Which emails have a relevance.
    enum Ranking {
        /// The newest of all emails with any of the words, joined to the results.
        case amongAll
        /// All results, which are few.
        case own
        case none
    }

    /// Only so many of the newest matches are ranked: to rank means to read their words.
    static let mostRanked = 200

    let columns: [Column]
    /// The relevance of each email, and its join; empty if not requested.
    let relevance: SQLText
    let join: String

    init(_ query: EmailQuery, _ ranking: Ranking, _ compiler: FilterCompiler) {
        let terms = Self.terms(of: query)
        let sort = query.sort.isEmpty ? [EmailSort(.receivedAt, isAscending: false)] : query.sort
        let isRanked = !terms.isEmpty && sort.contains { $0.property == .relevance }
        var (score, relevance, join) = (SQLText("0::double precision"), SQLText(""), "")
        switch ranking {
        case .amongAll where isRanked:
            score = SQLText("coalesce(r.score, 0::double precision)")
            relevance = Self.relevance(of: terms, compiler.account)
            join = " LEFT JOIN ranked r ON r.id = e.id"
        case .own where isRanked:
            score = SQLText("\(Self.rank("e.terms"))", [.text(WordSearch.any(terms))])
        case .amongAll, .own, .none: break
        }
        columns = sort.map { [score] sort in
            let (key, isText) = Self.key(sort.property, compiler, score: score)
            return Column(key: key, isAscending: sort.isAscending, isText: isText)
        }
        (self.relevance, self.join) = (relevance, join)
    }

    /// Whether the best matches are asked for. They are looked for among the newest ones, and the others follow.
    static func isBestFirst(_ query: EmailQuery) -> Bool {
        query.sort.first?.property == .relevance && query.sort.first?.isAscending == true
            && !terms(of: query).isEmpty
    }

    private static func terms(of query: EmailQuery) -> [SearchTerms.Term] {
        let texts = query.filter?.wantedTexts.map(\.text) ?? []
        return SearchTerms.distinct(texts.flatMap { SearchTerms($0).terms })
    }

    /// The best match has the smallest score. The weights are those of the body, the recipients, the senders and the
    /// subject.
    private static func rank(_ terms: String) -> String {
        "-ts_rank('{0.25, 0.5, 0.5, 1.0}', \(terms), ?::tsquery)::double precision"
    }

    /// Numbers are all of one type, which is how they are read.
    private static func key(
        _ property: EmailSort.Property, _ compiler: FilterCompiler, score: SQLText
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
        case .relevance: (score, false)
        }
    }

    private static func number(_ condition: SQLText) -> SQLText {
        "(CASE WHEN " + condition + " THEN 1 ELSE 0 END)::double precision"
    }

    private static func relevance(of terms: [SearchTerms.Term], _ account: Int) -> SQLText {
        let words = WordSearch.any(terms)
        return SQLText(
            """
            WITH ranked AS MATERIALIZED (
            SELECT id, \(rank("terms")) AS score FROM (
            SELECT id, terms FROM email e WHERE account = ? AND\u{20}
            """, [.text(words), .integer(account)])
            + SearchPlace.condition(account, of: "e")
            + SQLText(
                """
                 AND terms @@ ?::tsquery ORDER BY (received + 0) DESC LIMIT ?) newest)\u{20}
                """, [.text(words), .integer(mostRanked)])
    }
}
