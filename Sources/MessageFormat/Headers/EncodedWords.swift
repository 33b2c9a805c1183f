import FoundationEssentials

/// Text in header fields (RFC 2047).
enum EncodedWords {
    /// Whether a text may stand in a header as it is.
    static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } && !text.containsBytes(of: "=?")
            && text.utf8.first != 0x20 && text.utf8.last != 0x20
    }

    /// The text as encoded words, each short enough for a line and none with part of a character.
    static func encoded(_ text: String) -> [String] {
        var words: [String] = []
        var piece: [UInt8] = []
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if piece.count + bytes.count > 42 {
                words.append(word(piece))
                piece = []
            }
            piece += bytes
        }
        if !piece.isEmpty { words.append(word(piece)) }
        return words
    }

    private static func word(_ bytes: [UInt8]) -> String {
        let escapes = bytes.count { !isSafe($0) && $0 != 0x20 }
        // Where most is plain, the words stay readable. 63 is what fits in 75 characters.
        guard escapes * 3 <= bytes.count, bytes.count + escapes * 2 <= 63 else {
            return "=?utf-8?B?\(Data(bytes).base64EncodedString())?="
        }
        let text = bytes.map { byte in
            if byte == 0x20 { return "_" }
            return isSafe(byte) ? String(UnicodeScalar(byte)) : percent(byte, mark: "=")
        }
        return "=?utf-8?Q?\(text.joined())?="
    }

    /// What RFC 2047 lets stand for itself everywhere, in names too.
    private static func isSafe(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "!"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "/"):
            true
        default: false
        }
    }

    static func percent(_ byte: UInt8, mark: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return "\(mark)\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
    }
}
