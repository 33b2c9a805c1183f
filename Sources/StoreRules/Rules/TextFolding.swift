// The standard library's own decomposition: FoundationEssentials has none, and a table would be ours
// to keep.
@_spi(_Unicode) import Swift

/// Makes texts comparable without regard to case and diacritics, and finds the words in them.
///
/// Give a full-text index only words that were folded here, and let its tokenizer split at spaces and change nothing:
/// those of databases know another Unicode, or only ASCII.
public enum TextFolding {
    /// One word of a text.
    public struct Word {
        /// The word without case and diacritics. Empty if it has only marks.
        public var folded: String
        /// Its place in the text.
        public var range: Range<String.Index>
    }

    /// A text in lower case without diacritics.
    public static func fold(_ text: some StringProtocol) -> String {
        let lower = text.lowercased()
        guard lower.utf8.contains(where: { $0 >= 0x80 }) else { return lower }
        var folded = String.UnicodeScalarView()
        for scalar in lower._nfd where !isMark(scalar) { folded.append(scalar) }
        return String(folded)
    }

    /// Whether two names of header fields are the same. Only ASCII letters have two cases in them.
    static func isSameField(_ one: String, _ other: String) -> Bool {
        func folded(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
        return one.utf8.lazy.map(folded).elementsEqual(other.utf8.lazy.map(folded))
    }

    /// The runs of letters and digits.
    public static func words(of text: String) -> [Word] {
        var words: [Word] = []
        eachWord(of: text) { range in
            words.append(Word(folded: fold(text[range]), range: range))
        }
        return words
    }

    /// The folded words of a text with a space between them, as an index stores them.
    public static func wordList(_ text: String) -> String {
        var text = text
        if let list = text.withUTF8(asciiWordList) { return list }
        // The same as folding the words one by one, without making a string of each.
        var list: [UInt8] = []
        list.reserveCapacity(text.utf8.count)
        var isFirst = true
        let table = FoldingTable.shared
        for scalar in text.unicodeScalars {
            let isPart = table.append(scalar, to: &list, dividing: &isFirst)
            if !isPart { isFirst = true }
        }
        return String(decoding: list, as: UTF8.self)
    }

    /// The same for plain ASCII, which most mail is; nil for other text.
    private static func asciiWordList(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        guard !bytes.contains(where: { $0 >= 0x80 }) else { return nil }
        return String(unsafeUninitializedCapacity: bytes.count) { list in
            var count = 0
            var isInWord = false
            for byte in bytes {
                guard isASCIIPartOfWord(byte) else {
                    isInWord = false
                    continue
                }
                if !isInWord, count > 0 {
                    list[count] = UInt8(ascii: " ")
                    count += 1
                }
                isInWord = true
                list[count] = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
                count += 1
            }
            return count
        }
    }

    private static func eachWord(of text: String, _ body: (Range<String.Index>) -> Void) {
        let scalars = text.unicodeScalars
        var start: String.Index?
        var index = scalars.startIndex
        while index < scalars.endIndex {
            if isPartOfWord(scalars[index]) {
                start = start ?? index
            } else if let begin = start {
                body(begin..<index)
                start = nil
            }
            index = scalars.index(after: index)
        }
        if let start { body(start..<text.endIndex) }
    }

    /// Whether a word of the text begins with `beginning`, which is folded and may have several words.
    public static func hasWord(beginningWith beginning: String, in text: String) -> Bool {
        guard !beginning.isEmpty else { return true }
        return words(of: text).contains { fold(text[$0.range.lowerBound...]).hasPrefix(beginning) }
    }

    /// Whether an ASCII character is part of a word.
    @inlinable public static func isASCIIPartOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }

    static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x80 { return isASCIIPartOfWord(UInt8(truncatingIfNeeded: scalar.value)) }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .decimalNumber, .letterNumber, .otherNumber, .privateUse:
            return true
        default: return isMark(scalar)
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
