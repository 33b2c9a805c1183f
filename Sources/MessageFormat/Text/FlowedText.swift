/// Plain text whose paragraphs may be wrapped again by the reader (RFC 3676).
public enum FlowedText {
    /// Of a line, with its line end's space.
    private static let width = 72

    /// Lines of up to 72 characters; a line that continues in the next one ends in a space.
    public static func from(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { lines(of: $0.last == "\r" ? $0.dropLast() : $0) }.joined(separator: "\n")
    }

    private static func lines(of paragraph: Substring) -> String {
        if paragraph == "-- " { return "-- " }
        let marks = paragraph.prefix { $0 == ">" }
        if marks.isEmpty {
            return wrapped(trimmed(paragraph), to: width).map(stuffed).joined(separator: "\n")
        }
        // Quoted lines stay as they are, but for paragraphs that were never broken.
        if paragraph.count <= width + 6 { return trimmed(paragraph) }
        let content = paragraph.dropFirst(marks.count)
        return wrapped(
            trimmed(content.first == " " ? content.dropFirst() : content), to: width - marks.count - 1
        )
        .map { "\(marks) \($0)" }.joined(separator: "\n")
    }

    private static func wrapped(_ paragraph: String, to width: Int) -> [String] {
        var lines: [String] = []
        var line: String?
        for word in paragraph.split(separator: " ", omittingEmptySubsequences: false) {
            guard let begun = line else {
                line = String(word)
                continue
            }
            if begun.count + 1 + word.count > width, !word.isEmpty, begun.contains(where: { $0 != " " }) {
                lines.append(begun + " ")
                line = String(word)
            } else {
                line = "\(begun) \(word)"
            }
        }
        return lines + [line ?? ""]
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
