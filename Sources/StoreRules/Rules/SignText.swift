public import MailKernelAPI

/// Symbols in a search that are not next to a word. They are matched literally, in the texts themselves: an index has
/// only words.
public enum SignText {
    /// A search looks for this many symbols at most, because each is searched in every text.
    static let most = 64
    /// A store reads this many emails of an account for symbols, the newest.
    public static let longestSearch = 10_000

    /// Without the selector between two pictures of one symbol.
    static func plain(_ text: String) -> String {
        guard text.utf8.contains(0xEF) else { return text }
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where !(0xFE00...0xFE0F).contains(scalar.value) {
            plain.append(scalar)
        }
        return String(plain)
    }

    /// Whether each of the symbols occurs in at least one of these fields of an email.
    public static func occur(
        _ signs: [String], in fields: [SearchableText.Field], of email: Email, _ body: EmailBody
    ) -> Bool {
        var missing = signs
        for field in fields {
            for text in SearchableText.texts(of: field, email, body) {
                missing.removeAll { occurs($0, in: text) }
                if missing.isEmpty { return true }
            }
        }
        return missing.isEmpty
    }

    private static func occurs(_ sign: String, in text: SearchableText.Raw) -> Bool {
        // Making text of markup takes long; a sign that is not in the markup can only be behind an entity.
        guard text.isMarkup else { return !ranges(of: sign, in: text.text).isEmpty }
        guard text.text.utf8.contains(UInt8(ascii: "&")) || !ranges(of: sign, in: text.text).isEmpty else {
            return false
        }
        return !ranges(of: sign, in: HTMLText.text(of: text.text)).isEmpty
    }

    /// The positions of the symbol in a text, in order.
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
