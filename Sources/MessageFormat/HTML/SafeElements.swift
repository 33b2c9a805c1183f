/// The elements that are allowed in a page.
enum SafeElements {
    static let allowed: Set<String> = [
        "a", "abbr", "acronym", "address", "article", "aside", "b", "bdi", "bdo", "big", "blockquote", "body",
        "br", "caption", "center", "cite", "code", "col", "colgroup", "dd", "del", "details", "dfn", "dir",
        "div", "dl", "dt", "em", "figcaption", "figure", "font", "footer", "h1", "h2", "h3", "h4", "h5", "h6",
        "header", "hr", "i", "img", "ins", "kbd", "li", "main", "mark", "menu", "nav", "ol", "p", "pre", "q",
        "rp", "rt", "ruby", "s", "samp", "section", "small", "span", "strike", "strong", "sub", "summary",
        "sup", "table", "tbody", "td", "tfoot", "th", "thead", "time", "tr", "tt", "u", "ul", "var", "wbr",
    ]

    static let void: Set<String> = ["br", "col", "hr", "img", "wbr"]

    /// Gone with all that is in them. Of other elements that are not allowed only the tags go.
    static let dropped: Set<String> = [
        "script", "template", "title", "iframe", "frame", "frameset", "noframes", "object", "embed", "applet",
        "audio", "video", "source", "track", "canvas", "svg", "math", "select", "textarea", "input", "link",
        "meta", "base", "param", "noembed", "xmp", "plaintext", "listing", "map", "area", "datalist",
        "keygen",
        "isindex", "bgsound", "portal", "dialog",
    ]

    /// Dropped elements that hold others with addresses.
    static let media: Set<String> = ["video", "audio", "object"]

    private static let attributes: Set<String> = [
        "abbr", "align", "alt", "bgcolor", "border", "cellpadding", "cellspacing", "class", "clear", "color",
        "colspan", "datetime", "dir", "face", "headers", "height", "hspace", "id", "lang", "noshade",
        "nowrap",
        "open", "reversed", "role", "rowspan", "scope", "size", "span", "start", "title", "type", "valign",
        "value", "vspace", "width", "aria-label", "aria-hidden", "hidden", "text",
    ]

    static func isAllowed(_ attribute: HTMLElement.Attribute, of element: String) -> Bool {
        switch attribute.name {
        case "name": element == "a"
        case "type", "value", "start", "reversed": element == "ol" || element == "ul" || element == "li"
        case "text": false
        default: attributes.contains(attribute.name)
        }
    }
}
