public import MailKernelAPI

/// All that the kernel keeps of a message.
public struct ParsedMessage: Sendable, Hashable {
    public var header: EmailHeader
    public var body: EmailBody
    /// There is something that a user may want to save.
    public var hasAttachment: Bool
    /// Up to 256 characters.
    public var preview: String

    public init(header: EmailHeader, body: EmailBody, hasAttachment: Bool, preview: String) {
        self.header = header
        self.body = body
        self.hasAttachment = hasAttachment
        self.preview = preview
    }
}

extension EmailHeader {
    /// The fields that JMAP names, each from the last field of its name (RFC 8621, section 4.1.3).
    public init(fields: [HeaderField]) {
        self.init()
        for field in fields {
            let raw = field.value
            switch field.name.utf8.count < 16 ? field.name.lowercased() : "" {
            case "message-id": messageID = HeaderForm.messageIDs(of: raw) ?? []
            case "in-reply-to": inReplyTo = HeaderForm.messageIDs(of: raw) ?? []
            case "references": references = HeaderForm.messageIDs(of: raw) ?? []
            case "sender": sender = HeaderForm.addresses(of: raw)
            case "from": from = HeaderForm.addresses(of: raw)
            case "to": to = HeaderForm.addresses(of: raw)
            case "cc": cc = HeaderForm.addresses(of: raw)
            case "bcc": bcc = HeaderForm.addresses(of: raw)
            case "reply-to": replyTo = HeaderForm.addresses(of: raw)
            case "subject": subject = HeaderForm.text(of: raw)
            case "date": sentAt = HeaderForm.date(of: raw)?.date
            default: break
            }
        }
    }
}
