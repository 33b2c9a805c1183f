import FoundationEssentials
import MailKernelAPI
import StoreRules

/// A typed search, understood: its meaning, what a page shows of it, and what was not understood.
///
/// The words of a text must all occur. `OR` binds closer than a space, as in Gmail: `a b OR c` finds a with b or c.
/// A written `AND` binds closer than `OR`. What is not understood is searched as words, and said in `remarks`.
package struct SearchText: Sendable {
    /// A part that was understood as more than words.
    package struct Chip: Sendable, Hashable {
        package var label: String
        /// Its place in the text, in UTF-16 code units.
        package var range: Range<Int>
        /// The text without it.
        package var without: String
        /// Whether it is only words in quotation marks.
        package var isPhrase: Bool
    }

    /// A sentence about a part that was not understood as it may have been meant.
    package struct Remark: Sendable, Hashable {
        package var sentence: String
        package var range: Range<Int>
    }

    package internal(set) var condition = SearchCondition.all([])
    package internal(set) var chips: [Chip] = []
    package internal(set) var remarks: [Remark] = []
    /// Why the text cannot be searched at all: a sentence.
    package internal(set) var problem: String?

    /// Longer texts are refused.
    static let mostBytes = 4_000
    static let mostTokens = 500
    static let deepest = 10

    package init(_ text: String, at now: Date) {
        self.init(text, SearchCalendar(now: now))
    }

    init(_ text: String, _ calendar: SearchCalendar) {
        guard text.utf8.count <= Self.mostBytes else {
            problem = "The search is longer than \(Self.mostBytes) bytes."
            return
        }
        let lexer = SearchLexer(text)
        guard lexer.tokens.count <= Self.mostTokens else {
            problem = "The search has more than \(Self.mostTokens) words."
            return
        }
        var parser = SearchParser(text, lexer.tokens, calendar)
        let nodes = parser.parse()
        guard !parser.isTooDeep else {
            problem = "The search has brackets more than \(Self.deepest) levels deep."
            return
        }
        condition = SearchNode.condition(ofAll: nodes)
        chips = nodes.filter { $0.kind != .words }.map { $0.chip(in: text) }
        remarks = parser.remarks
        if let quote = lexer.openQuote {
            remarks.append(
                Remark(
                    sentence: "The quotation mark is not closed, so its words are searched one by one.",
                    range: quote))
        }
        remarks.sort { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// All remarks, also those about folders that none of these accounts has.
    package func remarks(in places: [SearchPlaces]) -> [Remark] {
        let unknown = condition.folderNames.filter { name in
            places.allSatisfy { $0.folders.ids(named: name).isEmpty }
        }
        return remarks
            + unknown.sorted().map {
                Remark(sentence: "There is no folder or label named “\($0)”.", range: 0..<0)
            }
    }

    /// What to mark in the text of a message that was found, each once.
    package var marks: [Mark] {
        let texts = condition.wantedFilters.flatMap(\.wantedTexts).filter { $0.fields.contains(.body) }
        return SearchTerms.distinct(texts.flatMap { SearchTerms($0.text).terms }).map {
            Mark(words: $0.words, isPrefix: $0.lastIsPrefix)
        }
    }

    /// Words that follow one another, folded.
    package struct Mark: Sendable, Hashable {
        package var words: [String]
        /// Whether the last one may be the beginning of a word.
        package var isPrefix: Bool
    }
}

extension SearchCondition {
    /// The store's filters that a result may pass, without those that it must not pass.
    fileprivate var wantedFilters: [EmailFilter] {
        switch self {
        case .all(let conditions), .any(let conditions): conditions.flatMap(\.wantedFilters)
        case .plain(let filter): [filter]
        case .not, .folder, .me, .attachment: []
        }
    }
}
