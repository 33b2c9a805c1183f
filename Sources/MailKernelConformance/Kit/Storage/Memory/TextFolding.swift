import FoundationEssentials
// The standard library's own decomposition: FoundationEssentials has none, and a table would be ours
// to keep.
@_spi(_Unicode) import Swift

/// Makes texts comparable without regard to case and diacritics, and finds the words in them.
enum TextFolding {
    /// One word of a text, folded, and where it stands.
    struct Word {
        var folded: String
        var range: Range<String.Index>
    }

    static func fold(_ text: some StringProtocol) -> String {
        let lower = text.lowercased()
        guard lower.utf8.contains(where: { $0 >= 0x80 }) else { return lower }
        var folded = String.UnicodeScalarView()
        for scalar in lower._nfd where !isMark(scalar) { folded.append(scalar) }
        return String(folded)
    }

    /// Whether two names of header fields are one: of letters, those of ASCII alone come in two cases.
    static func isSameField(_ one: String, _ other: String) -> Bool {
        func folded(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
        return one.utf8.lazy.map(folded).elementsEqual(other.utf8.lazy.map(folded))
    }

    /// The runs of letters and digits.
    static func words(of text: String) -> [Word] {
        let scalars = text.unicodeScalars
        var words: [Word] = []
        var start: String.Index?
        for index in scalars.indices {
            if isPartOfWord(scalars[index]) {
                start = start ?? index
            } else if let begin = start {
                words.append(Word(folded: fold(text[begin..<index]), range: begin..<index))
                start = nil
            }
        }
        if let start {
            words.append(Word(folded: fold(text[start...]), range: start..<text.endIndex))
        }
        return words
    }

    /// Whether the text has `beginning`, which is folded and may be of several words, at the start of a word.
    static func hasWord(beginningWith beginning: String, in text: String) -> Bool {
        guard !beginning.isEmpty else { return true }
        return words(of: text).contains { fold(text[$0.range.lowerBound...]).hasPrefix(beginning) }
    }

    private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0..<0x80: false
        default:
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
                .decimalNumber, .letterNumber, .otherNumber, .privateUse:
                true
            default: isMark(scalar)
            }
        }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300 else { return false }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return false
        }
    }
}
