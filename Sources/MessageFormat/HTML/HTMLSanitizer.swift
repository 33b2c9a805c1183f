/// Makes the HTML of a message safe to show.
///
/// The output contains only elements, attributes and style properties from a list, so nothing in it runs,
/// submits, loads from elsewhere or covers its surroundings. Remote images are blocked and counted. Trackers
/// are always removed.
///
/// The output is intended for a separate frame without scripts; quoted parts carry `data-quote` (see
/// `SafeHTML`).
public struct HTMLSanitizer: Sendable {
    /// The URL at which the page finds a remote image, given its HTTPS address; nil for an image that is not
    /// shown. Without this function, none are. The result is written to the page unescaped.
    public var remoteURL: (@Sendable (String) -> String?)?
    /// The URL at which the page finds the part of the message that has this address (RFC 2557); nil if there is
    /// none. The address is as it stands in the HTML; the result is written to the page unescaped.
    public var locationURL: (@Sendable (String) -> String?)?
    /// Whether an image with this HTTPS address could be shown if the user asked for it.
    public var isLoadable: @Sendable (String) -> Bool = { _ in true }
    /// Longer input is cut: see `HTMLBeginning`.
    public var limit = 10_000_000

    public init(remoteURL: (@Sendable (String) -> String?)? = nil) {
        self.remoteURL = remoteURL
    }

    /// - Parameter imageURL: the address under which the page finds the part with a Content-ID; nil if there
    ///   is none, and the image stays empty. It is written into the page as it is: a path or a `data:` URL.
    public func sanitize(_ html: String, imageURL: (_ cid: String) -> String?) -> SafeHTML {
        let beginning = HTMLBeginning(of: html, limit: limit)
        guard let tree = HTMLTree(beginning) else {
            var page = TextHTML().page(of: TaglessText.of(beginning.text))
            page.isTruncated = true
            return page
        }
        return withoutActuallyEscaping(imageURL) { imageURL in
            var cleaner = HTMLCleaner(
                remote: RemoteContent(remoteURL: remoteURL, isLoadable: isLoadable), outputLimit: 2 * limit,
                imageURL: imageURL, locationURL: locationURL)
            tree.walk(&cleaner)
            var result = cleaner.result
            result.isTruncated = result.isTruncated || beginning.isCut
            return result
        }
    }
}

/// Sanitized HTML, and information about it.
public struct SafeHTML: Sendable, Hashable {
    /// A style sheet, if there is one, and one `div` that holds the body.
    ///
    /// Quoted parts are marked: `data-quote="intro"` is the line that says who wrote what follows,
    /// `data-quote="quote"` an element that is quoted as a whole, `data-quote="rest"` one from which on all
    /// that follows is quoted.
    public var html = ""
    /// Images of other servers that are not shown, and would be if the user asked for them.
    public var blockedImageCount = 0
    /// What other servers have that is never loaded.
    public var refused = Refused()
    /// Images that were there to report that the message was opened.
    public var removedTrackerCount = 0
    /// The hosts that links lead to, each once, in the order of the text.
    public var linkHosts: [String] = []
    public var hasQuote = false
    /// The message was too long, and its end is missing.
    public var isTruncated = false

    /// How much of a message is never loaded, by the reason.
    public struct Refused: Sendable, Hashable {
        /// Images that are offered without encryption alone.
        public var insecure = 0
        /// Images whose address is not one, or leads to a network that is not public.
        public var address = 0
        /// Style sheets and fonts.
        public var style = 0
        /// Videos, frames and other embedded content.
        public var other = 0

        public init() {}

        public var total: Int { insecure + address + style + other }

        static func + (one: Refused, other: Refused) -> Refused {
            var sum = one
            sum.insecure += other.insecure
            sum.address += other.address
            sum.style += other.style
            sum.other += other.other
            return sum
        }
    }

    /// All that is not shown of what other servers have.
    public var blockedRemoteCount: Int { blockedImageCount + refused.total }
}

extension SafeHTML {
    /// An image as a page, for messages with images between their texts.
    ///
    /// - Parameters:
    ///   - url: written as it is.
    ///   - text: the alternative text.
    public static func image(at url: String, text: String) -> SafeHTML {
        var output = HTMLOutput()
        output.open("div")
        output.endTag()
        output.open("img")
        output.attribute("src", url)
        output.attribute("alt", text)
        output.endTag()
        output.close("div")
        var page = SafeHTML()
        page.html = String(decoding: output.bytes, as: UTF8.self)
        return page
    }

    /// All of them, one below the other.
    public static func joined(_ pages: [SafeHTML]) -> SafeHTML {
        var whole = SafeHTML()
        var hosts: Set<String> = []
        for page in pages {
            whole.html += page.html
            whole.blockedImageCount += page.blockedImageCount
            whole.refused = whole.refused + page.refused
            whole.removedTrackerCount += page.removedTrackerCount
            whole.linkHosts += page.linkHosts.filter { hosts.insert($0).inserted }
            whole.hasQuote = whole.hasQuote || page.hasQuote
            whole.isTruncated = whole.isTruncated || page.isTruncated
        }
        return whole
    }
}
