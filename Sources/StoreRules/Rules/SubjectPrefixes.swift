/// The prefixes that mail programs put before the subject of replies and forwarded messages, in many languages.
public struct SubjectPrefixes: Sendable {
    /// Those of replies, such as “Re:”.
    public static let replies = SubjectPrefixes([
        "re", "aw", "antw", "antwort", "sv", "vs", "vá", "odp", "rif", "R", "res", "resp", "ref", "ynt",
        "yanıt", "bls", "atb", "tl", "trả lời", "απ", "σχετ", "отв", "ответ", "відп", "одг", "השב", "תשובה",
        "رد", "پاسخ", "回复", "回覆", "答复", "答覆", "返信", "회신", "답장", "ตอบ", "ตอบกลับ", "re pá", "ats", "atsakymas",
        "відповідь",
    ])
    /// Those of forwarded messages, such as “Fwd:”.
    public static let forwards = SubjectPrefixes([
        "fw", "fwd", "wg", "wtr", "weiterleitung", "tr", "rv", "enc", "I", "i̇lt", "ilt", "doorst", "doorgest",
        "vb", "vl", "pd", "fs", "továbbítás", "továbbít", "trs", "πρθ", "пересл", "пер", "переслано", "הועבר",
        "إعادة توجيه", "转发", "轉寄", "轉發", "転送", "전달", "ส่งต่อ", "chuyển tiếp", "videres", "vid", "videresendt",
    ])
    /// Those of replies and of forwarded messages.
    public static let all = SubjectPrefixes(replies.words.union(forwards.words))

    /// In lower case, but for single letters.
    private let words: Set<String>

    private init(_ words: Set<String>) { self.words = words }

    /// What follows the prefixes at the start of the text.
    public func dropped(from text: Substring) -> Substring {
        var rest = text
        while let next = behindOne(rest) { rest = next }
        return rest
    }

    /// What follows one prefix: a word, perhaps a count as in `Re[2]`, `Re(3)` or `Re^4`, and a colon.
    private func behindOne(_ text: Substring) -> Substring? {
        guard let colon = text.prefix(24).firstIndex(where: { $0 == ":" || $0 == "：" }) else { return nil }
        var word = text[..<colon].trimmed
        if let last = word.last, last == "]" || last == ")" {
            guard let open = word.lastIndex(where: { $0 == "[" || $0 == "(" }),
                word[open...].dropFirst().dropLast().allSatisfy(\.isNumber)
            else { return nil }
            word = word[..<open].trimmed
        } else if let hat = word.lastIndex(of: "^"), word[hat...].dropFirst().allSatisfy(\.isNumber) {
            word = word[..<hat]
        }
        // One letter is a prefix in Italian, as a capital only.
        guard words.contains(word.count == 1 ? String(word) : word.lowercased()) else { return nil }
        return text[text.index(after: colon)...].trimmed
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var text = self
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
