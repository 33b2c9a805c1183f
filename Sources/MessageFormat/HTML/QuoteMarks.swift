/// Finds the parts of a page that are quoted, by the marks of the programs that wrote them.
struct QuoteMarks {
    private(set) var hasFound = false
    /// The end of the text so far, to see whether it introduces a quote.
    private var recent = ""
    private var isRecentFinal = false

    /// The value of `data-quote` for an element that begins here.
    mutating func enter(_ element: HTMLElement) -> String? {
        let mark = mark(of: element)
        if mark != nil, mark != "intro" { hasFound = true }
        pass(element)
        return mark
    }

    /// An element begins; its tag is not written.
    mutating func pass(_ element: HTMLElement) {
        if Self.blocks.contains(element.name) { isRecentFinal = true }
    }

    mutating func leave(_ name: String) {
        if Self.blocks.contains(name) { isRecentFinal = true }
    }

    mutating func text(_ text: String) {
        guard text.utf8.contains(where: { $0 > 0x20 }) else { return }
        if isRecentFinal || recent.utf8.count > 400 { recent = "" }
        isRecentFinal = false
        recent += text.utf8.count > 400 ? String(text.suffix(200)) : text
    }

    private func mark(of element: HTMLElement) -> String? {
        if element.name == "blockquote" {
            if element["type"]?.lowercased() == "cite" { return "quote" }
            let line = recent.replacing("\n", with: " ").replacing("\u{A0}", with: " ")
            if QuoteIntroduction.isOne(line) { return "quote" }
        }
        if let id = element["id"], let mark = Self.ids[id.lowercased()] { return mark }
        if let names = element["class"] {
            for name in names.split(separator: " ") {
                if let mark = Self.classes[name.lowercased()] { return mark }
            }
        }
        guard element.name == "div", let style = element["style"], style.utf8.count < 400 else { return nil }
        return Self.isOutlookBorder(style) ? "rest" : nil
    }

    /// Outlook draws a line above the header of a quote.
    private static func isOutlookBorder(_ style: String) -> Bool {
        let plain = style.lowercased().filter { !$0.isWhitespace }
        guard plain.hasPrefix("border:none;border-top:solid#") else { return false }
        return plain.containsBytes(of: "#b5c4df") || plain.containsBytes(of: "#e1e1e1")
    }

    private static let classes = [
        "gmail_quote": "quote", "gmail_extra": "quote", "yahoo_quoted": "quote", "moz-cite-prefix": "intro",
        "gmail_attr": "intro", "protonmail_quote": "quote", "tutanota_quote": "quote", "zmail_extra": "quote",
        "outlookmessageheader": "rest", "moz-forward-container": "quote", "moz-email-headers-table": "intro",
        "quoted-text": "quote", "apple-mail-quote": "quote", "freebirdoriginalmsg": "quote",
    ]

    private static let ids = [
        "divrplyfwdmsg": "rest", "appendonsend": "rest", "olk_src_body_section": "quote",
        "mail-editor-reference-message-container": "quote", "replyintro": "intro", "reply-intro": "intro",
        "yahoo_quoted": "quote", "isforwardcontent": "quote", "stopspelling": "rest",
    ]

    private static let blocks: Set<String> = [
        "div", "p", "br", "tr", "li", "table", "blockquote", "hr", "h1", "h2", "h3", "h4", "pre", "ul", "ol",
    ]
}
