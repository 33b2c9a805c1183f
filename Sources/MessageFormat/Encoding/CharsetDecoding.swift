extension Charset {
    struct Decoded {
        var text: String
        var hasProblem: Bool
    }

    /// Decodes the bytes to text. Never fails: invalid input becomes U+FFFD and sets the problem flag.
    ///
    /// - Parameter isBody: line ends become a single line feed and NULs are left out.
    func text(_ bytes: Span<UInt8>, isBody: Bool = false) -> Decoded {
        let (utf8, hasProblem) = utf8(bytes)
        return Decoded(
            text: String(decoding: isBody ? Self.plainLines(utf8) : utf8, as: UTF8.self),
            hasProblem: hasProblem)
    }

    private func utf8(_ bytes: Span<UInt8>) -> (utf8: [UInt8], hasProblem: Bool) {
        switch kind {
        case .utf8: Self.fromUTF8(bytes)
        case .guess: Self.guessed(bytes)
        case .windows1252: (Self.fromWindows1252(bytes), false)
        case .utf7: OldCharsets.fromUTF7(bytes)
        case .hz: Self.converted(OldCharsets.gb18030(fromHZ: bytes).span, from: "gb18030")
        case .iso2022(let language): Self.fromISO2022(bytes, language)
        case .eucJP: Self.unlessUTF8(bytes, hasPairs: true, ISO2022.utf8(fromEUCJP: bytes))
        case .mac(let name): (MacCharsets.utf8(bytes, name), false)
        case .named(let name): Self.converted(bytes, from: name)
        case .unknown: Self.fromUnknown(bytes)
        }
    }

    private static func converted(_ bytes: Span<UInt8>, from name: String) -> ([UInt8], Bool) {
        guard let converter = Converter(name) else { return fromUnknown(bytes) }
        if name.hasPrefix("utf-16") || name.hasPrefix("ucs-2"), isPlainText(bytes) { return guessed(bytes) }
        return unlessUTF8(bytes, hasPairs: converter.hasPairs, converter.convert(bytes))
    }

    private static func fromISO2022(_ bytes: Span<UInt8>, _ language: ISO2022.Language) -> ([UInt8], Bool) {
        let copy = array(bytes, from: 0)
        // Without an escape, eight bits are another charset of that language.
        if !isASCII(copy), !copy.contains(0x1B) { return fromUnknown(bytes) }
        return unlessUTF8(bytes, hasPairs: false, ISO2022.utf8(bytes, language))
    }

    private static func fromUTF8(_ bytes: Span<UInt8>) -> ([UInt8], Bool) {
        let start = bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF ? 3 : 0
        let copy = array(bytes, from: start)
        if isASCII(copy), hasJapaneseEscape(copy) { return (ISO2022.utf8(copy.span, .japanese).utf8, true) }
        if isValid(copy) { return (copy, false) }
        // Windows text under the name of UTF-8 has hardly any valid sequence in it, and broken UTF-8 has most of its
        // bytes in them.
        let found = Sequences(bytes)
        return found.strayBytes > 2 * found.all ? (fromWindows1252(bytes), true) : (copy, true)
    }

    private static func guessed(_ bytes: Span<UInt8>) -> ([UInt8], Bool) {
        if bytes.count >= 2, bytes[0] == 0xFF && bytes[1] == 0xFE || bytes[0] == 0xFE && bytes[1] == 0xFF,
            let converter = Converter("utf-16")
        {
            return converter.convert(bytes)
        }
        let (utf8, hasProblem) = fromUTF8(bytes)
        // Japanese in seven bits is read by now.
        guard hasProblem, !isASCII(array(bytes, from: 0)) else { return (utf8, hasProblem) }
        return (fromWindows1252(bytes), true)
    }

    private static func fromUnknown(_ bytes: Span<UInt8>) -> ([UInt8], Bool) {
        let copy = array(bytes, from: 0)
        if isValid(copy) { return (fromUTF8(bytes).0, true) }
        // Read directly: where iconv lacks the charset, decoding by its name would ask for a guess again.
        switch detected(bytes).map({ Charset(name: $0).kind }) {
        case .eucJP: return (ISO2022.utf8(fromEUCJP: bytes).utf8, true)
        case .named(let name):
            if let converter = Converter(name) { return (converter.convert(bytes).utf8, true) }
        default: break
        }
        return (fromWindows1252(bytes), true)
    }

    private static func fromWindows1252(_ bytes: Span<UInt8>) -> [UInt8] {
        let copy = array(bytes, from: 0)
        if isASCII(copy) { return copy }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + bytes.count / 8)
        for index in bytes.indices {
            let byte = bytes[index]
            if byte < 0x80 {
                output.append(byte)
            } else if byte < 0xA0 {
                output += Self.highControls[Int(byte) - 0x80].utf8
            } else {
                output.append(0xC0 | byte >> 6)
                output.append(0x80 | byte & 0x3F)
            }
        }
        return output
    }

    /// What 0x80 to 0x9F are; the five that are nothing are U+FFFD.
    private static let highControls = [
        "€", "\u{FFFD}", "‚", "ƒ", "„", "…", "†", "‡", "ˆ", "‰", "Š", "‹", "Œ", "\u{FFFD}", "Ž", "\u{FFFD}",
        "\u{FFFD}", "‘", "’", "“", "”", "•", "–", "—", "˜", "™", "š", "›", "œ", "\u{FFFD}", "ž", "Ÿ",
    ]

    static func array(_ bytes: Span<UInt8>, from start: Int) -> [UInt8] {
        bytes.withUnsafeBufferPointer { Array($0.dropFirst(start)) }
    }

    private static func plainLines(_ utf8: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var rest = utf8[...]
        while let odd = rest.firstIndex(where: { $0 == 0x0D || $0 == 0 }) {
            if output.isEmpty { output.reserveCapacity(utf8.count) }
            output += rest[..<odd]
            rest = rest[odd...].dropFirst()
            if utf8[odd] == 0x0D, rest.first != 0x0A { output.append(0x0D) }
        }
        guard rest.count < utf8.count else { return utf8 }
        output += rest
        return output
    }
}
