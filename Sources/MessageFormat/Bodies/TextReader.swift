/// Writes down a page as text.
struct TextReader: HTMLVisitor {
    private var page = TextPage()
    private let showsLinks: Bool
    private var lists: [Int?] = []
    private var links: [(url: String, start: Int)] = []

    init(showsLinks: Bool) {
        self.showsLinks = showsLinks
    }

    var result: String { page.result }

    /// Bytes written so far.
    var count: Int { page.count }

    mutating func enter(_ element: HTMLElement) -> Bool {
        if element.isForeign || HiddenContent.unread.contains(element.name) || HiddenContent.isHidden(element)
        {
            return false
        }
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

    /// Whether an element is more than its words in the line.
    static func changesLayout(_ name: String) -> Bool { blocks.contains(name) || structures.contains(name) }

    private static let structures: Set<String> = [
        "p", "h1", "h2", "h3", "h4", "h5", "h6", "dl", "table", "figure", "ul", "ol", "li", "blockquote",
        "pre", "td", "th",
    ]
    private static let blocks: Set<String> = [
        "div", "tr", "section", "article", "header", "footer", "main", "nav", "aside", "address", "center",
        "dt", "dd", "form", "fieldset", "caption", "figcaption", "body",
    ]
}
