/// The text of a message that is written as HTML, as `text/plain` carries it: emphasis is not marked, links have their
/// address behind them, quotes `> ` before each line, and the signature `-- ` above it.
public struct ComposedText: HTMLVisitor {
    private var lines = ComposedLines()
    private var lists: [Int?] = []
    private var links: [(url: String, start: Int)] = []
    /// For each open element, whether it is the line that introduces a quote.
    private var introductions: [Bool] = []
    private var cells: [Int] = []

    public static func of(_ html: String) -> String {
        guard let tree = HTMLTree(html) else { return TaglessText.of(html) }
        var reader = ComposedText()
        tree.walk(&reader)
        return reader.lines.text
    }

    mutating func enter(_ element: HTMLElement) -> Bool {
        if element.isForeign || HiddenContent.unread.contains(element.name) || HiddenContent.isHidden(element)
        {
            return false
        }
        introductions.append(element["class"]?.containsBytes(of: "moz-cite-prefix") ?? false)
        if element["class"]?.containsBytes(of: SignatureMarks.own) ?? false { lines.startSignature() }
        switch element.name {
        case "br": isInCell ? lines.space() : lines.breakLine()
        case "img":
            let name = element["alt"]?.trimmingBlanks() ?? ""
            if !name.isEmpty { lines.add("[\(name)]") }
        case "hr":
            lines.block(gap: 1)
            lines.whole("---")
            lines.block(gap: 1)
        case "ul", "ol":
            lines.block(gap: lists.isEmpty ? 1 : 0)
            lists.append(element.name == "ol" ? element["start"].flatMap { Int($0) } ?? 1 : nil)
        case "li": startItem()
        case "blockquote": lines.startQuote()
        case "pre":
            lines.block(gap: 1)
            lines.preformatted += 1
        case "table":
            lines.block(gap: gap)
            cells.append(0)
        case "tr":
            if !cells.isEmpty { cells[cells.count - 1] = 0 }
            lines.block(gap: 0)
        case "td", "th": startCell()
        case "a": links.append((element["href"] ?? "", lines.position))
        default: block(element.name)
        }
        return true
    }

    mutating func leave(_ name: String) {
        let wasIntroduction = introductions.popLast() ?? false
        switch name {
        case "ul", "ol":
            _ = lists.popLast()
            lines.block(gap: lists.isEmpty ? 1 : 0)
        case "li": lines.endItem()
        case "blockquote": lines.endQuote()
        case "pre":
            lines.preformatted -= 1
            lines.block(gap: 1)
        case "table":
            _ = cells.popLast()
            lines.block(gap: gap)
        case "td", "th": lines.space()
        case "tr": lines.block(gap: 0)
        case "a": endLink()
        default: block(name)
        }
        if wasIntroduction { lines.joinsQuote = true }
    }

    mutating func text(_ text: String) { lines.add(text) }

    /// Within lists, and beside the words of a cell, paragraphs follow one another closely.
    private var gap: Int { lists.isEmpty ? 1 : 0 }

    /// Cells of the user's own tables stay on one line; those of a quote may lay out a whole page.
    private var isInCell: Bool { lines.quotes == 0 && cells.contains { $0 > 0 } }

    private mutating func block(_ name: String) {
        guard TextReader.changesLayout(name) else { return }
        guard !isInCell else { return lines.space() }
        lines.block(gap: Self.spaced.contains(name) ? gap : 0)
    }

    private static let spaced: Set<String> = ["p", "h1", "h2", "h3", "h4", "h5", "h6", "dl", "figure"]

    private mutating func startItem() {
        guard let last = lists.last, let number = last else { return lines.startItem("- ") }
        lines.startItem("\(number). ")
        lists[lists.count - 1] = number &+ 1
    }

    private mutating func startCell() {
        guard let count = cells.last else { return }
        if count > 0, lines.quotes == 0 { lines.separator(" | ") } else { lines.space() }
        cells[cells.count - 1] = count + 1
    }

    private mutating func endLink() {
        guard let link = links.popLast() else { return }
        let url = link.url.trimmingBlanks()
        let text = lines.text(from: link.start)
        let bare = url.lowercased().hasPrefix("mailto:") ? String(url.dropFirst(7)) : url
        guard !text.isEmpty, !bare.isEmpty, !text.containsBytes(of: bare),
            !bare.trimmingBlanks(and: "/").hasSuffix("://" + text)
        else { return }
        lines.add(" <\(bare)>")
    }
}
