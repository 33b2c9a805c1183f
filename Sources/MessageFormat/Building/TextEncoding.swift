/// How a text is sent.
enum TextEncoding {
    /// With the line ends of mail.
    static func canonical(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + text.utf8.count / 32)
        var previous: UInt8 = 0
        for byte in text.utf8 {
            if byte == 0x0A {
                if previous == 0x0D { bytes.removeLast() }
                bytes += [0x0D, 0x0A]
                previous = 0
                continue
            }
            if previous == 0x0D { bytes.append(0x0A) }
            // NUL may not occur in mail at all.
            if byte != 0 { bytes.append(byte) }
            previous = byte
        }
        if previous == 0x0D { bytes.append(0x0A) }
        return bytes
    }

    /// The encoding in which no server has a reason to touch the text.
    static func best(for bytes: [UInt8]) -> TransferEncoding {
        var (line, longest, high, isMangled) = (0, 0, 0, false)
        for (index, byte) in bytes.enumerated() {
            if byte == 0x0A {
                line = 0
                continue
            }
            if line == 0, byte == UInt8(ascii: "F"), bytes[index...].starts(with: "From ".utf8) {
                isMangled = true
            }
            if byte != 0x0D { line += 1 }
            longest = max(longest, line)
            if byte >= 0x80 || byte == 0x7F || byte < 0x20 && byte != 0x0D && byte != 0x09 { high += 1 }
        }
        if high == 0, longest <= 78, !isMangled { return .sevenBit }
        return high * 3 > bytes.count ? .base64 : .quotedPrintable
    }

    /// - Parameter bytes: text with CRLF line ends.
    static func quotedPrintable(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + bytes.count / 4)
        var column = 0
        for (index, byte) in bytes.enumerated() {
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0x0D
            if byte == 0x0D, next == 0x0A { continue }
            if byte == 0x0A, index > 0, bytes[index - 1] == 0x0D {
                output += [0x0D, 0x0A]
                column = 0
                continue
            }
            let isBlankAtEnd = (byte == 0x20 || byte == 0x09) && next == 0x0D
            // Servers rewrite a line that begins with “From ” or is a single dot.
            let isTouched = column == 0 && (byte == UInt8(ascii: "F") || byte == UInt8(ascii: "."))
            let isPlain =
                (byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "=") || byte == 0x09) && !isBlankAtEnd
                && !isTouched
            let width = isPlain ? 1 : 3
            if column + width > 75 {
                output += [UInt8(ascii: "="), 0x0D, 0x0A]
                column = 0
            }
            if isPlain { output.append(byte) } else { output += EncodedWords.percent(byte, mark: "=").utf8 }
            column += width
        }
        return output
    }
}
