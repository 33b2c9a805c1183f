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
        var rest = Substring(subject.split(whereSeparator: \.isWhitespace).joined(separator: " "))
        while true {
            let bare = SubjectPrefixes.all.dropped(from: rest)
            rest = withoutList(bare) ?? bare
            guard rest.startIndex > bare.startIndex else { return rest.lowercased() }
        }
    }

    private static func withoutList(_ text: Substring) -> Substring? {
        guard text.first == "[", let end = text.firstIndex(of: "]") else { return nil }
        let rest = text[text.index(after: end)...].drop { $0 == " " }
        return rest.isEmpty ? nil : rest
    }
}
