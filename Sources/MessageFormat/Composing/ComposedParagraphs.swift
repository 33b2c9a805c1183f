/// Plain text as paragraphs of HTML, its quotes as quotes.
public struct ComposedParagraphs {
    private var output = HTMLOutput()
    private var depth = 0
    private var isInParagraph = false

    /// - Parameters:
    ///   - contentType: the raw `Content-Type` of the part, which may say that lines flow (RFC 3676).
    ///   - dropsSignature: without the author's signature, from `-- ` to the next quote.
    public static func html(of text: String, contentType: String = "", dropsSignature: Bool = false) -> String
    {
        var lines = FlowedLines.read(text[...], FlowedLines.Kind(contentType: contentType))
        if dropsSignature { lines = withoutSignature(lines) }
        var writer = ComposedParagraphs()
        for line in lines { writer.write(line) }
        writer.endParagraph()
        writer.quote(to: 0)
        return String(decoding: writer.output.bytes, as: UTF8.self)
    }

    private static func withoutSignature(_ lines: [QuotedLine]) -> [QuotedLine] {
        let texts = lines.map(\.text)
        guard let start = lines.firstIndex(where: { $0.depth == 0 && $0.text == "-- " }) else { return lines }
        let end = lines.indices[(start + 1)...].first { index in
            lines[index].depth > 0 || QuoteIntroduction.isSeparator(texts[index])
                || QuoteIntroduction.isOne(at: index, in: texts)
        }
        return Array(lines[..<start]) + lines[(end ?? lines.endIndex)...]
    }

    private mutating func write(_ line: QuotedLine) {
        quote(to: line.depth)
        if line.text.utf8.allSatisfy({ $0 <= 0x20 }) {
            endParagraph()
            return
        }
        if isInParagraph {
            output.open("br")
        } else {
            output.open("p")
            isInParagraph = true
        }
        output.endTag()
        write(line.text)
    }

    private mutating func write(_ line: Substring) {
        for piece in TextLinks.pieces(of: line) {
            guard let url = piece.target.flatMap(LinkURL.init) else {
                output.text(Self.spaced(piece.text, isFirst: piece.text.startIndex == line.startIndex))
                continue
            }
            output.open("a")
            output.attribute("href", url.text)
            output.endTag()
            output.text(String(piece.text))
            output.close("a")
        }
    }

    /// Spaces in a row, and those that begin a line, stay as wide as they are.
    private static func spaced(_ text: Substring, isFirst: Bool) -> String {
        var spaced = String.UnicodeScalarView()
        var afterSpace = isFirst
        for scalar in text.unicodeScalars {
            if scalar == "\t" {
                spaced.append(contentsOf: "\u{A0}\u{A0}\u{A0} ".unicodeScalars)
            } else {
                spaced.append(scalar == " " && afterSpace ? "\u{A0}" : scalar)
            }
            afterSpace = scalar == " " && !afterSpace
        }
        return String(spaced)
    }

    private mutating func quote(to wanted: Int) {
        if wanted != depth { endParagraph() }
        while depth < wanted {
            output.open("blockquote")
            output.attribute("type", "cite")
            output.endTag()
            depth += 1
        }
        while depth > wanted {
            output.close("blockquote")
            depth -= 1
        }
    }

    private mutating func endParagraph() {
        if isInParagraph { output.close("p") }
        isInParagraph = false
    }
}
