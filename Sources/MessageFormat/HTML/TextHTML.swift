/// Shows plain text as a page does: with links that work and quotes that can be folded.
public struct TextHTML: Sendable {
    /// Longer text is cut: it would keep a browser busy.
    public var limit = 2_000_000

    public init() {}

    /// - Parameter contentType: the raw `Content-Type` of the part, which may say that lines flow (RFC 3676).
    public func page(of text: String, contentType: String = "") -> SafeHTML {
        var page = SafeHTML()
        page.isTruncated = text.utf8.count > limit
        let flow = FlowedLines.Kind(contentType: contentType)
        let lines = FlowedLines.read(text.prefix(utf8: limit, isHTML: false), flow)
        var writer = TextHTMLWriter()
        writer.write(lines)
        page.html = writer.html
        page.hasQuote = writer.hasQuote
        page.linkHosts = writer.linkHosts
        return page
    }
}

private struct TextHTMLWriter {
    private(set) var hasQuote = false
    private(set) var linkHosts: [String] = []
    private var hosts: Set<String> = []
    private var output = HTMLOutput()
    private var depth = 0

    /// White space stays as it is, and long lines are broken where they have to be.
    private static let style = "white-space: pre-wrap; overflow-wrap: anywhere"

    var html: String { String(decoding: output.bytes, as: UTF8.self) }

    mutating func write(_ lines: [QuotedLine]) {
        output.open("div")
        output.attribute("style", Self.style)
        output.endTag()
        let texts = lines.map(\.text)
        for (index, line) in lines.enumerated() {
            let changesDepth = line.depth != depth
            quote(to: line.depth)
            if index > 0, !changesDepth { output.text("\n") }
            let isIntroduction =
                index + 1 < lines.count && line.depth < Self.depth(after: index, lines)
                && QuoteIntroduction.isOne(at: index, in: texts)
            if isIntroduction { mark("span", "intro") }
            write(line.text)
            if isIntroduction { output.close("span") }
        }
        quote(to: 0)
        output.close("div")
    }

    /// How deep the next line that says something is quoted.
    private static func depth(after index: Int, _ lines: [QuotedLine]) -> Int {
        lines[(index + 1)...].prefix(3).first { $0.text.contains { !$0.isWhitespace } }?.depth ?? 0
    }

    private mutating func quote(to wanted: Int) {
        while depth < wanted {
            hasQuote = true
            mark("blockquote", "quote")
            depth += 1
        }
        while depth > wanted {
            output.close("blockquote")
            depth -= 1
        }
    }

    private mutating func mark(_ element: String, _ value: String) {
        output.open(element)
        output.attribute("data-quote", value)
        output.endTag()
    }

    private mutating func write(_ line: Substring) {
        for piece in TextLinks.pieces(of: line) {
            guard let target = piece.target, let url = LinkURL(target) else {
                output.text(String(piece.text))
                continue
            }
            output.open("a")
            output.attribute("href", url.text)
            output.attribute("rel", "noopener noreferrer")
            output.attribute("target", "_blank")
            output.endTag()
            output.text(String(piece.text))
            output.close("a")
            if let host = url.host, hosts.insert(host).inserted { linkHosts.append(host) }
        }
    }
}
