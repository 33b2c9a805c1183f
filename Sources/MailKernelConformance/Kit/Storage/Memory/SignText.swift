/// Signs that are looked for as they are, where there is no word.
enum SignText {
    /// More are not looked for: each is looked for in every text.
    static let most = 64

    /// Without what only chooses between two pictures of one sign.
    static func plain(_ text: String) -> String {
        guard text.utf8.contains(0xEF) else { return text }
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where !(0xFE00...0xFE0F).contains(scalar.value) {
            plain.append(scalar)
        }
        return String(plain)
    }

    static func occurs(_ sign: String, in text: String) -> Bool { !ranges(of: sign, in: text).isEmpty }

    /// Where the sign stands in a text, one after the other.
    static func ranges(of sign: String, in text: String) -> [Range<String.Index>] {
        let wanted = Array(sign.unicodeScalars)
        guard let first = wanted.first else { return [] }
        let scalars = text.unicodeScalars
        var found: [Range<String.Index>] = []
        var start = scalars.startIndex
        while let begin = scalars[start...].firstIndex(of: first) {
            start = scalars.index(after: begin)
            guard let end = end(of: wanted, in: scalars[begin...]) else { continue }
            found.append(begin..<end)
            start = end
        }
        return found
    }

    private static func end(of wanted: [Unicode.Scalar], in text: Substring.UnicodeScalarView) -> String
        .Index?
    {
        var rest = wanted[...]
        var index = text.startIndex
        while let next = rest.first {
            guard index < text.endIndex else { return nil }
            if text[index] == next {
                rest = rest.dropFirst()
            } else if !(0xFE00...0xFE0F).contains(text[index].value) {
                return nil
            }
            index = text.index(after: index)
        }
        return index
    }
}
