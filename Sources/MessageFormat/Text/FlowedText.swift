/// Plain text whose paragraphs may be wrapped again by the reader (RFC 3676).
public enum FlowedText {
    /// Lines of up to 72 characters; a line that continues in the next one ends in a space.
    public static func from(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { lines(of: $0.last == "\r" ? $0.dropLast() : $0) }.joined(separator: "\n")
    }

    private static func lines(of paragraph: Substring) -> String {
        if paragraph == "-- " { return "-- " }
        // Quoted text is kept unchanged.
        if paragraph.first == ">" { return trimmed(paragraph) }
        var lines: [String] = []
        var line: String?
        for word in trimmed(paragraph).split(separator: " ", omittingEmptySubsequences: false) {
            guard let begun = line else {
                line = String(word)
                continue
            }
            if begun.count + 1 + word.count > 72, !word.isEmpty, begun.contains(where: { $0 != " " }) {
                lines.append(begun + " ")
                line = String(word)
            } else {
                line = "\(begun) \(word)"
            }
        }
        lines.append(line ?? "")
        return lines.map(stuffed).joined(separator: "\n")
    }

    private static func trimmed(_ paragraph: Substring) -> String {
        var text = paragraph
        while text.last == " " { text.removeLast() }
        return String(text)
    }

    /// Adds a space in front of a line that would be misinterpreted.
    private static func stuffed(_ line: String) -> String {
        line.hasPrefix(" ") || line.hasPrefix(">") || line.hasPrefix("From ") ? " \(line)" : line
    }
}
