import StoreRules

/// The subject of replies and forwarded messages, with one prefix in place of those that programs have added.
public enum SubjectLine {
    /// The subject of a reply: one “Re:”, and behind it one “Fwd:” if the message was forwarded.
    public static func reply(to subject: String) -> String {
        let rest = without(.replies, subject)
        let bare = without(.all, subject)
        // Behind the replies there is a forward, or the same text.
        return rest == bare ? "Re: " + bare : "Re: Fwd: " + bare
    }

    /// The subject of a forwarded message: one “Fwd:” in place of all prefixes.
    public static func forward(of subject: String) -> String {
        "Fwd: " + without(.all, subject)
    }

    /// A mailing list's “[name]” before the prefixes keeps its place.
    private static func without(_ prefixes: SubjectPrefixes, _ subject: String) -> String {
        let text = inOrder(subject).trimmingBlanks()[...]
        var rest = prefixes.dropped(from: text)
        guard rest.first == "[", let end = rest.prefix(80).firstIndex(of: "]") else { return String(rest) }
        let tag = rest[...end]
        let behind = rest[rest.index(after: end)...].drop(while: \.isWhitespace)
        let bare = prefixes.dropped(from: behind)
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
}
