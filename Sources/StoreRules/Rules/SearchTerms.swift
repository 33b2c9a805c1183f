public import MailKernelAPI

/// A typed search: terms that must all match.
///
/// There are no syntax errors: symbols next to words separate them, stand-alone symbols are matched
/// literally, and an unmatched quotation mark is an ordinary symbol.
public struct SearchTerms: Sendable {
    /// Adjacent words.
    public struct Term: Hashable, Sendable {
        /// The words, folded, in order. There is at least one.
        public var words: [String]
        /// Whether the last one may be the beginning of a word, as it is without quotes.
        public var lastIsPrefix: Bool
    }

    /// The words to find, in the order of the text.
    public private(set) var terms: [Term] = []
    /// Symbols without a letter or digit next to them: an emoji, `€`, `--`. See `SignText`.
    public private(set) var signs: [String] = []

    /// Parses the text of a filter.
    public init(_ text: String) {
        var plain = ""
        var rest = Substring(text)
        while let quote = rest.firstIndex(of: "\"") {
            plain += rest[..<quote]
            let inside = rest[rest.index(after: quote)...]
            guard let end = Self.endOfPhrase(inside) else { break }
            addPlain(plain)
            plain = ""
            add(inside[..<end], lastIsPrefix: false)
            rest = inside[inside.index(after: end)...]
        }
        addPlain(plain + rest)
    }

    private static func endOfPhrase(_ text: Substring) -> Substring.Index? {
        var isEscaped = false
        return text.indices.first { index in
            if isEscaped {
                isEscaped = false
                return false
            }
            isEscaped = text[index] == "\\"
            return text[index] == "\""
        }
    }

    private mutating func addPlain(_ text: String) {
        for word in text.split(whereSeparator: \.isWhitespace) { add(word, lastIsPrefix: true) }
    }

    private mutating func add(_ text: Substring, lastIsPrefix: Bool) {
        let words = TextFolding.words(of: String(text)).map(\.folded).filter { !$0.isEmpty }
        guard words.isEmpty else { return terms.append(Term(words: words, lastIsPrefix: lastIsPrefix)) }
        for piece in text.split(whereSeparator: \.isWhitespace) {
            let sign = SignText.plain(String(piece))
            if !sign.isEmpty, !signs.contains(sign), signs.count < SignText.most { signs.append(sign) }
        }
    }
}

extension SearchTerms {
    /// The terms, each once, in the order of the text.
    public var distinctTerms: [Term] { Self.distinct(terms) }

    /// Each of these terms once, in their order.
    public static func distinct(_ terms: [Term]) -> [Term] {
        var seen: Set<Term> = []
        return terms.filter { seen.insert($0).inserted }
    }
}

extension SearchTerms.Term {
    /// The index in `words`, which are folded, of the term's first occurrence from `start` on.
    public func occurrence(in words: [String], from start: Int = 0) -> Int? {
        let last = words.count - self.words.count
        guard start <= last else { return nil }
        return (start...last).first { matches(words, at: $0) }
    }

    private func matches(_ text: [String], at start: Int) -> Bool {
        for (offset, word) in words.enumerated() {
            let found = text[start + offset]
            let isPrefix = lastIsPrefix && offset == words.count - 1
            guard isPrefix ? found.hasPrefix(word) : found == word else { return false }
        }
        return true
    }
}

extension EmailFilter {
    /// The texts that a result may contain, each with its fields. Texts that must be absent are left out.
    public var wantedTexts: [(text: String, fields: [SearchableText.Field])] {
        switch self {
        case .and(let filters), .or(let filters): filters.flatMap(\.wantedTexts)
        default: searchedText.map { [$0] } ?? []
        }
    }

    /// The text that this filter by itself looks for; nil if it looks for none.
    public var searchedText: (text: String, fields: [SearchableText.Field])? {
        switch self {
        case .text(let text): (text, SearchableText.Field.allCases)
        case .from(let text): (text, [.from])
        case .to(let text): (text, [.to])
        case .cc(let text): (text, [.cc])
        case .bcc(let text): (text, [.bcc])
        case .subject(let text): (text, [.subject])
        case .body(let text): (text, [.body])
        case .and, .or, .not, .inMailbox, .inMailboxOtherThan, .before, .after, .minSize, .maxSize,
            .hasKeyword, .notKeyword, .allInThreadHaveKeyword, .someInThreadHaveKeyword,
            .noneInThreadHaveKeyword, .hasAttachment, .header, .category, .inRole:
            nil
        }
    }
}
