import FoundationEssentials

/// A piece of a ManageSieve response (RFC 5804, section 4).
enum SieveToken: Equatable, Sendable {
    case word(String)
    /// Quoted, or a literal.
    case text(String)
    case open
    case close
}

/// Splits bytes from a ManageSieve server into lines of tokens. Opens nothing, and keeps at most `longest` bytes.
struct SieveResponses: Sendable {
    /// Of an answer with its literals, in bytes: a script and more.
    static let longest = 2 << 20
    /// Of a line without literals.
    static let longestLine = 1 << 16
    static let mostTokens = 2_000

    struct Malformed: Error, Equatable {
        let reason: String
    }

    private static let longLine = Malformed(reason: "a line that is too long")

    private var input: [UInt8] = []
    private var tokens: [SieveToken] = []
    /// Bytes of the answer so far.
    private var taken = 0
    /// Bytes that are still missing of a literal.
    private var literal: Int?

    mutating func push(_ bytes: Data) { input += bytes }

    /// What came before TLS was not protected.
    mutating func forget() { self = SieveResponses() }

    /// What comes next is counted by itself.
    mutating func beginAnswer() { taken = 0 }

    /// The next line; nil until all of it has arrived.
    mutating func next() throws(Malformed) -> [SieveToken]? {
        while true {
            if let size = literal {
                guard input.count >= size else { return nil }
                guard let text = String(validating: input.prefix(size), as: UTF8.self) else {
                    throw Malformed(reason: "a text that is not UTF-8")
                }
                input.removeFirst(size)
                tokens.append(.text(text))
                literal = nil
            }
            guard let end = input.firstIndex(of: 10) else {
                guard input.count <= Self.longestLine else { throw Self.longLine }
                return nil
            }
            guard end <= Self.longestLine else { throw Self.longLine }
            var line = Array(input[..<end])
            input.removeFirst(end + 1)
            if line.last == 13 { line.removeLast() }
            try take(line)
            guard literal == nil else { continue }
            defer { tokens = [] }
            return tokens
        }
    }

    private mutating func take(_ line: [UInt8]) throws(Malformed) {
        try count(line.count)
        var rest = line[...]
        while let byte = rest.first {
            guard tokens.count < Self.mostTokens else { throw Self.longLine }
            switch byte {
            case UInt8(ascii: " "): rest = rest.dropFirst()
            case UInt8(ascii: "("), UInt8(ascii: ")"):
                tokens.append(byte == UInt8(ascii: "(") ? .open : .close)
                rest = rest.dropFirst()
            case UInt8(ascii: "\""): tokens.append(.text(try Self.quoted(&rest)))
            case UInt8(ascii: "{"):
                let size = try Self.size(rest)
                try count(size)
                literal = size
                return
            default:
                let word = rest.prefix { !" ()\"{".utf8.contains($0) }
                tokens.append(.word(String(decoding: word, as: UTF8.self)))
                rest = rest.dropFirst(word.count)
            }
        }
    }

    private mutating func count(_ bytes: Int) throws(Malformed) {
        taken += bytes
        guard taken <= Self.longest else { throw Malformed(reason: "a response that is too long") }
    }

    private static func quoted(_ rest: inout ArraySlice<UInt8>) throws(Malformed) -> String {
        var text: [UInt8] = []
        rest = rest.dropFirst()
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") {
                guard let text = String(validating: text, as: UTF8.self) else {
                    throw Malformed(reason: "a text that is not UTF-8")
                }
                return text
            }
            if byte == UInt8(ascii: "\\") {
                guard let next = rest.popFirst() else { break }
                text.append(next)
            } else {
                text.append(byte)
            }
        }
        throw Malformed(reason: "a text without an end")
    }

    /// `{12}` or `{12+}`, which ends a line.
    private static func size(_ rest: ArraySlice<UInt8>) throws(Malformed) -> Int {
        var digits = rest.dropFirst()
        guard digits.popLast() == UInt8(ascii: "}") else { throw Malformed(reason: "an invalid literal") }
        if digits.last == UInt8(ascii: "+") { digits = digits.dropLast() }
        guard (1...9).contains(digits.count),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let size = Int(String(decoding: digits, as: UTF8.self))
        else { throw Malformed(reason: "an invalid literal") }
        return size
    }
}

/// A whole answer of a ManageSieve server: what it listed, and how it ended.
struct SieveReply: Equatable, Sendable {
    enum Kind: String, Sendable {
        case ok = "OK"
        case no = "NO"
        case bye = "BYE"
    }

    var kind: Kind
    /// The words of the response code, in capitals, such as `QUOTA/MAXSIZE`; empty if there is none.
    var code: String
    var text: String
    /// The lines before the last one.
    var lines: [[SieveToken]] = []

    /// Nil if the line is not the last one of an answer.
    init?(_ line: [SieveToken]) {
        guard case .word(let word)? = line.first, let kind = Kind(rawValue: word.uppercased()) else {
            return nil
        }
        self.kind = kind
        var rest = line.dropFirst()
        var words: [String] = []
        if rest.first == .open {
            rest = rest.dropFirst()
            while let token = rest.popFirst(), token != .close {
                if case .word(let word) = token { words.append(word.uppercased()) }
            }
        }
        code = words.first ?? ""
        text = rest.lazy.compactMap { if case .text(let text) = $0 { text } else { nil } }.first ?? ""
    }
}

/// What a server says about itself.
struct SieveCapabilities: Equatable, Sendable {
    var mechanisms: Set<String> = []
    var extensions: Set<String> = []
    var hasStartTLS = false
    /// Whether it is a server for scripts at all.
    var isKnown = false

    init(_ lines: [[SieveToken]]) {
        for line in lines {
            guard case .text(let name)? = line.first else { continue }
            let value: String = if case .text(let text)? = line.dropFirst().first { text } else { "" }
            let words = value.split(separator: " ").map(String.init)
            switch name.uppercased() {
            case "SASL": mechanisms = Set(words.map { "AUTH=\($0.uppercased())" })
            case "SIEVE": (extensions, isKnown) = (Set(words), true)
            case "STARTTLS": hasStartTLS = true
            default: break
            }
        }
    }
}
