import StoreRules

/// The words of an email by field: the store's full-text index.
struct RecordWords: Sendable {
    /// The words of one field: in their order, for phrases, and sorted, to find one quickly.
    private struct Words: Sendable {
        let inOrder: [String]
        private let sorted: [String]

        init(_ list: String) {
            inOrder = list.split(separator: " ").map(String.init)
            sorted = Set(inOrder).sorted()
        }

        func contain(_ term: SearchTerms.Term) -> Bool {
            guard let first = term.words.first else { return true }
            let isPrefix = term.lastIsPrefix && term.words.count == 1
            guard let found = firstWord(notBefore: first) else { return false }
            guard isPrefix ? found.hasPrefix(first) : found == first else { return false }
            return term.words.count == 1 || term.occurrence(in: inOrder) != nil
        }

        private func firstWord(notBefore word: String) -> String? {
            var low = 0
            var high = sorted.count
            while low < high {
                let middle = (low + high) / 2
                if sorted[middle] < word { low = middle + 1 } else { high = middle }
            }
            return low < sorted.count ? sorted[low] : nil
        }
    }

    private let fields: [SearchableText.Field: Words]
    /// What an index of these words would take, about.
    let bytes: Int

    init(_ text: SearchableText) {
        fields = Dictionary(
            uniqueKeysWithValues: zip(SearchableText.Field.allCases, text.fields.map(Words.init)))
        bytes = fields.values.reduce(text.bytes) { $0 + 8 * $1.inOrder.count }
    }

    func contain(_ term: SearchTerms.Term, in among: [SearchableText.Field]) -> Bool {
        among.contains { fields[$0]?.contain(term) ?? false }
    }

    func words(of field: SearchableText.Field) -> [String] {
        fields[field]?.inOrder ?? []
    }
}
