/// Which emails belong to one thread. Every store must follow these rules.
///
/// Two emails of an account are in one thread if they are connected by Message-ID, In-Reply-To or References,
/// over any number of steps, even through messages that are not in the store. Of more than 100 references,
/// the first and the last 99 count.
///
/// Two emails with neither In-Reply-To nor References are in one thread if all of this holds:
///
/// - They have the same normalized subject, which is not empty, and at least one of them has a prefix such as
///   "Re:" before it.
/// - They are between the same two people: each was sent by one of them (`from`, or `sender` if there is no
///   `from`) and names the other in `from`, `sender`, `to` or `cc`. So the user's own address, which is on
///   every message, connects nothing, and a stranger who guesses a subject joins no thread. Of an email that
///   names many people, at least the first 16 such pairs count.
/// - They were received at most 30 days apart.
///
/// Threads depend on the set of emails only, not on the order in which they arrived: an email that connects
/// two threads merges them, and the smaller id (as text) remains. The emails of the other thread count as
/// updated, since their thread has changed.
///
/// Removing or replacing an email does not split a thread: a thread remembers the references and subjects of
/// removed and replaced emails until its last email is gone. So an answer to a message that is no longer on
/// this device still finds its thread. The store decides how to make ids of new threads.
public enum Threading {
    /// The most days between two emails that are connected by their subjects only.
    public static let subjectWindowDays = 30

    /// The subject without "Re:", "Fwd:" and their like in common languages, without a mailing list's
    /// "[name]" in front, in lower case and with single spaces.
    public static func normalizedSubject(_ subject: String) -> String {
        var rest = Substring(
            subject.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " "))
        while let shorter = withoutPrefix(rest) { rest = shorter }
        return String(rest)
    }

    private static let prefixes: Set<Substring> = [
        "re", "fw", "fwd", "aw", "wg", "sv", "vs", "vb", "vl", "tr", "rv", "res", "enc", "odp", "pd", "rif",
        "i",
        "antw", "doorst", "ynt", "ilt", "отв", "回复", "转发", "回覆", "轉寄",
    ]

    private static func withoutPrefix(_ text: Substring) -> Substring? {
        if text.first == "[", let end = text.firstIndex(of: "]") {
            let rest = text[text.index(after: end)...].drop { $0 == " " }
            return rest.isEmpty ? nil : rest
        }
        guard let colon = text.prefix(12).firstIndex(where: { $0 == ":" || $0 == "：" }) else { return nil }
        // "Re[2]:" and "Re (3):" count as well.
        let word = text[..<colon].prefix { $0 != "[" && $0 != "(" }
        guard prefixes.contains(word.last == " " ? word.dropLast() : word) else { return nil }
        return text[text.index(after: colon)...].drop { $0 == " " }
    }
}
