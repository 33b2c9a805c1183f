/// Walks through a page and writes the allowed parts.
struct HTMLCleaner: HTMLVisitor {
    private let outputLimit: Int
    private let imageURL: (String) -> String?
    private let locationURL: ((String) -> String?)?

    private var remote: RemoteContent
    private var report = SafeHTML()
    private var output = HTMLOutput()
    private var styles: [UInt8] = []
    private var hosts: Set<String> = []
    private var quotes = QuoteMarks()
    /// So many more addresses are compared with Content-Locations: each comparison resolves one.
    private var locationsLeft = 10_000
    /// For each open element, whether its tag was written.
    private var written: [Bool] = []
    /// The number of open tags in the output.
    private var depth = 0
    /// The style sheet that is being read.
    private var sheet: String?
    /// Open elements from the outermost hidden one on.
    private var hiddenDepth = 0
    /// Open elements from the outermost dropped one on. Nothing in it is written, but what it would load is counted.
    private var droppedDepth = 0

    /// Three times what the longest digest of a mailing list has. More would take seconds to check, here and in the page.
    private static let mostAddresses = 10_000
    /// Links and images so far.
    private var addresses = 0

    /// Deeper elements are written without their tags: no page needs them, and browsers give up at 512.
    private static let deepest = 256

    init(
        remote: RemoteContent, outputLimit: Int, imageURL: @escaping (String) -> String?,
        locationURL: ((String) -> String?)?
    ) {
        self.remote = remote
        self.outputLimit = outputLimit
        self.imageURL = imageURL
        self.locationURL = locationURL
    }

    var result: SafeHTML {
        var result = report
        let style = styles.isEmpty ? [] : Array("<style>".utf8) + styles + Array("</style>".utf8)
        result.html = String(decoding: style + output.bytes, as: UTF8.self)
        result.hasQuote = quotes.hasFound
        result.blockedImageCount = remote.blockedImages
        result.removedTrackerCount = remote.trackers
        result.refused = remote.refused
        return result
    }

    mutating func enter(_ element: HTMLElement) -> Bool {
        if ["a", "area", "img"].contains(element.name) { addresses += 1 }
        if output.bytes.count > outputLimit || addresses > Self.mostAddresses {
            report.isTruncated = true
            return false
        }
        if droppedDepth == 0, isImageButton(element) {
            writeImage(element)
            return false
        }
        if droppedDepth > 0 || element.isForeign || SafeElements.dropped.contains(element.name) {
            return drop(element)
        }
        if element.name == "style" { sheet = "" }
        if hiddenDepth > 0 || HiddenContent.isHidden(element) { hiddenDepth += 1 }
        remote.isHidden = hiddenDepth > 0
        let isWritten = write(element)
        written.append(isWritten)
        return true
    }

    mutating func leave(_ name: String) {
        if droppedDepth > 0 {
            droppedDepth -= 1
            return
        }
        if name == "style", let text = sheet {
            styles += StyleFilter.sheet(text, &remote).utf8
            sheet = nil
        }
        if hiddenDepth > 0 { hiddenDepth -= 1 }
        remote.isHidden = hiddenDepth > 0
        quotes.leave(name)
        guard written.popLast() ?? false else { return }
        if !SafeElements.void.contains(name) {
            depth -= 1
            output.close(name == "body" ? "div" : name)
        }
    }

    mutating func text(_ text: String) {
        if droppedDepth > 0 { return }
        if sheet != nil {
            sheet?.append(text)
            return
        }
        quotes.text(text)
        output.text(text)
    }

    // MARK: Elements

    private mutating func write(_ element: HTMLElement) -> Bool {
        guard SafeElements.allowed.contains(element.name), depth < Self.deepest else {
            quotes.pass(element)
            return false
        }
        if element.name == "img" {
            writeImage(element)
            return false
        }
        output.open(element.name == "body" ? "div" : element.name)
        let mark = quotes.enter(element)
        for attribute in element.attributes { writeCommon(attribute, of: element.name) }
        writeStyle(of: element)
        if let mark { output.attribute("data-quote", mark) }
        if element.name == "a" { writeLink(element) }
        output.endTag()
        if !SafeElements.void.contains(element.name) { depth += 1 }
        return true
    }

