import MailKernelAPI

/// A part of a search while it is being understood.
struct SearchNode {
    enum Kind: Equatable {
        /// Words as they were typed. They need no explanation.
        case words
        case phrase
        case filter
    }

    var condition: SearchCondition
    var label: String
    var range: Range<Int>
    /// The part of the text that goes when this is taken out.
    var removal: Range<Int>
    var kind: Kind
    /// The words, of plain ones.
    var words = ""

    init(_ meaning: SearchMeaning, _ range: Range<Int>, kind: Kind = .filter) {
        condition = meaning.condition
        label = meaning.label
        (self.range, removal) = (range, range)
        self.kind = kind
    }

    init(words: String, _ range: Range<Int>) {
        self.init(SearchMeaning(condition: .plain(.text(words)), label: "“\(words)”"), range, kind: .words)
        self.words = words
    }

    /// All of them, in a row. Words next to one another are one text: they can then be searched by meaning.
    static func condition(ofAll nodes: [SearchNode]) -> SearchCondition {
        var words: [String] = []
        var conditions: [SearchCondition] = []
        for node in nodes {
            if node.kind == .words, !node.words.isEmpty {
                words.append(node.words)
            } else {
                conditions.append(node.condition)
            }
        }
        if !words.isEmpty { conditions.append(.plain(.text(words.joined(separator: " ")))) }
        return conditions.count == 1 ? conditions[0] : .all(conditions)
    }

    static func group(_ nodes: [SearchNode], _ range: Range<Int>, isAny: Bool) -> SearchNode? {
        guard nodes.count != 1 else {
            var node = nodes[0]
            (node.range, node.removal) = (range, range)
            return node
        }
        guard !nodes.isEmpty else { return nil }
        let label = nodes.map(\.label).joined(separator: isAny ? " or " : " and ")
        let condition = isAny ? SearchCondition.any(nodes.map(\.condition)) : condition(ofAll: nodes)
        var node = SearchNode(SearchMeaning(condition: condition, label: label), range)
        // Brackets around nothing but words add nothing.
        if !isAny, nodes.allSatisfy({ $0.kind == .words && !$0.words.isEmpty }) {
            node.kind = .words
            node.words = nodes.map(\.words).joined(separator: " ")
        }
        return node
    }

    func negated(_ range: Range<Int>) -> SearchNode {
        SearchNode(SearchMeaning(condition: .not(condition), label: "Not \(labelInside)"), range)
    }

    private var labelInside: String {
        guard let first = label.first, first.isUppercase, label.dropFirst().first?.isLowercase == true,
            !label.hasPrefix("Not ")
        else { return label }
        return first.lowercased() + label.dropFirst()
    }

    func chip(in text: String) -> SearchText.Chip {
        SearchText.Chip(
            label: label, range: range, without: Self.text(text, without: removal), isPhrase: kind == .phrase)
    }

    private static func text(_ text: String, without range: Range<Int>) -> String {
        let units = Array(text.utf16)
        let rest = units[..<range.lowerBound] + [0x20] + units[range.upperBound...]
        return String(decoding: rest, as: UTF16.self).split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
    }
}
