/// Charsets that write other letters in ASCII, and that iconv does not know or reads too strictly.
enum OldCharsets {
    /// UTF-7 (RFC 2152): UTF-16 in base64 between `+` and `-`.
    static func fromUTF7(_ bytes: Span<UInt8>) -> (utf8: [UInt8], hasProblem: Bool) {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count)
        var hasProblem = false
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            guard byte == UInt8(ascii: "+") else {
                units.append(byte < 0x80 ? UInt16(byte) : 0xFFFD)
                if byte >= 0x80 { hasProblem = true }
                continue
            }
            let start = index
            var (bits, count): (UInt32, Int) = (0, 0)
            while index < bytes.count, let digit = base64Value(bytes[index]) {
                bits = bits << 6 | digit
                count += 6
                if count >= 16 {
                    count -= 16
                    units.append(UInt16(truncatingIfNeeded: bits >> UInt32(count)))
                }
                index += 1
            }
            let isClosed = index < bytes.count && bytes[index] == UInt8(ascii: "-")
            if index == start {
                // A plus sign, as `+-` or as programs forget to write it.
                units.append(UInt16(UInt8(ascii: "+")))
                if !isClosed { hasProblem = true }
            }
            if isClosed { index += 1 }
        }
        return (Array(String(decoding: units, as: UTF16.self).utf8), hasProblem)
    }

    /// HZ (RFC 1843): GB 2312 in seven bits between `~{` and `~}`, as the bytes of GB 18030.
    static func gb18030(fromHZ bytes: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var isChinese = false
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            index += 1
            if byte == UInt8(ascii: "~"), let mode = mode(after: next, isChinese) {
                isChinese = mode
                index += 1
                if next == 0x0D, index < bytes.count, bytes[index] == 0x0A { index += 1 }
                if next == UInt8(ascii: "~") { output.append(byte) }
            } else if byte == 0x0A {
                // Each line begins in ASCII.
                isChinese = false
                output.append(byte)
            } else if isChinese, isInTable(byte), isInTable(next) {
                output += [byte | 0x80, next | 0x80]
                index += 1
            } else {
                output.append(byte)
            }
        }
        return output
    }

    /// What a tilde and this byte turn on or off; nil if they mean nothing.
    private static func mode(after byte: UInt8, _ isChinese: Bool) -> Bool? {
        switch byte {
        case UInt8(ascii: "{"): true
        case UInt8(ascii: "}"): false
        case UInt8(ascii: "~") where !isChinese, 0x0A where !isChinese, 0x0D where !isChinese: false
        default: nil
        }
    }

    private static func isInTable(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }

    static func base64Value(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) + 4
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