    private mutating func writeCommon(_ attribute: HTMLElement.Attribute, of name: String) {
        if attribute.name != "style", SafeElements.isAllowed(attribute, of: name) {
            output.attribute(attribute.name, attribute.value)
        }
    }

    /// The style, with the image that an attribute of old puts behind an element.
    private mutating func writeStyle(of element: HTMLElement) {
        var style: [String] = []
        if let source = element["background"].map(LinkURL.cleaned), !source.isEmpty {
            if RemoteURL.isRemote(source), case .shown(let url, _) = remote.image(source) {
                style.append("background-image:\(StyleFilter.image(at: url))")
            } else {
                style.append(StyleFilter.blockedImage)
            }
        }
        if let text = element["style"] {
            let kept = StyleFilter.declarations(text, &remote)
            if !kept.isEmpty { style.append(kept) }
        }
        if !style.isEmpty { output.attribute("style", style.joined(separator: ";")) }
    }

    private mutating func writeLink(_ element: HTMLElement) {
        guard let target = element["href"], let url = LinkURL(target) else { return }
        output.attribute("href", url.text)
        if url.isFragment { return }
        output.attribute("rel", "noopener noreferrer")
        output.attribute("target", "_blank")
        if let host = url.host, hosts.insert(host).inserted { report.linkHosts.append(host) }
    }

    private mutating func writeImage(_ element: HTMLElement) {
        var source = LinkURL.cleaned(element["src"] ?? "")
        if source.isEmpty {
            source = element["srcset"].flatMap(RemoteURL.first(srcset:)).map(LinkURL.cleaned) ?? ""
        }
        let located = located(source)
        guard located == nil, RemoteURL.isRemote(source) else {
            openImage(element)
            if let url = located ?? embedded(source) { output.attribute("src", url) }
            output.endTag()
            return
        }
        switch remote.image(source, isTracker: TrackingPixel.isOne(element, url: source)) {
        case .tracker: return
        case .blocked:
            openImage(element)
            output.attribute("data-blocked", "remote")
        case .shown(let url, let wasPlain):
            openImage(element)
            output.attribute("src", url)
            output.attribute("data-remote", wasPlain ? "http" : "https")
        }
        output.endTag()
    }

    private mutating func openImage(_ element: HTMLElement) {
        output.open("img")
        for attribute in element.attributes { writeCommon(attribute, of: "img") }
        writeStyle(of: element)
    }

    /// A form's button that is an image: it can be looked at like any other.
    private func isImageButton(_ element: HTMLElement) -> Bool {
        element.name == "input" && element["type"]?.lowercased().trimmingBlanks() == "image"
    }

    /// The address of a part with this Content-Location.
    private mutating func located(_ source: String) -> String? {
        guard let locationURL, locationsLeft > 0 else { return nil }
        locationsLeft -= 1
        return locationURL(source)
    }

    /// The address of an image that came with the message.
    private func embedded(_ source: String) -> String? {
        let scheme = source.prefix(5).lowercased()
        if scheme.hasPrefix("cid:") { return imageURL(LinkURL.unescaped(String(source.dropFirst(4)))) }
        return scheme == "data:" ? RemoteURL.imageData(source) : nil
    }

    /// An element that is not shown, with all that is in it.
    private mutating func drop(_ element: HTMLElement) -> Bool {
        countRemote(element)
        let holdsMore = droppedDepth > 0 || element.isForeign || SafeElements.media.contains(element.name)
        if holdsMore { droppedDepth += 1 }
        return holdsMore
    }

    private mutating func countRemote(_ element: HTMLElement) {
        if element.name == "link" {
            // Others say where the page lives, and load nothing.
            let kind = element["rel"]?.lowercased() ?? ""
            if ["stylesheet", "preload"].contains(where: kind.containsBytes), isRemote(element["href"]) {
                remote.refuseStyle()
            }
            return
        }
        // A drawing names its images as links do.
        let links = element.isForeign && !element.isLink ? ["href", "xlink:href"] : []
        let names = ["src", "poster", "data"] + links
        let isStyled = element["style"].map { StyleValue($0).isRemote } ?? false
        remote.refuseOther(names.count { isRemote(element[$0]) } + (isStyled ? 1 : 0))
    }

    private func isRemote(_ address: String?) -> Bool {
        address.map { RemoteURL.isRemote(LinkURL.cleaned($0)) } ?? false
    }
}
