import FoundationEssentials

/// An argument of a command.
enum Token: Sendable, Equatable {
    case word(String)
    case string(Data)
    case list([Token])

    /// The text of a word or string; "" for a list.
    var text: String {
        switch self {
        case .word(let text): text
        case .string(let bytes): String(decoding: bytes, as: UTF8.self)
        case .list: ""
        }
    }

    var items: [Token] { if case .list(let items) = self { items } else { [self] } }
}

/// Reads commands with their literals, the way a server does.
struct CommandReader {
    enum Output {
        case command([Token])
        case goAhead
        case line(String)
    }

    private var input: [UInt8] = []
    private var text: [UInt8] = []
    private var literals: [Data] = []
    private var literal: Int?
    /// The next line is not a command: an answer to a continuation.
    var wantsLine = false

    mutating func push(_ bytes: Data) { input += bytes }

    mutating func next() -> Output? {
        while true {
            if let size = literal {
                guard input.count >= size else { return nil }
                literals.append(Data(input.prefix(size)))
                input.removeFirst(size)
                literal = nil
            }
            guard let end = input.firstIndex(of: 10) else { return nil }
            let line = Array(input[...end])
            input.removeFirst(line.count)
            let plain = line.filter { $0 != 13 && $0 != 10 }
            if wantsLine { return .line(String(decoding: plain, as: UTF8.self)) }
            text += plain
            if plain.last == UInt8(ascii: "}"), let open = plain.lastIndex(of: UInt8(ascii: "{")) {
                let inside = plain[(open + 1)...].dropLast()
                let digits = inside.filter { $0 != UInt8(ascii: "+") }
                literal = Int(String(decoding: digits, as: UTF8.self)) ?? 0
                if digits.count == inside.count { return .goAhead }
                continue
            }
            defer {
                text = []
                literals = []
            }
            var parser = TokenParser(text, literals)
            return .command(parser.tokens())
        }
    }
}

private struct TokenParser {
    private let text: [UInt8]
    private var literals: [Data]
    private var index = 0

    init(_ text: [UInt8], _ literals: [Data]) {
        self.text = text
        self.literals = literals
    }

    mutating func tokens() -> [Token] {
        var tokens: [Token] = []
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: " "): index += 1
            case UInt8(ascii: ")"):
                index += 1
                return tokens
            case UInt8(ascii: "("):
                index += 1
                tokens.append(.list(self.tokens()))
            case UInt8(ascii: "\""): tokens.append(.string(quoted()))
            case UInt8(ascii: "{"):
                while index < text.count, text[index] != UInt8(ascii: "}") { index += 1 }
                index += 1
                tokens.append(.string(literals.isEmpty ? Data() : literals.removeFirst()))
            default: tokens.append(.word(word()))
            }
        }
        return tokens
    }

    private mutating func quoted() -> Data {
        var bytes = Data()
        index += 1
        while index < text.count, text[index] != UInt8(ascii: "\"") {
            if text[index] == UInt8(ascii: "\\") { index += 1 }
            if index < text.count { bytes.append(text[index]) }
            index += 1
        }
        index += 1
        return bytes
    }

    /// `BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)]` is one word.
    private mutating func word() -> String {
        let start = index
        var depth = 0
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: " "), UInt8(ascii: "("), UInt8(ascii: ")"):
                if depth == 0 { return String(decoding: text[start..<index], as: UTF8.self) }
            default: break
            }
            index += 1
        }
        return String(decoding: text[start..<index], as: UTF8.self)
    }
}
