import FoundationEssentials
import MailKernelAPI

/// Makes JMAP's structure and values from the parts of a whole message.
struct BodyMaker {
    private var left: Int
    private var texts: [(partID: String, part: MIMEPart, isAttached: Bool)] = []

    /// - Parameter limit: how many bytes of text are decoded.
    init(limit: Int) {
        left = limit
    }

    mutating func structure(of root: MIMEPart, in message: Data, blobID: (String) -> Id<Blob>)
        -> EmailBodyPart
    {
        part(root, number: "", message.span, blobID)
    }

    private mutating func part(
        _ mime: MIMEPart, number: String, _ bytes: Span<UInt8>, _ blobID: (String) -> Id<Blob>
    ) -> EmailBodyPart {
        var part = EmailBodyPart(headers: mime.headers, type: mime.type)
        part.name = mime.name
        part.charset = mime.charset
        part.disposition = mime.disposition
        part.takeFields()
        if mime.isMultipart {
            part.size = 0
            for (index, child) in mime.subParts.enumerated() {
                let childNumber = number.isEmpty ? "\(index + 1)" : "\(number).\(index + 1)"
                part.subParts.append(self.part(child, number: childNumber, bytes, blobID))
            }
            return part
        }
        let partID = number.isEmpty ? "1" : number
        part.partID = partID
        part.blobID = blobID(partID)
        part.size = (mime.encoding ?? .binary).decodedCount(bytes.extracting(mime.range))
        if mime.isText { texts.append((partID, mime, mime.disposition == "attachment")) }
        return part
    }

    /// The texts of the parts. Body texts come first; attached texts get the rest of the limit.
    mutating func values(in message: Data) -> [String: EmailBodyValue] {
        var values: [String: EmailBodyValue] = [:]
        let bytes = message.span
        for isAttached in [false, true] {
            for text in texts where text.isAttached == isAttached {
                values[text.partID] = TextValue.decode(
                    bytes.extracting(text.part.range), encoding: text.part.encoding,
                    charset: text.part.charset, type: text.part.type, budget: &left)
            }
        }
        return values
    }
}

extension EmailBodyPart {
    /// Sets properties from single fields of the part.
    mutating func takeFields() {
        for field in headers where field.name.utf8.count > 9 {
            switch field.name.lowercased() {
            case "content-id":
                cid = field.value.trimmingBlanks(and: "<>").nonEmpty
            case "content-language":
                language = field.value.split(separator: ",").compactMap { tag in
                    String(tag.prefix { $0 != "(" }).trimmingBlanks().nonEmpty
                }
            case "content-location":
                location = HeaderForm.text(of: field.value).filter { !$0.isWhitespace }.nonEmpty
            default: break
            }
        }
    }
}
