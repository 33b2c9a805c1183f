/// Text to read, made from HTML.
public enum PlainText {
    /// The text of a page, with lists, quotes and links written as in plain-text mail. Hidden content is left
    /// out.
    ///
    /// - Parameter links: whether to add the URLs of links after their text.
    public static func from(html: String, links: Bool = true) -> String {
        guard let tree = HTMLTree(html) else { return TaglessText.of(html) }
        var reader = TextReader(showsLinks: links)
        tree.walk(&reader)
        return reader.result
    }

    /// Its beginning, of `enough` bytes outside quotes as far as there are so many: no more of the page is
    /// read than that takes. Links are their text.
    static func beginning(of html: String, enough: Int) -> String {
        PageBeginning.text(of: html, enough: enough) ?? from(html: html, links: false)
    }
}
