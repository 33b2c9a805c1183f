/// A piece of a typed search, before its meaning is known.
struct SearchToken {
    enum Kind: Hashable {
        /// A word as it was typed.
        case word(String)
        /// The text between two quotation marks.
        case phrase(String)
        /// `name:`; the value is the next token, if `hasValue`.
        case name(SearchName, hasValue: Bool)
        case open
        /// The `{` of a group of which one part has to match.
        case openAny
        case close
        case and
        case or
        case not
    }

    var kind: Kind
    /// In UTF-16 code units, as pages count.
    var range: Range<Int>
}

/// Divides a typed search into tokens. Any text has some: what is no operator is a word.
struct SearchLexer {
    private(set) var tokens: [SearchToken] = []
    /// Where a quotation mark is never closed.
    private(set) var openQuote: Range<Int>?

    private let text: [Character]
    /// The UTF-16 offset of each character, and the end.
    private let offsets: [Int]
    private var index = 0
    private var depth = 0

    init(_ text: String) {
        self.text = Array(text)
        var offsets = [0]
        for character in self.text { offsets.append(offsets[offsets.count - 1] + character.utf16.count) }
        self.offsets = offsets
        while skipSpaces() { readToken() }
    }

    /// Whether anything follows.
    private mutating func skipSpaces() -> Bool {
        while index < text.count, text[index].isWhitespace { index += 1 }
        return index < text.count
    }

    private mutating func add(_ kind: SearchToken.Kind, from start: Int) {
        tokens.append(SearchToken(kind: kind, range: offsets[start]..<offsets[index]))
    }

    private func character(after distance: Int) -> Character? {
        index + distance < text.count ? text[index + distance] : nil
    }

    private mutating func readToken() {
        let start = index
        switch text[index] {
        case "(", "{":
            let kind: SearchToken.Kind = text[index] == "(" ? .open : .openAny
            index += 1
            depth += 1
            add(kind, from: start)
        case ")" where depth > 0, "}" where depth > 0:
            index += 1
            depth -= 1
            add(.close, from: start)
        case "-" where isNegation:
            index += 1
            add(.not, from: start)
        case "+" where character(after: 1).map { $0.isLetter || $0.isNumber } == true:
            // As in Gmail: exactly this word.
            index += 1
            add(.phrase(word()), from: start)
        case "\"":
            if !readPhrase() { readWord(from: start) }
        default:
            readWord(from: start)
        }
    }

    /// A hyphen right before something to leave out; signs such as `--` and `->` are words.
    private var isNegation: Bool {
        guard let next = character(after: 1) else { return false }
        return next.isLetter || next.isNumber || "\"({".contains(next)
    }

    private mutating func readPhrase() -> Bool {
        let start = index
        var end = index + 1
        while end < text.count, text[end] != "\"" { end += text[end] == "\\" ? 2 : 1 }
        guard end < text.count else {
            openQuote = offsets[start]..<offsets[text.count]
            return false
        }
        let inside = String(text[(index + 1)..<end])
        index = end + 1
        add(.phrase(inside), from: start)
        return true
    }

    private mutating func readWord(from start: Int) {
        if let name = readName() {
            let nameEnd = index
            let isFollowed = skipSpaces() && !(depth > 0 && ")}".contains(text[index]))
            let hasValue = isFollowed && (index == nameEnd || !beginsOperator)
            if !hasValue { index = nameEnd }
            tokens.append(
                SearchToken(
                    kind: .name(name, hasValue: hasValue), range: offsets[start]..<offsets[nameEnd]))
            if hasValue { readValue() }
            return
        }
        let word = word()
        switch word {
        case "AND": add(.and, from: start)
        case "OR": add(.or, from: start)
        case "NOT": add(.not, from: start)
        default: add(.word(word), from: start)
        }
    }

    /// What follows `from: ` is its value, unless it is an operator by itself.
    private var beginsOperator: Bool {
        if text[index] == "-" { return isNegation }
        var copy = self
        if copy.readName() != nil { return true }
        return ["AND", "OR", "NOT"].contains(copy.word())
    }

    /// The value of an operator: a hyphen in front of it is part of it.
    private mutating func readValue() {
        let start = index
        switch text[index] {
        case "(", "{": readToken()
        case "\"":
            if !readPhrase() { add(.word(word()), from: start) }
        default:
            add(.word(word()), from: start)
        }
    }

    /// The name of an operator with its colon.
    private mutating func readName() -> SearchName? {
        var end = index
        while end < text.count, text[end].isASCII,
            text[end].isLetter || text[end].isNumber || "_-".contains(text[end])
        {
            end += 1
        }
        guard end > index, end < text.count, text[end] == ":",
            let name = SearchName(name: String(text[index..<end]))
        else { return nil }
        index = end + 1
        return name
    }

    /// Until a space, or the bracket that ends the group. A word can have brackets of its own.
    private mutating func word() -> String {
        let start = index
        var inner = 0
        scan: while index < text.count, !text[index].isWhitespace {
            switch text[index] {
            case "(", "{": inner += 1
            case ")" where inner > 0, "}" where inner > 0: inner -= 1
            case ")" where depth > 0, "}" where depth > 0: break scan
            case "\"" where index > start && text[(index + 1)...].contains("\""): break scan
            default: break
            }
            index += 1
        }
        return String(text[start..<index])
    }
}
