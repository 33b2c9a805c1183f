import MailKernelAPI
import MessageFormat

/// What a message shows, as the HTML of another: of its answer, of the message that passes it on, or of the draft that
/// continues it.
struct OriginalMessage {
    /// Longer texts are cut: they are not useful, and servers reject messages that grow with every reply.
    private static let longestText = 200_000
    private static let longestPage = 400_000

    private(set) var html = ""
    /// The images that it shows.
    private(set) var images: [DraftAttachment] = []
    /// Whether there is more to it than text.
    private(set) var isFormatted = false

    private let body: EmailBody
    private var parts: [String: EmailBodyPart] = [:]
    private var places: [String: String] = [:]

    /// - Parameters:
    ///   - isQuoted: it is another's, and cut where it is long.
    ///   - dropsSignature: without its author's signature.
    init(_ body: EmailBody, isQuoted: Bool, dropsSignature: Bool = false) {
        self.body = body
        var names: [String: String] = [:]
        for part in body.structure.all where part.blobID != nil && part.type.hasPrefix("image/") {
            let name = Self.name(of: part, besides: parts)
            parts[name] = part
            if let cid = part.cid { names[cid] = names[cid] ?? name }
            if let location = part.location { places[location] = places[location] ?? name }
        }
        var rules = ComposedHTML.Rules()
        rules.isOriginal = isQuoted
        rules.dropsSignature = dropsSignature
        rules.imageCID = { names[$0] }
        let places = places
        rules.locationCID = { $0.isEmpty ? nil : places[$0] }
        if isQuoted { rules.limit = Self.longestPage }
        read(rules, isQuoted)
    }

    private mutating func read(_ rules: ComposedHTML.Rules, _ isQuoted: Bool) {
        var used: Set<String> = []
        for part in BodyParts.split(body.structure).shown(of: body) {
            if let shown = parts.first(where: { $0.value.blobID == part.blobID }) {
                html +=
                    "<p><img src=\"cid:\(shown.key)\" alt=\"\(ComposedHTML.escaped(part.name ?? ""))\"></p>"
                used.insert(shown.key)
            }
            guard let value = part.partID.flatMap({ body.values[$0] })?.value else { continue }
            if part.type == "text/html" {
                let page = ComposedHTML(value, rules)
                html += page.isUnknown ? Self.unknown : page.html + (page.isCut ? Self.cut : "")
                used.formUnion(page.cids)
                isFormatted = true
            } else {
                html += Self.paragraphs(of: value, part, isQuoted, rules.dropsSignature)
            }
        }
        isFormatted = isFormatted || !used.isEmpty
        images = used.sorted().compactMap { name in parts[name].flatMap { Self.image($0, name) } }
    }

    private static let cut = "<p>[…]</p>"
    private static let unknown = "<p>[The original could not be quoted.]</p>"

    private static func paragraphs(
        of text: String, _ part: EmailBodyPart, _ isQuoted: Bool, _ dropsSignature: Bool
    ) -> String {
        let type = part.headers.last { $0.name.lowercased() == "content-type" }?.value ?? ""
        let limit = isQuoted ? longestText : 0
        let beginning = EmailBodyValue(text).truncated(toBytes: limit, isHTML: false)
        let html = ComposedParagraphs.html(
            of: beginning.value, contentType: type, dropsSignature: dropsSignature)
        return html + (beginning.isTruncated ? cut : "")
    }

    /// The Content-ID in the new message; the same each time.
    private static func name(of part: EmailBodyPart, besides taken: [String: EmailBodyPart]) -> String {
        if let cid = part.cid, ComposedHTML.isPlain(cid: cid), taken[cid] == nil { return cid }
        return "part-\(part.partID ?? "")"
    }

    private static func image(_ part: EmailBodyPart, _ name: String) -> DraftAttachment? {
        guard let blobID = part.blobID else { return nil }
        var image = DraftAttachment(blobID: blobID, name: part.name, type: part.type, size: part.size)
        image.cid = name
        image.isInline = true
        return image
    }

    /// The files of the message, and the images that its text shows.
    var attachments: [DraftAttachment] {
        let shown = Set(images.map(\.blobID))
        let files = BodyParts.split(body.structure).attachments.compactMap { part -> DraftAttachment? in
            guard let blobID = part.blobID, !shown.contains(blobID) else { return nil }
            return DraftAttachment(blobID: blobID, name: part.name, type: part.type, size: part.size)
        }
        return images + files
    }
}
