/// Header text for people: unfolded, and encoded words (RFC 2047) read.
struct EncodedWords {
    let decode: (Bytes, String) -> Bytes?

    /// The value of a header field in UTF-8.
    func text(of value: Bytes) -> Bytes {
        let line = Self.unfolded(value)
        guard line.contains(UInt8(ascii: "=")) else { return Charset.utf8(line) }
        var text: Bytes = []
        var pending: Bytes = []
        var gap: Bytes = []
        var charset = ""
        var cursor = Cursor(line)
        func flush() {
            if !pending.isEmpty { text += Charset.text(pending, charset, decode) }
            pending = []
        }
        while let byte = cursor.peek {
            if let word = Self.word(&cursor) {
                // Blanks between two encoded words are not part of the text. A character may begin in one and end in
                // the next.
                if charset != word.charset { flush() }
                charset = word.charset
                pending += word.content
                gap = []
                continue
            }
            _ = cursor.next()
            if byte.isSpace, !charset.isEmpty {
                gap.append(byte)
                continue
            }
            flush()
            charset = ""
            text += gap + [byte]
            gap = []
        }
        flush()
        return Charset.utf8(text + gap)
    }

    /// The value in one line.
    static func unfolded(_ value: Bytes) -> Bytes {
        guard value.contains(0x0a) || value.contains(0x0d) else { return value.trimmed() }
        var line: Bytes = []
        var isNew = false
        for byte in value {
            if byte == 0x0a || byte == 0x0d {
                isNew = true
            } else {
                line.append(isNew && byte == 0x09 ? 0x20 : byte)
                isNew = false
            }
        }
        return line.trimmed()
    }

    private static func word(_ cursor: inout Cursor) -> (charset: String, content: Bytes)? {
        let start = cursor.index
        func isToken(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7f && byte != UInt8(ascii: "?") }
        guard cursor.skip("="), cursor.skip("?") else {
            cursor.move(to: start)
            return nil
        }
        let charset = cursor.take(while: isToken)
        guard !charset.isEmpty, cursor.skip("?"), let encoding = cursor.next()?.lowered, cursor.skip("?")
        else {
            cursor.move(to: start)
            return nil
        }
        let content = cursor.take { $0 != UInt8(ascii: "?") && !$0.isSpace || $0 == 0x20 }
        guard cursor.skip("?"), cursor.skip("="),
            let decoded = encoding == UInt8(ascii: "b")
                ? TransferText.base64(content)
                : encoding == UInt8(ascii: "q") ? TransferText.quoted(content) : nil
        else {
            cursor.move(to: start)
            return nil
        }
        // A language may follow the charset (RFC 2231).
        let name = charset.prefix { $0 != UInt8(ascii: "*") }
        return (Bytes(name).lowered.text, decoded)
    }
}

/// The two encodings of encoded words.
enum TransferText {
    static func base64(_ text: Bytes) -> Bytes? {
        var (bits, count, decoded): (UInt32, Int, Bytes) = (0, 0, [])
        for byte in text where byte != UInt8(ascii: "=") && !byte.isSpace {
            guard let value = sextet(byte) else { return nil }
            bits = (bits << 6 | value) & 0xffffff
            count += 6
            if count >= 8 {
                count -= 8
                decoded.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return decoded
    }

    private static func sextet(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x41...0x5a: UInt32(byte - 0x41)
        case 0x61...0x7a: UInt32(byte - 0x61 + 26)
        case 0x30...0x39: UInt32(byte - 0x30 + 52)
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }

    static func quoted(_ text: Bytes) -> Bytes {
        let underscore = UInt8(ascii: "_")
        return unescaped(Bytes(text.map { $0 == underscore ? 0x20 : $0 }), after: UInt8(ascii: "="))
    }

    /// As parameters (RFC 2231) and addresses of links have them.
    static func percentDecoded(_ text: Bytes) -> Bytes { unescaped(text, after: UInt8(ascii: "%")) }

    /// Bytes that are written as a sign and two hexadecimal digits; what is not stays as it is.
    private static func unescaped(_ text: Bytes, after sign: UInt8) -> Bytes {
        var cursor = Cursor(text)
        var plain: Bytes = []
        while let byte = cursor.next() {
            if byte == sign, let high = hex(cursor.peek), let low = hex(cursor.peek(1)) {
                plain.append(high << 4 | low)
                cursor.move(to: cursor.index + 2)
            } else {
                plain.append(byte)
            }
        }
        return plain
    }

    static func hex(_ byte: UInt8?) -> UInt8? {
        switch byte {
        case let digit? where digit.isDigit: digit - 0x30
        case let letter? where letter.lowered >= 0x61 && letter.lowered <= 0x66: letter.lowered - 0x57
        default: nil
        }
    }
}

/// Text in UTF-8, whatever it was in.
enum Charset {
    static func text(_ bytes: Bytes, _ charset: String, _ decode: (Bytes, String) -> Bytes?) -> Bytes {
        switch charset.lowered {
        case "", "utf-8", "utf8", "us-ascii", "ascii": utf8(bytes)
        case "iso-8859-1", "latin1":
            bytes.flatMap { $0 < 0x80 ? [$0] : [0xc0 | $0 >> 6, 0x80 | $0 & 0x3f] }
        default: utf8(decode(bytes, charset.lowered) ?? bytes)
        }
    }

    /// The bytes, with replacement characters for what is not UTF-8.
    static func utf8(_ bytes: Bytes) -> Bytes {
        guard bytes.contains(where: { $0 >= 0x80 }), String(validating: bytes, as: UTF8.self) == nil else {
            return bytes
        }
        return Bytes(bytes.text.utf8)
    }
}
