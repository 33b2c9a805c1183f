import MailKernelAPI

/// Understands the tokens of a search. See `SearchText` for the grammar.
struct SearchParser {
    private(set) var remarks: [SearchText.Remark] = []
    private(set) var isTooDeep = false

    private let text: [UInt16]
    private let tokens: [SearchToken]
    private let operators: SearchOperators
    private let naturalWords: NaturalWords
    private var position = 0
    private var depth = 0
    /// The operator whose brackets these are: `subject:(a b)`.
    private var field: SearchName?

    init(_ text: String, _ tokens: [SearchToken], _ calendar: SearchCalendar) {
        self.text = Array(text.utf16)
        self.tokens = tokens
        operators = SearchOperators(calendar: calendar)
        naturalWords = NaturalWords(operators: operators)
    }

    /// All of these have to match.
    mutating func parse() -> [SearchNode] {
        var nodes: [SearchNode] = []
        while position < tokens.count {
            // A bracket that closes nothing is a word of its own, so this always goes on.
            nodes += row()
            if position < tokens.count { position += 1 }
        }
        return nodes
    }

    private var token: SearchToken? { position < tokens.count ? tokens[position] : nil }

    private func quoted(_ range: Range<Int>) -> String {
        String(decoding: text[range], as: UTF16.self).trimmingSpaces
    }

    private mutating func remark(_ sentence: String, _ range: Range<Int>) {
        remarks.append(SearchText.Remark(sentence: sentence, range: range))
    }

    // MARK: Grammar

    /// Parts with spaces between them.
    private mutating func row() -> [SearchNode] {
        var nodes: [SearchNode] = []
        while let token, token.kind != .close, !isTooDeep { nodes += either() }
        return nodes
    }

    /// Parts with OR between them; or those with AND between them, one by one.
    private mutating func either() -> [SearchNode] {
        var sides = [both()]
        while let token, token.kind == .or {
            position += 1
            let side = both()
            if sides.last?.isEmpty != false || side.isEmpty {
                remark("“OR” needs something on both sides.", token.range)
            }
            sides.append(side)
        }
        sides.removeAll(where: \.isEmpty)
        guard sides.count > 1 else { return sides.first ?? [] }
        let nodes = sides.compactMap { SearchNode.group($0, Self.span($0), isAny: false) }
        return [SearchNode.group(nodes, Self.span(nodes), isAny: true)].compactMap { $0 }
    }

    private mutating func both() -> [SearchNode] {
        var nodes = [negatable()].compactMap { $0 }
        while let token, token.kind == .and {
            position += 1
            guard var node = negatable(), let last = nodes.last else {
                remark("“AND” needs something on both sides.", token.range)
                continue
            }
            if nodes.count == 1 { nodes[0].removal = last.removal.lowerBound..<node.range.lowerBound }
            node.removal = last.range.upperBound..<node.range.upperBound
            nodes.append(node)
        }
        return nodes
    }

    private static func span(_ nodes: [SearchNode]) -> Range<Int> {
        (nodes.first?.range.lowerBound ?? 0)..<(nodes.last?.range.upperBound ?? 0)
    }

    private mutating func negatable() -> SearchNode? {
        var start: Int?
        var isNegated = false
        while let token, token.kind == .not {
            position += 1
            start = start ?? token.range.lowerBound
            isNegated.toggle()
        }
        let node = primary()
        guard let start else { return node }
        guard var node else {
            remark("There is nothing to leave out here.", start..<(start + 1))
            return nil
        }
        let range = start..<node.range.upperBound
        (node.range, node.removal) = (range, range)
        return isNegated ? node.negated(range) : node
    }

    private mutating func primary() -> SearchNode? {
        guard let token else { return nil }
        switch token.kind {
        case .open, .openAny:
            return group(isAny: token.kind == .openAny)
        case .phrase(let text):
            position += 1
            return phrase(text, token.range)
        case .name(let name, let hasValue):
            position += 1
            guard hasValue else {
                remark("“\(quoted(token.range))” needs \(name.wants) after it.", token.range)
                return nil
            }
            return value(of: name, from: token.range.lowerBound)
        case .word(let word):
            return self.word(word, token.range)
        case .close, .and, .or, .not:
            return nil
        }
    }
}

