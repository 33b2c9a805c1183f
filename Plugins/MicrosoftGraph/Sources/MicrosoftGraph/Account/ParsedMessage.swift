import FoundationEssentials
import MailKernelAPI

/// A large message as Graph reads it: its header fields and text. Attachments are fetched when the user opens them.
struct ParsedMessage: Sendable {
    /// The id of the part with the text; attachments have those of Graph.
    static let bodyID = "body"
    private static let mostAttachments = 500
    private static let textLimit = 4 * 1_024 * 1_024

    let body: EmailBody
    /// About.
    let size: Int

    static func request(_ path: String) -> Subrequest {
        Subrequest(
            path: path + "?$select=internetMessageHeaders,body"
                + "&$expand=attachments($select=id,name,contentType,size,isInline,"
                + "microsoft.graph.fileAttachment/contentId)")
    }

    /// Nil if header fields or text are missing.
    init?(_ json: JSONValue) {
        let headers: [HeaderField] = (json["internetMessageHeaders"]?.arrayValue ?? []).compactMap { field in
            guard let name = field["name"]?.stringValue, let value = field["value"]?.stringValue,
                !name.isEmpty
            else { return nil }
            return HeaderField(name: name, value: " " + value)
        }
        guard !headers.isEmpty, let content = json["body"]?["content"]?.stringValue else { return nil }
        let isHTML = json["body"]?["contentType"]?.stringValue?.lowercased() == "html"
        let text = EmailBodyPart(
            partID: Self.bodyID, size: content.utf8.count, type: isHTML ? "text/html" : "text/plain",
            charset: "utf-8")
        let attachments = (json["attachments"]?.arrayValue ?? []).prefix(Self.mostAttachments)
        let inner = attachments.compactMap { Self.part($0, isInline: true) }
        let outer = attachments.compactMap { Self.part($0, isInline: false) }
        let related = inner.isEmpty ? text : Self.multipart("multipart/related", [text] + inner)
        let structure = outer.isEmpty ? related : Self.multipart("multipart/mixed", [related] + outer)
        let shown = String(decoding: content.utf8.prefix(Self.textLimit), as: UTF8.self)
        let isTruncated = content.utf8.count > Self.textLimit
        body = EmailBody(
            headers: headers, structure: structure,
            values: [Self.bodyID: EmailBodyValue(shown, isTruncated: isTruncated)])
        size = (inner + outer).reduce(content.utf8.count) { $0 + $1.size }
    }

    private static func part(_ json: JSONValue, isInline wanted: Bool) -> EmailBodyPart? {
        guard let id = json["id"]?.stringValue, !id.isEmpty, id.utf8.count <= 1_000,
            // A file in a cloud is a link in the text.
            json["@odata.type"]?.stringValue != "#microsoft.graph.referenceAttachment"
        else { return nil }
        let cid = json["contentId"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
        let isInline = json["isInline"]?.boolValue == true && cid != nil
        guard isInline == wanted else { return nil }
        let isMessage = json["@odata.type"]?.stringValue == "#microsoft.graph.itemAttachment"
        let named = json["contentType"]?.stringValue.flatMap { $0.contains("/") ? $0.lowercased() : nil }
        let type = isMessage ? "message/rfc822" : named ?? "application/octet-stream"
        return EmailBodyPart(
            partID: id, size: min(max(json["size"]?.intValue ?? 0, 0), 1 << 39),
            name: json["name"]?.stringValue,
            type: type.hasPrefix("multipart/") ? "application/octet-stream" : type,
            disposition: isInline ? "inline" : "attachment", cid: cid)
    }

    private static func multipart(_ type: String, _ parts: [EmailBodyPart]) -> EmailBodyPart {
        EmailBodyPart(
            size: parts.reduce(0) { $0 + $1.size }, type: type, subParts: parts)
    }
}
