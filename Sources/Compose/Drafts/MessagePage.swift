import MailKernelAPI
import MessageFormat

/// The HTML of a draft as a message carries it, and the images that were within the HTML itself.
struct MessagePage {
    let html: String
    let images: [DraftPart]

    init(_ html: String, of content: DraftContent, isDraft: Bool, domain: String) {
        let known = Set(content.attachments.filter(\.isInline).compactMap(\.cid))
        let embedded = EmbeddedImages(domain: domain)
        var rules = ComposedHTML.Rules()
        rules.remoteImages = .named
        rules.isStyled = !isDraft
        rules.imageCID = { known.contains($0) ? $0 : nil }
        if !isDraft { rules.embeddedCID = { embedded.cid(of: $0) } }
        self.html = ComposedHTML.page(of: ComposedHTML(html, rules).html, isStyled: !isDraft)
        images = embedded.parts
    }
}

/// Images that become parts of a message. Their names follow from their order, so that a message can be made twice.
private final class EmbeddedImages {
    private let domain: String
    private var names: [String: String] = [:]
    private(set) var parts: [DraftPart] = []

    init(domain: String) {
        self.domain = domain
    }

    func cid(of dataURL: String) -> String? {
        if let known = names[dataURL] { return known }
        guard let image = EmbeddedImage(dataURL: dataURL) else { return nil }
        let cid = "embedded-\(parts.count + 1)@\(domain)"
        names[dataURL] = cid
        parts.append(
            DraftPart(type: image.type, .bytes(DataSource(image.bytes)), disposition: "inline", cid: cid))
        return cid
    }
}