// MARK: Parts

extension SearchParser {
    private mutating func group(isAny: Bool) -> SearchNode? {
        let start = tokens[position].range.lowerBound
        position += 1
        depth += 1
        defer { depth -= 1 }
        guard depth <= SearchText.deepest else {
            isTooDeep = true
            return nil
        }
        let nodes = row()
        let end: Int
        if let token, token.kind == .close {
            end = token.range.upperBound
            position += 1
        } else {
            end = tokens[max(0, position - 1)].range.upperBound
            if !isTooDeep { remark("The bracket is not closed.", start..<(start + 1)) }
        }
        return SearchNode.group(nodes, start..<end, isAny: isAny)
    }

    private mutating func phrase(_ text: String, _ range: Range<Int>) -> SearchNode? {
        if let field { return meaning(of: field, text, isPhrase: true, range) }
        guard !text.trimmingSpaces.isEmpty else { return nil }
        return SearchNode(
            SearchMeaning(condition: .plain(.text("\"\(text)\"")), label: "“\(text)”"), range, kind: .phrase)
    }

    /// The value of an operator that has one.
    private mutating func value(of name: SearchName, from start: Int) -> SearchNode? {
        guard let token else { return nil }
        switch token.kind {
        case .open, .openAny:
            let outer = field
            field = name
            defer { field = outer }
            guard var node = group(isAny: token.kind == .openAny) else { return nil }
            node.range = start..<node.range.upperBound
            node.removal = node.range
            return node
        case .phrase(let text):
            position += 1
            return meaning(of: name, text, isPhrase: true, start..<token.range.upperBound)
        case .word(let word):
            if name.takesDate, let node = date(name, from: start) { return node }
            position += 1
            return meaning(of: name, word, isPhrase: false, start..<token.range.upperBound)
        case .name, .close, .and, .or, .not:
            return nil
        }
    }

    /// A date has several words without quotation marks, too: `before:last week`.
    private mutating func date(_ name: SearchName, from start: Int) -> SearchNode? {
        guard let (count, span) = DateWords(calendar: operators.calendar).longest(words(from: position))
        else {
            return nil
        }
        let end = tokens[position + count - 1].range.upperBound
        position += count
        return SearchNode(operators.date(name, span), start..<end)
    }

    private func words(from position: Int) -> [String] {
        tokens[position...].prefix(NaturalWords.most).prefix { token in
            if case .word = token.kind { true } else { false }
        }.map { quoted($0.range) }
    }

    private mutating func meaning(
        of name: SearchName, _ value: String, isPhrase: Bool, _ range: Range<Int>
    ) -> SearchNode? {
        if let meaning = operators.meaning(of: name, value, isPhrase: isPhrase) {
            return SearchNode(meaning, range)
        }
        let typed = quoted(range)
        remark("“\(typed)” is searched as words. “\(name.rawValue):” takes \(name.wants).", range)
        let words = typed.replacing("\"", with: " ").trimmingSpaces
        return SearchNode(words: words, range)
    }

    private mutating func word(_ word: String, _ range: Range<Int>) -> SearchNode? {
        if let field {
            position += 1
            return meaning(of: field, word, isPhrase: false, range)
        }
        if let (count, meaning) = naturalWords.meaning(words(from: position), phraseAfter: phraseAfter) {
            let end = tokens[position + count - 1].range.upperBound
            position += count
            return SearchNode(meaning, range.lowerBound..<end)
        }
        position += 1
        if let sentence = SearchMistakes.sentence(about: word) { remark(sentence, range) }
        return SearchNode(words: word, range)
    }

    /// The phrase that follows the word here, as in `from "Ada Lovelace"`.
    private var phraseAfter: String? {
        guard position + 1 < tokens.count, case .phrase(let text) = tokens[position + 1].kind else {
            return nil
        }
        return text
    }
}
