/// The prefixes that mail programs add to the subject of replies and forwarded messages, in many languages.
public enum SubjectPrefix {
    /// The subject of a reply: one “Re:”, and behind it one “Fwd:” if the message was forwarded.
    public static func reply(to subject: String) -> String {
        let rest = without(replies, subject)
        let bare = without(replies.union(forwards), subject)
        // Behind the replies there is a forward, or the same text.
        return rest == bare ? "Re: " + bare : "Re: Fwd: " + bare
    }

    /// The subject of a forwarded message: one “Fwd:” in place of all prefixes.
    public static func forward(of subject: String) -> String {
        "Fwd: " + without(replies.union(forwards), subject)
    }

    /// A mailing list's “[name]” before the prefixes keeps its place.
    private static func without(_ prefixes: Set<String>, _ subject: String) -> String {
        let text = inOrder(subject).trimmingBlanks()[...]
        var rest = stripped(text, prefixes)
        guard rest.first == "[", let end = rest.prefix(80).firstIndex(of: "]") else { return String(rest) }
        let tag = rest[...end]
        let behind = trimmed(rest[rest.index(after: end)...])
        let bare = stripped(behind, prefixes)
        if bare.startIndex == behind.startIndex { return String(rest) }
        rest = bare
        return rest.isEmpty ? String(tag) : "\(tag) \(rest)"
    }

    /// Without the characters that turn the order of others around: the page shows a subject without them, and who
    /// answers does not pass them on.
    private static func inOrder(_ subject: String) -> String {
        var scalars = subject.unicodeScalars
        scalars.removeAll { (0x202A...0x202E).contains($0.value) || (0x2066...0x2069).contains($0.value) }
        return String(scalars)
    }

    private static func stripped(_ text: Substring, _ prefixes: Set<String>) -> Substring {
        var rest = text
        while let next = behindOne(rest, prefixes) { rest = next }
        return rest
    }

    /// What follows one prefix: a word, perhaps a count as in `Re[2]`, `Re(3)` or `Re^4`, and a colon.
    private static func behindOne(_ text: Substring, _ prefixes: Set<String>) -> Substring? {
        guard let colon = text.prefix(24).firstIndex(where: { $0 == ":" || $0 == "：" }) else { return nil }
        var word = trimmed(text[..<colon])
        if let last = word.last, last == "]" || last == ")" {
            guard let open = word.lastIndex(where: { $0 == "[" || $0 == "(" }),
                word[open...].dropFirst().dropLast().allSatisfy(\.isNumber)
            else { return nil }
            word = trimmed(word[..<open])
        } else if let hat = word.lastIndex(of: "^"), word[hat...].dropFirst().allSatisfy(\.isNumber) {
            word = word[..<hat]
        }
        // One letter is a prefix in Italian, as a capital only.
        guard prefixes.contains(word.count == 1 ? String(word) : word.lowercased()) else { return nil }
        return trimmed(text[text.index(after: colon)...])
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    private static let replies: Set<String> = [
        "re", "aw", "antw", "antwort", "sv", "vs", "vá", "odp", "rif", "R", "res", "resp", "ref", "ynt",
        "yanıt",
        "bls", "atb", "tl", "trả lời", "απ", "σχετ", "отв", "ответ", "відп", "одг", "השב", "תשובה", "رد",
        "پاسخ",
        "回复", "回覆", "答复", "答覆", "返信", "회신", "답장", "ตอบ", "ตอบกลับ", "re pá", "ats", "atsakymas", "відповідь",
    ]

    private static let forwards: Set<String> = [
        "fw", "fwd", "wg", "wtr", "weiterleitung", "tr", "rv", "enc", "I", "i̇lt", "ilt", "doorst", "doorgest",
        "vb", "vl", "pd", "fs", "továbbítás", "továbbít", "trs", "πρθ", "пересл", "пер", "переслано", "הועבר",
        "إعادة توجيه", "转发", "轉寄", "轉發", "転送", "전달", "ส่งต่อ", "chuyển tiếp", "videres", "vid", "videresendt",
    ]
}
