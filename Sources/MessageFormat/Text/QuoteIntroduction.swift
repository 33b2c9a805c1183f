/// The lines with which mail programs introduce quotes.
enum QuoteIntroduction {
    /// Whether the line at `index` says who wrote what follows: “On … wrote:”, over one or two lines.
    static func isOne(at index: Int, in lines: [Substring]) -> Bool {
        let line = lines[index]
        if endsInColon(line) {
            return isOne(line)
                || index > 0 && begins(lines[index - 1]) && isOne(lines[index - 1] + " " + line)
        }
        return index + 1 < lines.count && endsInColon(lines[index + 1]) && begins(line)
            && isOne(line + " " + lines[index + 1])
    }

    static func isOne(_ line: some StringProtocol) -> Bool {
        guard line.utf8.count < 400, line.utf8.count > 8 else { return false }
        let text = String(line).trimmingBlanks()
        guard text.last == ":" || text.last == "：" else { return false }
        guard text.utf8.contains(where: { $0 >= 0x30 && $0 <= 0x39 }) || text.contains("@") else {
            return false
        }
        let lower = text.lowercased()
        return ways.contains { lower.hasPrefix($0.start) && lower.containsBytes(of: $0.verb) }
    }

    /// Whether the line ends in a colon, in ASCII or in full width.
    private static func endsInColon(_ line: Substring) -> Bool {
        let end = line.utf8.reversed().first { $0 > 0x20 }
        return end == UInt8(ascii: ":") || end == 0x9A
    }

    private static func begins(_ line: Substring) -> Bool {
        guard line.utf8.count < 200, line.utf8.count > 8 else { return false }
        let lower = line.lowercased()
        return ways.contains { !$0.start.isEmpty && lower.hasPrefix($0.start) }
    }

    /// “-----Original Message-----” and its kind: all behind it is quoted.
    static func isSeparator(_ line: Substring) -> Bool {
        guard line.utf8.count < 200 else { return false }
        let text = String(line).trimmingBlanks()
        guard text.hasPrefix("---") || text.hasPrefix("___") else { return false }
        if text.utf8.count >= 30, text.utf8.allSatisfy({ $0 == UInt8(ascii: "_") }) { return true }
        let words = text.trimmingBlanks(and: "-_").lowercased()
        return separators.contains(words)
    }

    private static let separators: Set<String> = [
        "original message", "forwarded message", "ursprüngliche nachricht", "weitergeleitete nachricht",
        "message d'origine", "message original", "message transféré", "mensaje original",
        "messaggio originale", "messaggio inoltrato", "oorspronkelijk bericht", "mensagem original",
        "ursprungligt meddelande", "oprindelig meddelelse", "původní zpráva", "исходное сообщение",
        "пересылаемое сообщение", "original-nachricht",
    ]

    private static let ways: [(start: String, verb: String)] = [
        ("on ", "wrote"), ("am ", "schrieb"), ("le ", "écrit"), ("el ", "escribió"), ("il ", "scritto"),
        ("op ", "schreef"), ("em ", "escreveu"), ("den ", "skrev"), ("dne ", "napsal"), ("w dniu ", "pisze"),
        ("dnia ", "napisał"), ("vào ", "đã viết"), ("пн", "пишет"), ("", "написал"), ("", "schrieb am"),
        ("", "写道"), ("", "のメッセージ"), ("", "님이 작성"),
    ]
}
