/// HTML of a message that is being written: what the user wrote, and what it quotes.
///
/// It comes from an editor or from received mail, and is not trusted. It keeps the elements and styles of received mail
/// that are safe, without hidden content, ids and trackers. The rules of style sheets become styles of the elements.
public struct ComposedHTML: Sendable, Hashable {
    /// The content of a body, without the body itself.
    public var html = ""
    /// The Content-IDs of the images in it.
    public var cids: Set<String> = []
    /// Whether it was too long, and its end is missing.
    public var isCut = false
    /// Whether it is received mail with so many styles that what its reader saw is not known. Nothing is kept of it.
    public var isUnknown = false

    /// What is kept, and how.
    public struct Rules {
        /// How images of other servers are written.
        public enum RemoteImages: Sendable {
            /// In `data-src`, which no browser loads.
            case held
            /// In `src`, for the recipients, whose programs decide whether to load them.
            case named
        }

        public var remoteImages = RemoteImages.held
        /// Writes the look into each element, so that programs without a style of their own show the same.
        public var isStyled = false
        /// Leaves out the signature of the message's author, but not those in quotes.
        public var dropsSignature = false
        /// Whether it is received mail, whose signature is not the user's.
        public var isOriginal = false
        /// The Content-ID in the new message of an image with this one; nil if there is no such image.
        public var imageCID: (String) -> String? = { $0 }
        /// The Content-ID in the new message of a part with this Content-Location.
        public var locationCID: (String) -> String? = { _ in nil }
        /// The Content-ID of an image that is in the HTML itself; nil to leave it there.
        public var embeddedCID: (_ dataURL: String) -> String? = { _ in nil }
        /// Longer input is cut: see `HTMLBeginning`.
        public var limit = 10_000_000

        public init() {}
    }

    public init() {}

    public init(_ html: String, _ rules: Rules = Rules()) {
        let beginning = HTMLBeginning(of: html, limit: rules.limit)
        guard let tree = HTMLTree(beginning) else {
            self.html = ComposedParagraphs.html(of: TaglessText.of(beginning.text))
            isCut = true
            return
        }
        var visitor = ComposedVisitor(rules, sheets: Self.sheets(of: html, tree, beginning))
        tree.walk(&visitor)
        self = visitor.result
        isCut = isCut || beginning.isCut
    }

    /// Those behind the end of a long page, too: they are about its beginning as well.
    private static func sheets(
        of html: String, _ tree: borrowing HTMLTree, _ beginning: HTMLBeginning
    ) -> SheetRules {
        guard html.lowercased().containsBytes(of: "<style") else { return .none }
        if beginning.isCut, let whole = HTMLTree(html) { return SheetRules(of: whole) }
        return SheetRules(of: tree)
    }

    /// A whole page, as a message carries it.
    ///
    /// - Parameter isStyled: for recipients; otherwise for a draft, which another program may continue.
    public static func page(of html: String, isStyled: Bool) -> String {
        let content =
            isStyled ? "<div dir=\"auto\" style=\"\(OutgoingLook.text)\">\n\(html)\n</div>" : html
        return
            "<!DOCTYPE html>\n<html>\n<head><meta charset=\"utf-8\"></head>\n<body>\n\(content)\n</body>\n</html>\n"
    }

    /// A page that is passed on: it keeps its own look.
    public static func forwarded(_ html: String) -> String {
        "<div class=\"\(ForwardMark.name)\">\(html)</div>"
    }

    /// Text as HTML that reads the same.
    public static func escaped(_ text: String) -> String {
        var output = HTMLOutput()
        output.text(text)
        return String(decoding: output.bytes, as: UTF8.self)
    }
}
