import MailKernelAPI

/// The words between the tags of an HTML text, for searching. Good enough to find by, not to show.
enum HTMLText {
    private static let unseen: Set<String> = ["script", "style", "head", "title"]
    private static let entities: [(String, String)] = [
        ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&"),
    ]

    static func text(of html: String) -> String {
        var text = ""
        var rest = Substring(html)
        while let open = rest.firstIndex(of: "<") {
            text += rest[..<open]
            rest = afterTag(rest[open...])
            text += " "
        }
        text += rest
        return entities.reduce(text) { $0.replacing($1.0, with: $1.1) }
    }

    /// What follows a tag, or the whole element where nobody sees what is in it.
    private static func afterTag(_ text: Substring) -> Substring {
        if text.hasPrefix("<!--") { return after("-->", in: text) }
        let name = text.dropFirst().prefix { $0.isLetter || $0.isNumber }.lowercased()
        guard unseen.contains(name) else { return after(">", in: text) }
        var rest = after("</", in: text)
        while !rest.isEmpty, rest.prefix(name.count).lowercased() != name { rest = after("</", in: rest) }
        return after(">", in: rest)
    }

    private static func after(_ mark: String, in text: Substring) -> Substring {
        text.firstRange(of: mark).map { text[$0.upperBound...] } ?? ""
    }
}
