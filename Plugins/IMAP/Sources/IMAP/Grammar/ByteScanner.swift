import FoundationEssentials

/// Reads a response from left to right. Every access is checked; nothing here can trap on foreign bytes.
struct ByteScanner {
    /// How deep parentheses may be nested.
    static let deepest = 64

    private let text: [UInt8]
    private let literals: [Data?]
    private var nextLiteral = 0
    private(set) var index = 0

    init(_ response: RawResponse) {
        text = response.text
        literals = response.literals
    }

    init(_ text: String) {
        self.init(RawResponse(text: Array(text.utf8)))
    }

    // MARK: Bytes

    var isAtEnd: Bool { index >= text.count }
    var peek: UInt8? { index < text.count ? text[index] : nil }

    func isNext(_ byte: UInt8) -> Bool { peek == byte }
    func isNext(_ character: Character) -> Bool { peek == character.asciiValue }

    func failure(_ expected: StaticString) -> ParseError { ParseError(expected: expected, offset: index) }

    mutating func skip() { if index < text.count { index += 1 } }

    mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        index += 1
        return true
    }

    mutating func take(_ character: Character) -> Bool { character.asciiValue.map { take($0) } ?? false }

    mutating func expect(_ character: Character, _ name: StaticString) throws(ParseError) {
        guard take(character) else { throw failure(name) }
    }

    mutating func skipSpaces() {
        while take(UInt8(ascii: " ")) {}
    }

    /// The rest as text; invalid UTF-8 is mended.
    mutating func takeRest() -> String {
        defer { index = text.count }
        return String(decoding: text[index...], as: UTF8.self)
    }

    /// The bytes for which `belongs` holds, possibly none.
    mutating func take(while belongs: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = index
        while index < text.count, belongs(text[index]) { index += 1 }
        return text[start..<index]
    }

    /// Up to the next space or bracket: a response's name, a flag, an attribute. May be empty.
    mutating func takeWord() -> String {
        String(decoding: take { !Self.endsWord($0) }, as: UTF8.self)
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "["),
            UInt8(ascii: "\""), UInt8(ascii: "{"), 13, 10:
            true
        default: false
        }
    }

    // MARK: Numbers

    mutating func number() throws(ParseError) -> UInt64 {
        let start = index
        var value: UInt64 = 0
        while let byte = peek, isDigit(byte) {
            let (tens, overflowed) = value.multipliedReportingOverflow(by: 10)
            let (sum, carried) = tens.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
            guard !overflowed, !carried else { throw failure("a number of 64 bits") }
            value = sum
            index += 1
        }
        guard index > start else { throw failure("a number") }
        return value
    }

    mutating func number32() throws(ParseError) -> UInt32 {
        guard let number = UInt32(exactly: try number()) else { throw failure("a number of 32 bits") }
        return number
    }

    // MARK: Strings

    /// A quoted string or a literal; nil where neither begins.
    private mutating func takeString() throws(ParseError) -> Data? {
        switch peek {
        case UInt8(ascii: "\""): try quoted()
        case UInt8(ascii: "{"), UInt8(ascii: "~"): try literal()
        default: nil
        }
    }

    private mutating func quoted() throws(ParseError) -> Data {
        skip()
        var bytes = Data()
        while let byte = peek {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return bytes
            case UInt8(ascii: "\\"):
                guard let escaped = peek else { throw failure("an escaped character") }
                // Some servers do not escape backslashes: those are kept.
                if escaped != UInt8(ascii: "\""), escaped != byte { bytes.append(byte) }
                bytes.append(escaped)
                index += 1
            default: bytes.append(byte)
            }
        }
        throw failure("the end of a quoted string")
    }

    private mutating func literal() throws(ParseError) -> Data {
        _ = take(UInt8(ascii: "~"))
        try expect("{", "a literal")
        _ = try number()
        _ = take(UInt8(ascii: "+"))
        try expect("}", "the end of a literal's size")
        _ = take(UInt8(ascii: "\r"))
        guard take(UInt8(ascii: "\n")), nextLiteral < literals.count else { throw failure("a literal") }
        nextLiteral += 1
        // A literal that was not kept reads as empty; callers check `wasKept`.
        wasKept = literals[nextLiteral - 1] != nil
        return literals[nextLiteral - 1] ?? Data()
    }

    /// Whether the last literal that was read is here, and not streamed or dropped.
    private(set) var wasKept = true

    /// A string, or nil for `NIL`. Some servers send an atom or a number instead: that is taken too.
    mutating func nstring() throws(ParseError) -> Data? {
        wasKept = true
        if let string = try takeString() { return string }
        let word = takeWord()
        guard !word.isEmpty else { throw failure("a string") }
        return word.uppercased() == "NIL" ? nil : Data(word.utf8)
    }

    mutating func ntext() throws(ParseError) -> String? {
        try nstring().map { String(decoding: $0, as: UTF8.self) }
    }

    /// An atom or a string. Brackets belong to it: `[Gmail]/Drafts` comes unquoted from some.
    mutating func astring() throws(ParseError) -> Data {
        if let string = try takeString() { return string }
        let atom = take { byte in
            byte > 32 && byte != UInt8(ascii: "(") && byte != UInt8(ascii: ")") && byte != UInt8(ascii: "\"")
        }
        guard !atom.isEmpty else { throw failure("a name") }
        return Data(atom)
    }

    // MARK: Lists

    /// `(a b c)`, each element read by `element`. Missing and doubled spaces between them are ignored.
    mutating func list<Element>(
        _ element: (inout ByteScanner) throws(ParseError) -> Element
    ) throws(ParseError) -> [Element] {
        try expect("(", "a list")
        var elements: [Element] = []
        skipSpaces()
        while !take(UInt8(ascii: ")")) {
            let start = index
            elements.append(try element(&self))
            guard index > start else { throw failure("an element of a list") }
            skipSpaces()
            if isAtEnd { throw failure("the end of a list") }
        }
        return elements
    }

    /// Passes by a value of any form.
    mutating func skipValue() throws(ParseError) {
        var depth = 0
        repeat {
            skipSpaces()
            switch peek {
            case nil: throw failure("a value")
            case UInt8(ascii: "("):
                depth += 1
                skip()
                guard depth <= Self.deepest else { throw failure("less deeply nested lists") }
            case UInt8(ascii: ")"):
                guard depth > 0 else { throw failure("a value") }
                depth -= 1
                skip()
            case UInt8(ascii: "\""), UInt8(ascii: "{"): _ = try takeString()
            default:
                let start = index
                _ = takeWord()
                if index == start { skip() }
            }
            if depth > 0 { skipSpaces() }
        } while depth > 0
    }
}
