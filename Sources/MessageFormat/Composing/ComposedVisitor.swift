/// Walks through HTML and writes the parts that may stand in a message that is being written.
struct ComposedVisitor: HTMLVisitor {
    private let rules: ComposedHTML.Rules
    private var output = HTMLOutput()
    private var report = ComposedHTML()
    /// Images that are named. Those of styles are not: a quote does without them.
    private var images: RemoteContent
    private var styles = RemoteContent(remoteURL: nil, isLoadable: { _ in true })
    private var quotes = QuoteMarks()
    private var signature: SignatureDash
    private var sheets: SheetStyles
    private var open: [Open] = []
    /// The number of open tags in the output.
    private var depth = 0
    private var quoteDepth = 0
    private var signatureDepth = 0
    /// A line end that follows at once is not part of a `pre`.
    private var isAtPreStart = false
    /// Links and images so far.
    private var addresses = 0

    private struct Open {
        var isWritten: Bool
        var isQuote: Bool
        var isSignature: Bool
    }

    /// As for received mail: see `HTMLCleaner`.
    private static let deepest = 256
    private static let mostAddresses = 10_000

    init(_ rules: ComposedHTML.Rules, sheets: SheetRules) {
        self.rules = rules
        self.sheets = SheetStyles(sheets, limit: rules.limit, isWary: rules.isOriginal)
        images = RemoteContent(remoteURL: { $0 }, isLoadable: { _ in true })
        signature = SignatureDash(isLookedFor: rules.dropsSignature)
    }

    var result: ComposedHTML {
        var result = report
        if rules.isOriginal, sheets.isExhausted {
            result = ComposedHTML()
            result.isUnknown = true
            return result
        }
        result.html = String(decoding: output.bytes, as: UTF8.self).trimmingBlanks()
        return result
    }

    mutating func enter(_ element: HTMLElement) -> Bool {
        if element.name == "a" || element.name == "img" { addresses += 1 }
        if output.bytes.count > 2 * rules.limit || addresses > Self.mostAddresses {
            report.isCut = true
            return false
        }
        let answer = sheets.enter(element)
        let style = answer.style
        if answer.isHidden || isLeftOut(element) || style.map(HiddenContent.isHidden(style:)) ?? false {
            sheets.leave()
            return false
        }
        let mark = quotes.enter(element)
        if mark != nil { signature.end() }
        if mark == "rest" { signature.isLookedFor = false }
        if let dashes = signature.enter(element.name) { output.text(dashes) }
        isAtPreStart = false
        let isSignature = SignatureMarks.isOne(element)
        let isWritten = !signature.isDropping && write(element, style)
        let isQuote = mark == "quote" || ForwardMark.isOne(element)
        open.append(Open(isWritten: isWritten, isQuote: isQuote, isSignature: isSignature))
        if isQuote { quoteDepth += 1 }
        if isSignature { signatureDepth += 1 }
        return true
    }

    mutating func leave(_ name: String) {
        quotes.leave(name)
        if let dashes = signature.leave(name) { output.text(dashes) }
        guard let closed = open.popLast() else { return }
        sheets.leave()
        if closed.isQuote { quoteDepth -= 1 }
        if closed.isSignature { signatureDepth -= 1 }
        guard closed.isWritten, !SafeElements.void.contains(name) else { return }
        depth -= 1
        output.close(name == "body" ? "div" : name)
    }

    mutating func text(_ text: String) {
        quotes.text(text)
        if sheets.hidesText, text.contains(where: { !$0.isWhitespace }) { return }
        guard let text = signature.text(text, isQuoted: quoteDepth > 0) else { return }
        if isAtPreStart, text.utf8.first == 0x0A { output.text("\n") }
        isAtPreStart = false
        output.text(text)
    }

    private func isLeftOut(_ element: HTMLElement) -> Bool {
        if element.isForeign || element.name == "style" { return true }
        if SafeElements.dropped.contains(element.name) || HiddenContent.unread.contains(element.name) {
            return true
        }
        if HiddenContent.isHidden(element) { return true }
        return rules.dropsSignature && signature.isLookedFor && quoteDepth == 0
            && SignatureMarks.isOne(element)
    }

    // MARK: Elements

    private mutating func write(_ element: HTMLElement, _ style: String?) -> Bool {
        guard SafeElements.allowed.contains(element.name), depth < Self.deepest else { return false }
        switch element.name {
        case "img":
            writeImage(element, style)
            return false
        case "a":
            guard let url = element["href"].flatMap(LinkURL.init), !url.isFragment else { return false }
            output.open("a")
            output.attribute("href", url.text)
        case "body":
            // A page's background and font are the quote's.
            guard style != nil || element["bgcolor"] != nil else { return false }
            output.open("div")
        default: output.open(element.name)
        }
        writeAttributes(of: element, style)
        output.endTag()
        isAtPreStart = element.name == "pre"
        if !SafeElements.void.contains(element.name) { depth += 1 }
        return true
    }

