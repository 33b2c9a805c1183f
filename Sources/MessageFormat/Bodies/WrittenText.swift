public import MailKernelAPI

/// The new text of a message, for language models: without quotes and signature.
public enum WrittenText {
    /// - Parameter limit: in bytes of UTF-8; the text is cut there, never within a character.
    public static func of(_ body: EmailBody, limit: Int = 4000) -> String {
        var written: [String] = []
        var quoted: [String] = []
        for part in BodyParts.split(body.structure).textBody {
            guard let value = part.partID.flatMap({ body.values[$0] })?.value else { continue }
            let text =
                part.type == "text/html"
                ? PlainText.beginning(of: value, enough: limit)
                : String(value.prefix(utf8: 65_536, isHTML: false))
            let (own, other) = split(text)
            written += own
            quoted += other
        }
        // A message that only quotes is represented by its quotes.
        let lines = written.isEmpty ? quoted : written
        return String(lines.joined(separator: "\n").prefix(utf8: limit, isHTML: false))
    }

    /// The same of a text: what the author wrote.
    public static func of(text: String) -> String { split(text).written.joined(separator: "\n") }

    private static func split(_ text: String) -> (written: [String], quoted: [String]) {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        var written: [String] = []
        var quoted: [String] = []
        for (index, line) in lines.enumerated() {
            if line.utf8.first == UInt8(ascii: ">") {
                quoted.append(String(line.drop { $0 == ">" || $0 == " " }))
                continue
            }
            if line == "-- " || line == "--" || QuoteIntroduction.isSeparator(line) { break }
            if QuoteIntroduction.isOne(at: index, in: lines) { continue }
            let visible = line.unicodeScalars.filter { !$0.isInvisible || $0 == "\t" }
            let words = String(String.UnicodeScalarView(visible)).split(whereSeparator: \.isWhitespace)
            // Empty lines part paragraphs: one of them is enough.
            if words.isEmpty, written.last?.isEmpty ?? true { continue }
            written.append(words.joined(separator: " "))
        }
        while written.last?.isEmpty == true { written.removeLast() }
        return (written, quoted)
    }
}
