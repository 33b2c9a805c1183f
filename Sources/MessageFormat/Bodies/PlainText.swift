/// Text to read, made from HTML.
public enum PlainText {
    /// What a page says, with lists, quotes and links in the way that plain mail writes them. What is hidden
    /// on the page is left out.
    ///
    /// - Parameter links: whether the addresses of links are given behind their text.
    public static func from(html: String, links: Bool = true) -> String {
        guard let tree = HTMLTree(html) else { return TaglessText.of(html) }
        var reader = TextReader(showsLinks: links)
        tree.walk(&reader)
        return reader.result
    }

    /// Enough of it for a preview: the whole page is read only if its beginning says nothing.
    static func beginning(of html: String) -> String {
        let body = withoutHead(html)
        let beginning = String(Substring(body.utf8.prefix(mostAtFirst + 4)))
        for size in [3_072, 8_192, mostAtFirst] {
            let text = from(html: String(beginning.prefix(utf8: size, isHTML: true)), links: false)
            if text.utf8.count > 400 || body.utf8.count <= size { return text }
        }
        return from(html: html, links: false)
    }

    private static let mostAtFirst = 65_536

    /// Style sheets fill the beginning of many newsletters.
    private static func withoutHead(_ html: String) -> Substring {
        let head = html.utf8.prefix(200_000)
        var index = head.startIndex
        while let start = head[index...].firstIndex(of: UInt8(ascii: "<")) {
            let word = head[start...].prefix(5)
            if word.elementsEqual("<body".utf8, by: { $0 | 0x20 == $1 | 0x20 }) {
                return html[start...]
            }
            index = head.index(after: start)
        }
        return html[...]
    }
}

/// Writes down a page as text.
private struct TextReader: HTMLVisitor {
    private var page = TextPage()
    private let showsLinks: Bool
    private var lists: [Int?] = []
    private var links: [(url: String, start: Int)] = []

    init(showsLinks: Bool) {
        self.showsLinks = showsLinks
    }

    var result: String { page.result }

    mutating func enter(_ element: HTMLElement) -> Bool {
        if HiddenContent.unread.contains(element.name) || HiddenContent.isHidden(element) { return false }
        switch element.name {
        case "br": page.breakLine()
        case "hr":
            page.startBlock(gap: 1)
            page.add("---")
            page.startBlock(gap: 1)
        case "p", "h1", "h2", "h3", "h4", "h5", "h6", "dl", "table", "figure": page.startBlock(gap: gap)
        case "ul", "ol":
            page.startBlock(gap: lists.isEmpty ? 1 : 0)
            lists.append(element.name == "ol" ? 1 : nil)
        case "li": startItem()
        case "blockquote":
            page.startBlock(gap: 1)
            page.quotes += 1
        case "pre":
            page.startBlock(gap: 1)
            page.preformatted += 1
        case "td", "th": page.addSpace()
        case "img": page.add(element["alt"]?.trimmingBlanks() ?? "")
        case "a": links.append((element["href"] ?? "", page.count))
        default: if Self.blocks.contains(element.name) { page.startBlock(gap: 0) }
        }
        return true
    }

    mutating func leave(_ name: String) {
        switch name {
        case "p", "h1", "h2", "h3", "h4", "h5", "h6", "dl", "table", "figure": page.startBlock(gap: gap)
        case "ul", "ol":
            _ = lists.popLast()
            page.startBlock(gap: lists.isEmpty ? 1 : 0)
        case "blockquote":
            page.startBlock(gap: 1)
            page.quotes -= 1
        case "pre":
            page.preformatted -= 1
            page.startBlock(gap: 1)
        case "td", "th": page.addSpace()
        case "a": endLink()
        default: if name == "li" || Self.blocks.contains(name) { page.startBlock(gap: 0) }
        }
    }

    mutating func text(_ text: String) {
        page.add(text)
    }

    /// Within lists and tables paragraphs follow one another closely.
    private var gap: Int { lists.isEmpty ? 1 : 0 }

    private mutating func startItem() {
        page.startBlock(gap: 0)
        let indent = String(repeating: "  ", count: min(max(lists.count - 1, 0), 20))
        if let last = lists.last, let number = last {
            page.addMark("\(indent)\(number). ")
            lists[lists.count - 1] = number + 1
        } else {
            page.addMark("\(indent)- ")
        }
    }

    private mutating func endLink() {
        guard let link = links.popLast(), showsLinks else { return }
        let url = link.url.trimmingBlanks()
        guard page.count > link.start, let scheme = url.firstIndex(of: ":") else { return }
        let known = ["http", "https", "mailto"].contains(url[..<scheme].lowercased())
        let text = page.text(from: link.start)
        let bare = url.lowercased().hasPrefix("mailto:") ? String(url.dropFirst(7)) : url
        guard known, !text.containsBytes(of: bare), !bare.hasSuffix("://" + text) else { return }
        page.add(" <\(bare)>")
    }

    private static let blocks: Set<String> = [
        "div", "tr", "section", "article", "header", "footer", "main", "nav", "aside", "address", "center",
        "dt", "dd", "form", "fieldset", "caption", "figcaption", "body",
    ]
}
