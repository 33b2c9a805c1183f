/// The characters that HTML writes as `&name;` or `&#number;`.
enum CharacterReferences {
    /// Nil if there is one whose meaning is not known here.
    static func decode(_ text: ArraySlice<UInt8>) -> String? {
        var rest = text
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            decoded += rest[..<start]
            rest = rest[start...].dropFirst()
            guard let reference = Self.reference(rest) else { return nil }
            decoded += reference.character.utf8
            rest = rest.dropFirst(reference.length)
        }
        decoded += rest
        return String(decoding: decoded, as: UTF8.self)
    }

    /// - Parameter text: what follows the ampersand.
    private static func reference(_ text: ArraySlice<UInt8>) -> (character: String, length: Int)? {
        let isNumber = text.first == UInt8(ascii: "#")
        let name = text.prefix(longest).dropFirst(isNumber ? 1 : 0).prefix(while: isPartOfName)
        let end = name.endIndex
        let hasSemicolon = end < text.endIndex && text[end] == UInt8(ascii: ";")
        let length = end - text.startIndex + (hasSemicolon ? 1 : 0)
        if isNumber { return character(number: name).map { ($0, length) } }
        let word = String(decoding: name, as: UTF8.self)
        if hasSemicolon, !word.isEmpty { return named[word].map { ($0, length) } }
        // The oldest names need none, and are found at the beginning of words; AT&T has no such name in it.
        for count in stride(from: min(word.utf8.count, 6), to: 1, by: -1) {
            let beginning = String(word.prefix(count))
            if old.contains(beginning), let character = named[beginning] { return (character, count) }
        }
        return ("&", 0)
    }

    private static let longest = 12

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
    }

    private static func character(number digits: ArraySlice<UInt8>) -> String? {
        let isHexadecimal = digits.first.map { $0 | 0x20 == UInt8(ascii: "x") } ?? false
        let number = UInt32(
            String(decoding: digits.dropFirst(isHexadecimal ? 1 : 0), as: UTF8.self),
            radix: isHexadecimal ? 16 : 10)
        guard let number, number > 0 else { return nil }
        // Browsers take them for what Windows means by them.
        if (0x80...0x9F).contains(number) {
            return Charset.windows1252.text([UInt8(number)].span).text
        }
        return Unicode.Scalar(number).map { String(Character($0)) }
    }

    /// Those that occur in mail. There are 2000 more.
    private static let named: [String: String] = {
        var named = [
            "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "AMP": "&", "LT": "<", "GT": ">",
            "QUOT": "\"", "OElig": "Œ", "oelig": "œ", "Scaron": "Š", "scaron": "š", "Yuml": "Ÿ",
            "fnof": "ƒ", "circ": "ˆ", "tilde": "˜", "ensp": "\u{2002}", "emsp": "\u{2003}",
            "thinsp": "\u{2009}", "zwnj": "\u{200C}", "zwj": "\u{200D}", "lrm": "\u{200E}", "rlm": "\u{200F}",
            "ndash": "–", "mdash": "—", "lsquo": "‘", "rsquo": "’", "sbquo": "‚", "ldquo": "“",
            "rdquo": "”", "bdquo": "„", "dagger": "†", "Dagger": "‡", "bull": "•", "hellip": "…",
            "permil": "‰", "prime": "′", "Prime": "″", "lsaquo": "‹", "rsaquo": "›", "euro": "€",
            "trade": "™", "larr": "←", "uarr": "↑", "rarr": "→", "darr": "↓", "harr": "↔", "minus": "−",
            "infin": "∞", "asymp": "≈", "ne": "≠", "le": "≤", "ge": "≥", "loz": "◊", "hearts": "♥",
            "check": "✓", "star": "☆", "nbsp": "\u{A0}",
        ]
        for (place, name) in latin.enumerated() {
            named[name] = Unicode.Scalar(0xA1 + UInt32(place)).map { String(Character($0)) }
        }
        return named
    }()

    private static let old = Set(latin + ["amp", "lt", "gt", "quot", "AMP", "LT", "GT", "QUOT", "nbsp"])

    /// From U+00A1 on.
    private static let latin = """
        iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 \
        acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde \
        Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute \
        Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc \
        atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve \
        oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml
        """.split(separator: " ").map { String($0) }
}
