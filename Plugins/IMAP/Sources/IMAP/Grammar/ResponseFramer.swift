import FoundationEssentials

/// Cuts what a server sends into responses. Bytes are pushed in, responses are pulled out.
///
/// Memory is used for bytes that have come, never for bytes that are announced.
struct ResponseFramer {
    struct Limits {
        /// The text of one response, literals left out. A list of a million UIDs fits.
        var text = 16 << 20
        var literals = 1_000
        /// The total size of literals kept for one response. Anything beyond is discarded.
        var kept = 64 << 20
    }

    enum Output: Equatable {
        case response(RawResponse)
        /// The next bytes of a body, while bodies are streamed.
        case chunk(Data)
    }

    private enum LiteralUse { case keep, stream, drop }

    /// Whether literals that are bodies come in chunks instead of in their response.
    var streamsBodies = false
    private let limits: Limits
    private var input = Data()
    private var position = 0
    private var current = RawResponse()
    private var literal: (left: Int, use: LiteralUse)?
    private var kept = Data()
    private var keptInResponse = 0

    init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Whether a response is incomplete.
    var isInsideResponse: Bool { literal != nil || !current.text.isEmpty }

    mutating func push(_ bytes: Data) {
        if position == input.count {
            // Rebased, so that positions start at 0 for any slice.
            input = bytes.startIndex == 0 ? bytes : Data(bytes)
        } else {
            input = Data(input[position...]) + bytes
        }
        position = 0
    }

    /// Removes and returns the bytes that have not been read as a response: they belong to another layer.
    mutating func takeRest() -> Data {
        defer {
            input = Data()
            position = 0
        }
        return Data(input[position...])
    }

    /// The next response or chunk; nil until more bytes are pushed.
    mutating func next() throws(FramingError) -> Output? {
        while position < input.count {
            if let (left, use) = literal {
                if let chunk = readLiteral(left, use) { return .chunk(chunk) }
            } else if try readLine() {
                defer {
                    current = RawResponse()
                    keptInResponse = 0
                }
                return .response(current)
            }
        }
        return nil
    }

    private mutating func readLiteral(_ left: Int, _ use: LiteralUse) -> Data? {
        let end = position + min(left, input.count - position)
        let bytes = input[position..<end]
        position = end
        let rest = left - bytes.count
        switch use {
        case .keep: kept.append(bytes)
        case .stream, .drop: break
        }
        if rest > 0 {
            literal = (rest, use)
        } else {
            finishLiteral(use)
        }
        return use == .stream ? Data(bytes) : nil
    }

    private mutating func finishLiteral(_ use: LiteralUse) {
        current.literals.append(use == .keep ? kept : nil)
        kept = Data()
        literal = nil
    }

    /// Reads up to the end of the line; true if the response ends there.
    private mutating func readLine() throws(FramingError) -> Bool {
        let lineFeed = input[position...].firstIndex(of: UInt8(ascii: "\n"))
        let end = lineFeed.map { $0 + 1 } ?? input.count
        guard current.text.count + end - position <= limits.text else { throw .lineTooLong }
        current.text.append(contentsOf: input[position..<end])
        position = end
        guard lineFeed != nil else { return false }
        guard let announced = try announcedLiteral() else {
            dropLineEnd()
            return true
        }
        guard current.literals.count < limits.literals else { throw .tooManyLiterals }
        begin(announced)
        return false
    }

    private mutating func begin(_ announced: Announcement) {
        let use: LiteralUse
        if streamsBodies, announced.isBody {
            use = .stream
        } else if keptInResponse + announced.size <= limits.kept {
            use = .keep
            keptInResponse += announced.size
        } else {
            use = .drop
        }
        literal = (announced.size, use)
        if announced.size == 0 { finishLiteral(use) }
    }

    private mutating func dropLineEnd() {
        if current.text.last == UInt8(ascii: "\n") { current.text.removeLast() }
        if current.text.last == UInt8(ascii: "\r") { current.text.removeLast() }
    }

    // MARK: Literals

    private struct Announcement {
        let size: Int
        let isBody: Bool
    }

    /// The literal that the text ends with an announcement of: `{n}`, `{n+}` or `~{n}`, and a line end.
    private func announcedLiteral() throws(FramingError) -> Announcement? {
        let text = current.text
        var index = text.count - 1
        func take(_ byte: UInt8) -> Bool {
            guard index > 0, text[index] == byte else { return false }
            index -= 1
            return true
        }
        guard take(UInt8(ascii: "\n")) else { return nil }
        _ = take(UInt8(ascii: "\r"))
        guard take(UInt8(ascii: "}")) else { return nil }
        _ = take(UInt8(ascii: "+"))
        let end = index
        while index > 0, isDigit(text[index]) { index -= 1 }
        guard index < end, text[index] == UInt8(ascii: "{"), !isStatusLine else { return nil }
        var size = 0
        for digit in text[(index + 1)...end] {
            size = size * 10 + Int(digit - UInt8(ascii: "0"))
            guard size <= Int(UInt32.max) else { throw .literalTooLong }
        }
        return Announcement(size: size, isBody: followsBody(text[..<index]))
    }

    /// Status lines end in text for people, which may look like a literal.
    private var isStatusLine: Bool {
        var scanner = ByteScanner(current)
        guard scanner.take(UInt8(ascii: "*")), scanner.take(UInt8(ascii: " ")) else { return true }
        return ["OK", "NO", "BAD", "BYE", "PREAUTH"].contains(scanner.takeWord().uppercased())
    }

    /// Whether the text ends like `… BODY[1.2]<0> `, where a literal is a part of a message.
    private func followsBody(_ text: ArraySlice<UInt8>) -> Bool {
        var text = text
        if text.last == UInt8(ascii: "~") { text.removeLast() }
        guard text.popLast() == UInt8(ascii: " ") else { return false }
        if text.last == UInt8(ascii: ">") {
            text = text[..<(text.lastIndex(of: UInt8(ascii: "<")) ?? text.startIndex)]
        }
        guard text.last == UInt8(ascii: "]") else { return false }
        let words = current.text.prefix(40).split(separator: UInt8(ascii: " "), maxSplits: 3)
        return words.count > 2
            && ["FETCH", "UIDFETCH"].contains(String(decoding: words[2], as: UTF8.self).uppercased())
    }
}

func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
