/// A word of a script, with the comments before it.
struct Token {
    enum Kind: Equatable {
        case identifier(String)
        case tag(String)
        case number(Int)
        case string(String)
        /// One of `;,()[]{}`.
        case symbol(UInt8)
        case end
    }

    var kind: Kind
    var position: SievePosition
    var comments: [String]
}

/// Cuts a script into tokens.
struct Lexer {
    private var cursor: Cursor
    private var line = 1
    private var column = 1
    /// Up to where `column` is counted.
    private var counted = 0

    init(_ bytes: Bytes) {
        cursor = Cursor(bytes)
    }

    /// The place of the next byte. Each byte is counted once, however long its line is.
    private mutating func position() -> SievePosition {
        column += cursor.bytes[counted..<cursor.index].reduce(0) { $0 + ($1.isContinuation ? 0 : 1) }
        counted = cursor.index
        return SievePosition(line: line, column: column)
    }

    mutating func next() throws(SieveError) -> Token {
        let comments = try skipComments()
        let start = position()
        return Token(kind: try kind(at: start), position: start, comments: comments)
    }

    private mutating func kind(at start: SievePosition) throws(SieveError) -> Token.Kind {
        guard let byte = cursor.peek else { return .end }
        switch byte {
        case UInt8(ascii: "\""):
            return .string(try quoted(from: start))
        case UInt8(ascii: ":"):
            _ = cursor.next()
            let name = cursor.take { $0.isWord }
            guard name.first.map({ !$0.isDigit }) == true else {
                throw SieveError("A colon must be followed by the name of a tag, as in `:is`.", at: start)
            }
            return .tag(name.lowered.text)
        case UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "["),
            UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"):
            _ = cursor.next()
            return .symbol(byte)
        case _ where byte.isDigit:
            return .number(try number(from: start))
        case _ where byte.isWord:
            let name = cursor.take { $0.isWord }.text
            guard name.lowered == "text", cursor.skip(":") else { return .identifier(name.lowered) }
            return .string(try multiline(from: start))
        default:
            let shown = byte > 0x20 && byte < 0x7f ? "`\(Unicode.Scalar(byte))`" : "This character"
            throw SieveError("\(shown) has no meaning here.", at: start)
        }
    }

    private mutating func advance() -> UInt8? {
        guard let byte = cursor.next() else { return nil }
        if byte == 0x0a {
            line += 1
            column = 1
            counted = cursor.index
        }
        return byte
    }

    private mutating func number(from start: SievePosition) throws(SieveError) -> Int {
        let digits = cursor.take { $0.isDigit }
        var shift = 0
        if let unit = cursor.peek?.lowered, let place = Bytes("kmg".utf8).firstIndex(of: unit) {
            shift = (place + 1) * 10
            _ = cursor.next()
        }
        guard cursor.peek?.isWord != true else {
            throw SieveError("A number may only be followed by K, M or G.", at: start)
        }
        guard let number = Int(digits.text), number <= (Int.max >> 1) >> shift else {
            throw SieveError("This number is too large.", at: start)
        }
        return number << shift
    }

    private mutating func quoted(from start: SievePosition) throws(SieveError) -> String {
        _ = cursor.next()
        var text: Bytes = []
        while let byte = advance() {
            switch byte {
            case UInt8(ascii: "\""): return text.text
            case UInt8(ascii: "\\"):
                guard let escaped = advance() else { break }
                text.append(escaped)
            default: text.append(byte)
            }
        }
        throw SieveError("This string has no closing quotation mark.", at: start)
    }

    /// The lines after `text:`, up to one that is a dot.
    private mutating func multiline(from start: SievePosition) throws(SieveError) -> String {
        cursor.skip { $0.isBlank }
        if cursor.peek == UInt8(ascii: "#") { cursor.skip { $0 != 0x0a } }
        _ = cursor.skip("\r")
        guard cursor.peek == 0x0a else {
            throw SieveError("`text:` must be followed by the end of the line.", at: start)
        }
        _ = advance()
        var text: Bytes = []
        while !cursor.isAtEnd {
            var content = cursor.take { $0 != 0x0a }
            _ = advance()
            if content == [UInt8(ascii: ".")] || content == Bytes(".\r".utf8) { return text.text }
            if content.first == UInt8(ascii: ".") { content.removeFirst() }
            if content.last == 0x0d { content.removeLast() }
            text += content + [0x0d, 0x0a]
        }
        throw SieveError("This text has no end: a line that is only a dot.", at: start)
    }

    private mutating func skipComments() throws(SieveError) -> [String] {
        var comments: [String] = []
        while let byte = cursor.peek {
            if byte.isSpace {
                _ = advance()
            } else if byte == UInt8(ascii: "#") {
                _ = cursor.next()
                comments.append(cursor.take { $0 != 0x0a }.trimmed().text)
            } else if byte == UInt8(ascii: "/"), cursor.peek(1) == UInt8(ascii: "*") {
                comments += try block().split(separator: "\n").map { Bytes($0.utf8).trimmed().text }
            } else {
                break
            }
        }
        return comments
    }

    private mutating func block() throws(SieveError) -> String {
        let start = position()
        _ = cursor.next()
        _ = cursor.next()
        var text: Bytes = []
        while let byte = advance() {
            if byte == UInt8(ascii: "*"), cursor.skip("/") { return text.text }
            text.append(byte)
        }
        throw SieveError("This comment has no end: `*/`.", at: start)
    }
}
