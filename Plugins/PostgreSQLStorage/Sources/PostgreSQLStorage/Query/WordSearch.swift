import MailKernelAPI
import StoreRules

/// Builds queries for the full-text index from the terms of a text. No typed character is an operator.
enum WordSearch {
    /// Longer texts are several conditions.
    static let mostTerms = 64
    /// All terms have to occur, each in one of these fields.
    static func all(_ terms: some Sequence<SearchTerms.Term>, in fields: [SearchableText.Field]) -> String {
        terms.map { term($0, in: fields) }.joined(separator: " & ")
    }

    /// Any of the terms in any field, to tell how well an email matches.
    static func any(_ terms: [SearchTerms.Term]) -> String {
        terms.prefix(mostTerms).map { term($0, in: SearchableText.Field.allCases) }.joined(separator: " | ")
    }

    private static func term(_ term: SearchTerms.Term, in fields: [SearchableText.Field]) -> String {
        guard fields.count < SearchableText.Field.allCases.count else {
            return phrase(term, mark: "", weight: "")
        }
        return "("
            + fields.map { field in
                guard let mark = WordVector.mark(of: field) else {
                    return phrase(term, mark: "", weight: WordVector.weight(of: field))
                }
                return phrase(term, mark: mark, weight: "")
            }.joined(separator: " | ") + ")"
    }

    private static func phrase(_ term: SearchTerms.Term, mark: String, weight: String) -> String {
        let last = term.words.count - 1
        let words = term.words.enumerated().map { index, word in
            let prefix = index == last && term.lastIsPrefix ? "*" : ""
            let suffix = prefix + weight
            return WordVector.quoted(mark + WordVector.cut(word)) + (suffix.isEmpty ? "" : ":" + suffix)
        }
        return "(" + words.joined(separator: " <-> ") + ")"
    }
}
