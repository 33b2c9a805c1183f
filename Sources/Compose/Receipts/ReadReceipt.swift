import FoundationEssentials
import Mail
import MailKernelAPI
import MessageFormat

/// A message disposition notification (RFC 8098), as it is written and read.
package struct ReadReceipt: Sendable, Hashable {
    package static let type = "message/disposition-notification"
    /// Fields that mean something here, in lower case.
    private static let known: Set = [
        "reporting-ua", "mdn-gateway", "original-recipient", "final-recipient", "original-message-id",
        "disposition", "error",
    ]

    package var subject: String?
    package var text: String?
    package var reportingUA: String?
    package var gateway: String?
    package var originalRecipient: String?
    package var finalRecipient: String?
    package var originalMessageID: String?
    /// `manual-action`, `MDN-sent-manually` and `displayed`, in lower case.
    package var actionMode = "manual-action"
    package var sendingMode = "mdn-sent-manually"
    package var kind = "displayed"
    package var errors: [String] = []
    package var extensionFields: [String: String] = [:]
    package var hasOriginal = false

    package init() {}

    // MARK: Writing

    /// - Parameters:
    ///   - original: the message that it is about; nil to leave it out.
    package func written(
        from identity: Identity, to recipients: [EmailAddress], about email: EmailHeader, original: Data?,
        at date: Date
    ) async throws -> Data {
        let domain = identity.email.split(separator: "@").last.map(String.init) ?? "localhost"
        var builder = MessageBuilder(domain: domain)
        builder.now = { HeaderDate(date: date) }
        let sender = EmailAddress(name: identity.name.isEmpty ? nil : identity.name, email: identity.email)
        var headers = [
            DraftHeader("From", .addresses([sender])), DraftHeader("To", .addresses(recipients)),
            DraftHeader("Subject", .text(subject ?? "Read: \(email.subject ?? "")")),
            // A person decided; it is a report all the same (RFC 3834, section 5).
            DraftHeader("Auto-Submitted", .raw(" auto-replied")),
        ]
        if let id = email.messageID.first {
            headers.append(DraftHeader("In-Reply-To", .messageIDs([id])))
            headers.append(
                DraftHeader("References", .messageIDs(Array(email.references.suffix(50)) + [id])))
        }
        var parts = [
            DraftPart(type: "text/plain", .text(text ?? Self.words(kind, email))),
            DraftPart(type: Self.type, .bytes(DataSource(fields()))),
        ]
        if let original { parts.append(DraftPart(type: "message/rfc822", .bytes(DataSource(original)))) }
        let body = DraftPart(
            type: "multipart/report", .parts(parts),
            parameters: [("report-type", "disposition-notification")])
        return try await builder.build(MessageDraft(headers: headers, body: body)).message
    }

    private static func words(_ kind: String, _ email: EmailHeader) -> String {
        let message = "The message “\(email.subject ?? "")”"
        return switch kind {
        case "displayed": "\(message) was displayed. This is no guarantee that it was read or understood."
        case "deleted": "\(message) was deleted."
        case "dispatched": "\(message) was forwarded or passed on."
        default: "\(message) was processed."
        }
    }

    /// Its values hold no line ends: see `problem`.
    private func fields() -> Data {
        var lines: [(String, String?)] = [
            ("Reporting-UA", reportingUA), ("MDN-Gateway", gateway),
            ("Original-Recipient", originalRecipient), ("Final-Recipient", finalRecipient),
            ("Original-Message-ID", originalMessageID.map { "<\($0)>" }),
            ("Disposition", "\(actionMode)/\(sendingMode); \(kind)"),
        ]
        lines += errors.map { ("Error", $0) }
        lines += extensionFields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        return Data(lines.compactMap { name, value in value.map { "\(name): \($0)\r\n" } }.joined().utf8)
    }

    /// What cannot be written as fields of a report; nil if everything can.
    package var problem: String? {
        let values = [reportingUA, finalRecipient].compactMap(\.self) + Array(extensionFields.values)
        guard values.allSatisfy(Self.isValue) else {
            return "Fields of a receipt must be short and of visible ASCII characters."
        }
        guard extensionFields.count <= 20, extensionFields.keys.allSatisfy(Self.isName) else {
            return "The name of an extension field is invalid, or there are too many."
        }
        return nil
    }

    private static func isValue(_ text: String) -> Bool {
        (1...500).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    private static func isName(_ text: String) -> Bool {
        (1...60).contains(text.utf8.count) && !known.contains(text.lowercased())
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ":") }
    }

    // MARK: Reading

    /// Nil if the message is no receipt.
    package init?(reading message: Data) {
        let parser = MessageParser()
        let whole = parser.parse(message) { BlobID(Id("x"), part: $0).id }
        let structure = whole.body.structure
        guard structure.type.lowercased() == "multipart/report",
            let report = structure.subParts.first(where: { $0.type.lowercased() == Self.type }),
            let id = report.partID, let content = parser.content(of: id, in: message)
        else { return nil }
        let fields = parser.headers(of: content.decoded.prefix(100_000) + Data("\r\n".utf8))
        guard let disposition = Self.value("disposition", fields) else { return nil }
        readDisposition(disposition)
        subject = whole.header.subject
        text = structure.subParts.first { $0.type.lowercased() == "text/plain" }?.partID
            .flatMap { whole.body.values[$0]?.value }
        hasOriginal = structure.subParts.contains { $0.type.lowercased() == "message/rfc822" }
        reportingUA = Self.value("reporting-ua", fields)
        gateway = Self.value("mdn-gateway", fields)
        originalRecipient = Self.value("original-recipient", fields)
        finalRecipient = Self.value("final-recipient", fields)
        originalMessageID = Self.value("original-message-id", fields).map {
            $0.hasPrefix("<") && $0.hasSuffix(">") ? String($0.dropFirst().dropLast()) : $0
        }
        for field in fields.prefix(100) {
            let value = Self.trimmed(field.value)
            if field.name.lowercased() == "error" {
                errors.append(value)
            } else if !Self.known.contains(field.name.lowercased()) {
                extensionFields[field.name] = value
            }
        }
    }

    private mutating func readDisposition(_ text: String) {
        let halves = text.lowercased().split(separator: ";", maxSplits: 1)
        let modes = (halves.first ?? "").split(separator: "/", maxSplits: 1).map { Self.trimmed($0) }
        // What follows a slash changes the type, such as “displayed/error”.
        let last = halves.count > 1 ? halves[1].split(separator: "/").first.map { Self.trimmed($0) } : nil
        actionMode = modes.first == "automatic-action" ? "automatic-action" : "manual-action"
        sendingMode =
            modes.count > 1 && modes[1] == "mdn-sent-automatically"
            ? "mdn-sent-automatically" : "mdn-sent-manually"
        kind = ["deleted", "dispatched", "displayed"].first { $0 == last } ?? "processed"
    }

    private static func value(_ name: String, _ fields: [HeaderField]) -> String? {
        fields.first { $0.name.lowercased() == name }.map { trimmed($0.value) }
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let lines = text.unicodeScalars.filter { $0 != "\r" && $0 != "\n" }
        let plain = String(String.UnicodeScalarView(lines))
        return String(plain.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
