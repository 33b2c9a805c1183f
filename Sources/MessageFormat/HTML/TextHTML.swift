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

/// A line of text without its quote marks.
struct QuotedLine: Hashable {
    var depth: Int
    var text: Substring
}

/// Reads lines, and joins those that were broken for the way only (RFC 3676).
enum FlowedLines {
    enum Kind {
        case fixed
        case flowed(deletesSpace: Bool)

        init(contentType: String) {
            let words = contentType.lowercased().filter { !$0.isWhitespace && $0 != "\"" }
            self =
                words.containsBytes(of: "format=flowed")
                ? .flowed(deletesSpace: words.containsBytes(of: "delsp=yes")) : .fixed
        }
    }

    static func read(_ text: Substring, _ kind: Kind) -> [QuotedLine] {
        // By bytes: to Swift a CR and LF are one character.
        let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { bytes in
            let line = Substring(bytes)
            return self.line(line.last == "\r" ? line.dropLast() : line)
        }
        guard case .flowed(let deletesSpace) = kind else { return lines }
        var joined: [QuotedLine] = []
        /// What the last line is put together from.
        var pieces: [Substring] = []
        var isOpen = false
        for var line in lines {
            if line.text.first == " " { line.text = line.text.dropFirst() }
            let isSignature = line.text == "-- "
            let flows = line.text.last == " " && !isSignature
            if flows, deletesSpace { line.text = line.text.dropLast() }
            if isOpen, !isSignature, let last = joined.last, last.depth == line.depth {
                pieces.append(line.text)
            } else {
                join(&pieces, into: &joined)
                joined.append(line)
                pieces = [line.text]
            }
            isOpen = flows
        }
        join(&pieces, into: &joined)
        return joined
    }

    private static func join(_ pieces: inout [Substring], into lines: inout [QuotedLine]) {
        if pieces.count > 1 { lines[lines.count - 1].text = Substring(pieces.joined()) }
        pieces = []
    }

    private static func line(_ line: Substring) -> QuotedLine {
        var rest = line
        var depth = 0
        while depth < 20 {
            // `> > text` is quoted twice; the space before text that is not quoted further belongs to it.
            let inner = depth > 0 && rest.first == " " ? rest.dropFirst() : rest
            guard inner.first == ">" else { break }
            rest = inner.dropFirst()
            depth += 1
        }
        if depth > 0, rest.first == " " { rest = rest.dropFirst() }
        return QuotedLine(depth: depth, text: rest)
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