    private mutating func writeAttributes(of element: HTMLElement, _ style: String?) {
        for attribute in element.attributes {
            switch attribute.name {
            case "alt" where sheets.hidesText: break
            case "class":
                let names = attribute.value.split(separator: " ").filter { isKept($0) }
                if !names.isEmpty { output.attribute("class", names.joined(separator: " ")) }
            case "type" where element.name == "blockquote":
                if attribute.value.lowercased() == "cite" { output.attribute("type", "cite") }
            case let name
            where Self.kept.contains(name) && SafeElements.isAllowed(attribute, of: element.name):
                output.attribute(name, attribute.value)
            default: break
            }
        }
        var declarations: [String] = []
        if rules.isStyled, let look = look(of: element) { declarations.append(look) }
        if let style {
            declarations.append(StyleFilter.declarations(style, &styles, marksBlocked: false))
        }
        let style = declarations.filter { !$0.isEmpty }.joined(separator: ";")
        if !style.isEmpty { output.attribute("style", style) }
    }

    private func look(of element: HTMLElement) -> String? {
        let isCite = element.name == "blockquote" && element["type"]?.lowercased() == "cite"
        if isCite { return element["style"] == nil ? OutgoingLook.quote : nil }
        guard quoteDepth == 0 else { return nil }
        let isOwnTable = signatureDepth == 0 && element["border"] == nil && element["style"] == nil
        if ["table", "td", "th"].contains(element.name), !isOwnTable { return nil }
        return OutgoingLook.elements[element.name]
    }

    private func isKept(_ name: Substring) -> Bool {
        if name == SignatureMarks.own { return !rules.isOriginal && quoteDepth == 0 }
        return Self.classes.contains(name.lowercased())
    }

    /// Attributes that change what is shown, and that no program uses as a handle.
    private static let kept: Set<String> = [
        "align", "alt", "bgcolor", "border", "cellpadding", "cellspacing", "clear", "color", "colspan", "dir",
        "face", "height", "hspace", "lang", "noshade", "nowrap", "open", "reversed", "rowspan", "scope",
        "size",
        "span", "start", "title", "type", "valign", "value", "vspace", "width",
    ]

    /// By which programs fold quotes, and by which a forwarded message is known.
    private static let classes: Set<String> = [
        "moz-cite-prefix", "gmail_quote", "gmail_attr", "yahoo_quoted", "protonmail_quote", ForwardMark.name,
    ]

    // MARK: Images

    private enum Source {
        case address(String)
        case remote(String)
        case tracker
        case missing
    }

    private mutating func writeImage(_ element: HTMLElement, _ style: String?) {
        let source = source(of: element)
        if case .tracker = source { return }
        // One that is not there may still hold a place open.
        let isSized = element["width"] != nil || element["height"] != nil
        if case .missing = source, !isSized, element["alt"]?.trimmingBlanks().isEmpty ?? true { return }
        output.open("img")
        switch source {
        case .address(let address): output.attribute("src", address)
        case .remote(let address):
            output.attribute(rules.remoteImages == .held ? "data-src" : "src", address)
        case .missing, .tracker: break
        }
        writeAttributes(of: element, style)
        output.endTag()
    }

    private mutating func source(of element: HTMLElement) -> Source {
        let names = ["data-src", "src"].compactMap { element[$0].map(LinkURL.cleaned) }
        var source = names.first(where: RemoteURL.isRemote) ?? names.last ?? ""
        if source.isEmpty {
            source = element["srcset"].flatMap(RemoteURL.first(srcset:)).map(LinkURL.cleaned) ?? ""
        }
        if let cid = rules.locationCID(source) { return embedded(cid) }
        if RemoteURL.isRemote(source) { return remote(source, element) }
        let scheme = source.prefix(5).lowercased()
        if scheme.hasPrefix("cid:") {
            let cid = LinkURL.unescaped(String(source.dropFirst(4)))
            return rules.imageCID(cid).map { embedded($0) } ?? .missing
        }
        guard scheme == "data:", let data = RemoteURL.imageData(source) else { return .missing }
        return rules.embeddedCID(data).map { embedded($0) } ?? .address(data)
    }

    private mutating func embedded(_ cid: String) -> Source {
        report.cids.insert(cid)
        return .address("cid:\(cid)")
    }

    private mutating func remote(_ source: String, _ element: HTMLElement) -> Source {
        switch images.image(source, isTracker: TrackingPixel.isOne(element, url: source)) {
        case .tracker: .tracker
        case .shown(let url, _): .remote(url)
        // One that is offered without encryption alone: the recipient's program decides about it.
        case .blocked: LinkURL(source).flatMap { $0.host == nil ? nil : Source.remote($0.text) } ?? .missing
        }
    }
}
