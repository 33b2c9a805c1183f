import FoundationEssentials

/// Decodes encoded words (RFC 2047).
///
/// GMime joins the base64 of neighboring words before it decodes, and loses all that follows padding, which
/// most words end in. So this is done here.
enum EncodedWordReader {
    /// The text with its encoded words decoded. White space between two of them goes; a character that was
    /// split between two of them is whole.
    static func decoded(_ text: String) -> String {
        run(text) { $0 }
    }

    /// The text with neighboring encoded words made into one, which GMime reads well.
    static func joined(_ text: String) -> String {
        guard text.containsBytes(of: "=?") else { return text }
        return run(text) { decoded in
            let beginning = String(String.UnicodeScalarView(decoded.unicodeScalars.prefix(longestJoined)))
            let escaped = beginning.utf8.map { EncodedWords.percent($0, mark: "=") }.joined()
            return "\(joinedStart)\(escaped)?="
        }
    }

    static func isJoined(_ bytes: [UInt8]) -> Bool { bytes.starts(with: joinedStart.utf8) }

    private static let joinedStart = "=?utf-8?Q?"
    /// More of a name is never shown.
    private static let longestJoined = 1000

    private struct Word {
        var charset: Charset
        var name: String
        var bytes: [UInt8]
    }

    private static func run(_ text: String, _ write: (String) -> String) -> String {
        var output: [UInt8] = []
        var words: [Word] = []
        // White space behind a word: it counts only if something else than a word follows.
        var blanks: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.first {
            if byte == UInt8(ascii: "="), let (word, end) = word(in: rest) {
                blanks = []
                words.append(word)
                rest = rest[end...]
            } else if !words.isEmpty, byte == 0x20 || byte == 0x09 {
                blanks.append(byte)
                rest.removeFirst()
            } else {
                finish(&words, write, &output)
                output += blanks
                output.append(byte)
                blanks = []
                rest.removeFirst()
            }
        }
        finish(&words, write, &output)
        return String(decoding: output + blanks, as: UTF8.self)
    }

    private static func finish(_ words: inout [Word], _ write: (String) -> String, _ output: inout [UInt8]) {
        guard !words.isEmpty else { return }
        var decoded = ""
        var index = 0
        while index < words.count {
            var bytes = words[index].bytes
            let first = words[index]
            index += 1
            while index < words.count, words[index].name == first.name {
                bytes += words[index].bytes
                index += 1
            }
            decoded += first.charset.text(bytes.span).text
        }
        output += write(decoded).utf8
        words = []
    }

    /// The word that begins here, and where it ends.
    private static func word(in bytes: ArraySlice<UInt8>) -> (Word, end: Int)? {
        guard bytes.count > 7, bytes[bytes.startIndex + 1] == mark,
            let charsetEnd = bytes[(bytes.startIndex + 2)...].prefix(80).firstIndex(of: mark),
            charsetEnd + 2 < bytes.endIndex, bytes[charsetEnd + 2] == mark
        else { return nil }
        let textStart = charsetEnd + 3
        // An encoded word must not contain a question mark, but some programs write one.
        var end = textStart
        while end + 1 < bytes.endIndex, bytes[end] != mark || bytes[end + 1] != UInt8(ascii: "=") {
            if bytes[end] == mark, end > textStart, bytes[end - 1] == UInt8(ascii: "=") { return nil }
            end += 1
        }
        guard end + 1 < bytes.endIndex else { return nil }
        let name = String(decoding: bytes[(bytes.startIndex + 2)..<charsetEnd], as: UTF8.self)
            .prefix { $0 != "*" }.lowercased()
        let charset = Charset(name: name)
        guard !name.isEmpty else { return nil }
        let content = Array(bytes[textStart..<end])
        switch asciiLowercased(bytes[charsetEnd + 1]) {
        case UInt8(ascii: "b"):
            return (Word(charset: charset, name: name, bytes: base64(content)), end + 2)
        case UInt8(ascii: "q"):
            return (Word(charset: charset, name: name, bytes: quoted(content)), end + 2)
        default: return nil
        }
    }

    private static let mark = UInt8(ascii: "?")

    private static func base64(_ content: [UInt8]) -> [UInt8] {
        TransferEncoding.base64.decodedPrefix(content.span, limit: .max)
    }

    private static func quoted(_ content: [UInt8]) -> [UInt8] {
        unescaped(content[...], escape: UInt8(ascii: "=")) { $0 == UInt8(ascii: "_") ? 0x20 : $0 }
    }
}
