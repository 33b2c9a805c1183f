public import MailKernelAPI

/// The parts of a message as a reader wants them (RFC 8621, section 4.1.4).
public struct BodyParts: Sendable, Hashable {
    /// To be shown one after the other, plain text preferred.
    public var textBody: [EmailBodyPart] = []
    /// To be shown one after the other, HTML preferred.
    public var htmlBody: [EmailBodyPart] = []
    public var attachments: [EmailBodyPart] = []

    /// The RFC's algorithm, which leaves two kinds of messages without a text: those in another kind of text, such as
    /// Markdown (RFC 2046, section 4.1.4), and those whose images come before the page that shows them.
    public static func split(_ structure: EmailBodyPart) -> BodyParts {
        var parts = BodyParts()
        if structure.isOtherText {
            parts.textBody = [structure]
            parts.htmlBody = [structure]
            return parts
        }
        parts.add([structure], of: "mixed", Place())
        return parts
    }

    /// Where the parts are that are being looked at.
    private struct Place {
        var isInAlternative = false
        var takesText = true
        var takesHTML = true
    }

    private mutating func add(_ parts: [EmailBodyPart], of kind: String, _ outer: Place) {
        var place = outer
        let (textCount, htmlCount) = (textBody.count, htmlBody.count)
        let root = kind == "related" ? parts.firstIndex(where: \.mayBeRoot) ?? 0 : 0
        for (index, part) in parts.enumerated() {
            if part.type.hasPrefix("multipart/") {
                let subtype = String(part.type.dropFirst("multipart/".count))
                var inner = place
                inner.isInAlternative = place.isInAlternative || subtype == "alternative"
                add(part.subParts, of: subtype, inner)
            } else if !Self.isInline(part, isRoot: index == root, of: kind) {
                attachments.append(part)
            } else if kind == "alternative" {
                addAlternative(part, place)
            } else {
                if place.isInAlternative {
                    if part.type == "text/plain" { place.takesHTML = false }
                    if part.type == "text/html" { place.takesText = false }
                }
                if place.takesText { textBody.append(part) }
                if place.takesHTML { htmlBody.append(part) }
                if !place.takesText || !place.takesHTML, part.isInlineMedia { attachments.append(part) }
            }
        }
        guard kind == "alternative", place.takesText, place.takesHTML else { return }
        if textCount == textBody.count, htmlCount != htmlBody.count {
            textBody += htmlBody[htmlCount...]
        } else if htmlCount == htmlBody.count, textCount != textBody.count {
            htmlBody += textBody[textCount...]
        }
    }

    private mutating func addAlternative(_ part: EmailBodyPart, _ place: Place) {
        switch part.type {
        case "text/plain" where place.takesText: textBody.append(part)
        case "text/html" where place.takesHTML: htmlBody.append(part)
        case "text/plain", "text/html": break
        default: attachments.append(part)
        }
    }

    private static func isInline(_ part: EmailBodyPart, isRoot: Bool, of kind: String) -> Bool {
        guard part.disposition != "attachment",
            part.type == "text/plain" || part.type == "text/html" || part.isInlineMedia
        else { return false }
        return isRoot || kind != "related" && (part.isInlineMedia || part.name == nil)
    }

    /// The parts to show: those of `htmlBody`, or plain text where some program sent an empty page beside it.
    public func shown(of body: EmailBody) -> [EmailBodyPart] {
        guard textBody != htmlBody else { return htmlBody }
        func text(of part: EmailBodyPart) -> String { part.partID.flatMap { body.values[$0]?.value } ?? "" }
        let isEmpty = htmlBody.allSatisfy { part in
            let value = text(of: part)
            return part.type == "text/html" && value.utf8.count < Self.longestEmpty && !value.contains("<img")
                && PlainText.from(html: value).allSatisfy(\.isWhitespace)
        }
        guard isEmpty, textBody.contains(where: { text(of: $0).contains { !$0.isWhitespace } }) else {
            return htmlBody
        }
        return textBody
    }

    /// A longer page has something to show.
    private static let longestEmpty = 5_000

    /// Whether a user may want to save something: neither signatures nor images that the HTML shows count.
    func hasAttachment(in body: EmailBody) -> Bool {
        // Each image is looked for in all of the HTML.
        if attachments.count > Self.mostEmbedded { return true }
        return attachments.contains { part in
            if Self.handledByPrograms.contains(part.type) { return false }
            if part.type == "text/calendar", part.name == nil, part.disposition == nil { return false }
            if part.isInlineMedia, Self.isNamed(part, in: htmlBody, of: body) { return false }
            return part.disposition != "inline" || !part.isInlineMedia && part.name != nil
        }
    }

    private static func isNamed(_ part: EmailBodyPart, in pages: [EmailBodyPart], of body: EmailBody) -> Bool
    {
        let names = [part.cid.map { "cid:" + $0 }, part.location].compactMap(\.self)
        return pages.contains { page in
            guard let text = page.partID.flatMap({ body.values[$0] })?.value else { return false }
            return names.contains(where: text.containsBytes)
        }
    }

    private static let mostEmbedded = 500

    private static let handledByPrograms: Set<String> = [
        "application/pgp-signature", "application/pgp-encrypted", "application/pkcs7-signature",
        "application/x-pkcs7-signature", "message/delivery-status", "message/disposition-notification",
        "text/rfc822-headers",
    ]
}

extension EmailBodyPart {
    /// Whether it can be what the other parts of a `multipart/related` belong to (RFC 2387).
    fileprivate var mayBeRoot: Bool {
        type.hasPrefix("multipart/") || type == "text/html"
            || type == "text/plain" && disposition != "attachment"
    }

    /// Text to read, though of no kind that is known.
    fileprivate var isOtherText: Bool {
        let isKnown = [
            "text/plain", "text/html", "text/calendar", "text/rfc822-headers", "text/vcard", "text/x-vcard",
        ]
        .contains(type)
        return type.hasPrefix("text/") && !isKnown && name == nil && disposition != "attachment"
    }

    var isInlineMedia: Bool {
        type.hasPrefix("image/") || type.hasPrefix("audio/") || type.hasPrefix("video/")
    }
}
