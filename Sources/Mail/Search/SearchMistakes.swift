/// Finds words that were probably meant as operators.
enum SearchMistakes {
    /// What precedes a colon in ordinary text.
    private static let ordinary: Set<String> = [
        "re", "fw", "fwd", "aw", "wg", "sv", "vs", "rv", "tr", "http", "https", "mailto", "ftp", "file",
        "tel",
        "note", "ps", "cid", "urn", "git", "ssh",
    ]

    /// A sentence about `form:ana` or `foo:bar`; nil for other words.
    static func sentence(about word: String) -> String? {
        guard let colon = word.firstIndex(of: ":") else { return nil }
        let name = word[..<colon].lowercased()
        let value = word[word.index(after: colon)...]
        guard name.count >= 2, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0 == "_") }), !value.isEmpty,
            !value.hasPrefix("/"), !value.hasPrefix(":"), !ordinary.contains(name)
        else { return nil }
        let start = "“\(name):” is not a search operator, so “\(word)” is searched as words."
        guard let likely = SearchName.allCases.first(where: { isSimilar($0.rawValue, name) }) else {
            return start
        }
        return start + " Did you mean “\(likely.rawValue):”?"
    }

    /// Whether one typing error lies between them: a letter more, less or other, or two exchanged.
    private static func isSimilar(_ one: String, _ other: String) -> Bool {
        let (one, other) = (Array(one), Array(other))
        guard abs(one.count - other.count) <= 1, one.count > 2 else { return false }
        let same = zip(one, other).prefix { $0 == $1 }.count
        let (left, right) = (one[same...], other[same...])
        if left.count == right.count {
            let isExchange = left.count > 1 && left.prefix(2).elementsEqual(right.prefix(2).reversed())
            return left.dropFirst().elementsEqual(right.dropFirst())
                || isExchange && left.dropFirst(2).elementsEqual(right.dropFirst(2))
        }
        return left.count > right.count
            ? left.dropFirst().elementsEqual(right) : left.elementsEqual(right.dropFirst())
    }
}
