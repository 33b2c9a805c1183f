import FoundationEssentials
import MailKernelAPI
import MessageFormat

/// The bytes of a message that a rule sends.
struct AutomaticMessage: Sendable {
    let mail: AutomaticMail
    let email: Email
    let identity: Identity
    let date: Date

    /// - Parameter original: the message as it came.
    func redirect(_ original: Data) throws -> Data {
        let mark = try MessageBuilder.field(DraftHeader(ReplyCheck.mark, .raw(" \(identity.email)")))
        return mark + original
    }

    func written() async throws -> Data {
        let domain = identity.email.split(separator: "@").last.map(String.init) ?? "localhost"
        var builder = MessageBuilder(domain: domain)
        builder.now = { [date] in HeaderDate(date: date) }
        let sender = EmailAddress(name: identity.name.isEmpty ? nil : identity.name, email: identity.email)
        let isNotice = mail.kind == .notify
        var headers = [
            DraftHeader("From", .addresses([sender])),
            DraftHeader("To", .addresses(mail.to.map { EmailAddress(email: $0) })),
            DraftHeader("Subject", .text(subject)),
            DraftHeader("Auto-Submitted", .raw(isNotice ? " auto-notified" : " auto-replied")),
        ]
        if !isNotice, let id = email.header.messageID.first {
            headers.append(DraftHeader("In-Reply-To", .messageIDs([id])))
            let references = email.header.references.suffix(50) + [id]
            headers.append(DraftHeader("References", .messageIDs(Array(references))))
        }
        return try await builder.build(MessageDraft(headers: headers, text: mail.text)).message
    }

    private var subject: String {
        let original = email.header.subject ?? ""
        let text =
            switch mail.kind {
            case .vacation: mail.subject ?? (original.isEmpty ? "Automatic reply" : "Auto: \(original)")
            case .reject: "Refused: \(original)"
            case .notify: mail.subject ?? "New message: \(original)"
            case .redirect: original
            }
        return String(String(text.unicodeScalars.filter { $0.value >= 0x20 }).prefix(500))
    }
}
