import FoundationEssentials
import MailKernelAPI

/// Takes a server's bytes apart into replies (RFC 5321, 4.2). Bytes in, replies out; no socket.
struct SMTPReplyReader {
    /// Longer lines than RFC 5321 allows are common; endless ones are hostile.
    private static let lineLimit = 8 * 1024
    private static let lineCount = 200

    /// A reply with its lines apart, which EHLO needs.
    struct Reply {
        let code: Int
        let lines: [String]

        /// The lines without the enhanced code that each may begin with.
        var shown: SMTPReply {
            let enhanced = lines.first.flatMap { SMTPReplyReader.enhancedCode($0, code) }
            let texts = lines.map { line in
                guard let enhanced, line.hasPrefix(enhanced) else { return line }
                return String(line.dropFirst(enhanced.count).drop { $0 == " " })
            }
            return SMTPReply(
                code: code, enhancedCode: enhanced,
                text: texts.filter { !$0.isEmpty }.joined(separator: " "))
        }
    }

    private var buffer = Data()
    private var lines: [String] = []
    private var code: Int?

    var isEmpty: Bool { buffer.isEmpty && lines.isEmpty }

    mutating func append(_ bytes: Data) {
        buffer.append(bytes)
    }

    /// The next whole reply; nil if more bytes are needed.
    mutating func next() throws(SMTPSyntaxError) -> Reply? {
        while let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
            let line = buffer[buffer.startIndex..<end]
            buffer = buffer[buffer.index(after: end)...]
            guard line.count <= Self.lineLimit, lines.count < Self.lineCount else { throw SMTPSyntaxError() }
            if let reply = try take(line.last == UInt8(ascii: "\r") ? line.dropLast() : line) { return reply }
        }
        guard buffer.count <= Self.lineLimit else { throw SMTPSyntaxError() }
        buffer = Data(buffer)
        return nil
    }

    private mutating func take(_ line: Data) throws(SMTPSyntaxError) -> Reply? {
        let digits = line.prefix(3)
        guard digits.count == 3, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int(String(decoding: digits, as: UTF8.self)), (200..<600).contains(number),
            code == nil || code == number
        else { throw SMTPSyntaxError() }
        let separator = line.dropFirst(3).first
        guard separator == nil || separator == UInt8(ascii: " ") || separator == UInt8(ascii: "-") else {
            throw SMTPSyntaxError()
        }
        code = number
        let text = String(decoding: line.dropFirst(4), as: UTF8.self)
        lines.append(
            String(
                text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) }))
        guard separator != UInt8(ascii: "-") else { return nil }
        defer {
            lines = []
            code = nil
        }
        return Reply(code: number, lines: lines)
    }

    /// `5.1.1` at the beginning of a line, if it is of the reply's class.
    private static func enhancedCode(_ line: String, _ code: Int) -> String? {
        let word = line.prefix { $0 != " " }
        let parts = word.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3,
            parts.allSatisfy({ (1...3).contains($0.count) && $0.allSatisfy(\.isASCIIDigit) }),
            parts[0] == "\(code / 100)"
        else { return nil }
        return String(word)
    }
}

/// The received data is not SMTP.
struct SMTPSyntaxError: Error {}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
