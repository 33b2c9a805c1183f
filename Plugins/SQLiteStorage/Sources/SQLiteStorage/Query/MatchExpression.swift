import MailKernelAPI
import StoreRules

/// Builds queries for the full-text index from the words of a text: no typed character is interpreted as an
/// operator.
enum MatchExpression {
    /// Longer questions are asked in several parts.
    static let maximumTerms = 64

    /// All terms have to occur in these fields.
    static func all(_ terms: ArraySlice<SearchTerms.Term>, in fields: [SearchableText.Field]) -> String {
        let phrases = terms.map(phrase).joined(separator: " AND ")
        guard fields.count < SearchableText.Field.allCases.count else { return phrases }
        return "{\(fields.map(\.column).joined(separator: " "))} : (\(phrases))"
    }

    /// Any of these texts has to occur in its fields; nil if the index alone does not tell.
    static func either(_ filters: [EmailFilter]) -> String? {
        var count = 0
        var parts: [String] = []
        for filter in filters {
            guard let (text, fields) = filter.searchedText else { return nil }
            let search = SearchTerms(text)
            let terms = search.distinctTerms
            count += terms.count
            guard !terms.isEmpty, search.signs.isEmpty, count <= maximumTerms else { return nil }
            parts.append("(\(all(terms[...], in: fields)))")
        }
        return parts.isEmpty ? nil : parts.joined(separator: " OR ")
    }

    /// Any of the terms in any field, to tell how well an email matches.
    static func any(_ terms: [SearchTerms.Term]) -> String {
        terms.prefix(maximumTerms).map(phrase).joined(separator: " OR ")
    }

    /// Words hold letters and digits only, so there is no quotation mark in them.
    private static func phrase(_ term: SearchTerms.Term) -> String {
        "\"\(term.words.joined(separator: " "))\"" + (term.lastIsPrefix ? " *" : "")
    }
}
