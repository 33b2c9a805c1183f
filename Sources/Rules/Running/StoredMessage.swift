import FoundationEssentials
import MailKernelAPI
import MessageFormat
import Sieve

/// A message of the store as scripts see it: its header, its structure and its texts. Attachments have no content here,
/// since the service may have to be asked for them.
struct StoredMessage: SieveMessage, Sendable {
    let size: Int
    let headers: [SieveHeader]
    private let body: EmailBody?

    init(_ email: Email, _ body: EmailBody) {
        size = email.size
        headers = Self.fields(body.headers)
        self.body = body
    }

    /// A message of which only the header fields that every email has are known.
    init(_ email: Email) {
        size = email.size
        body = nil
        let header = email.header
        var fields = [
            Self.field("From", header.from), Self.field("Sender", header.sender), Self.field("To", header.to),
            Self.field("Cc", header.cc), Self.field("Reply-To", header.replyTo),
        ].compactMap { $0 }
        if let subject = header.subject { fields.append(Self.field("Subject", subject)) }
        headers = fields
    }

    /// The fields that the second form has.
    static let knownFields: Set<String> = ["from", "sender", "to", "cc", "reply-to", "subject"]

    var structure: SievePart {
        guard let body else { return SievePart(headers: headers) }
        return part(body.structure, fields: headers, of: body)
    }

    var rawBody: [UInt8] {
        guard let body else { return [] }
        return body.values.sorted { $0.key < $1.key }.flatMap { Array($0.value.value.utf8) + [0x0d, 0x0a] }
    }

    func decode(_ text: [UInt8], charset: String) -> [UInt8]? {
        ForeignText.read(Data(text), charset: charset).map { Array($0.utf8) }
    }

    private func part(_ part: EmailBodyPart, fields: [SieveHeader]?, of body: EmailBody) -> SievePart {
        let text = part.partID.flatMap { body.values[$0]?.value }
        var fields = fields ?? Self.fields(part.headers)
        if text != nil {
            // The text was decoded already.
            fields.removeAll { Self.isName("content-type", $0.name) }
            fields.append(Self.field("Content-Type", "\(part.type); charset=utf-8"))
        } else if !fields.contains(where: { Self.isName("content-type", $0.name) }) {
            fields.append(Self.field("Content-Type", part.type))
        }
        if let disposition = part.disposition,
            !fields.contains(where: { Self.isName("content-disposition", $0.name) })
        {
            fields.append(Self.field("Content-Disposition", disposition))
        }
        return SievePart(
            headers: fields, parts: part.subParts.map { self.part($0, fields: nil, of: body) },
            content: { text.map { Array($0.utf8) } ?? [] })
    }

    /// Without making the name in lower case first: a rehearsal compares names half a million times.
    private static func isName(_ lowered: String, _ name: String) -> Bool {
        guard name.utf8.count == lowered.utf8.count else { return false }
        return zip(name.utf8, lowered.utf8).allSatisfy { byte, wanted in
            byte == wanted || (0x41...0x5a).contains(byte) && byte + 0x20 == wanted
        }
    }

    private static func fields(_ fields: [HeaderField]) -> [SieveHeader] {
        fields.map { SieveHeader(name: $0.name, value: Array($0.value.utf8)) }
    }

    private static func field(_ name: String, _ value: String) -> SieveHeader {
        SieveHeader(name: name, value: Array(" \(value)".utf8))
    }

    private static func field(_ name: String, _ addresses: [EmailAddress]) -> SieveHeader? {
        guard !addresses.isEmpty else { return nil }
        return field(name, addresses.map(written).joined(separator: ", "))
    }

    /// A name with one of these is written in quotes.
    private static let specials = Set("\"\\(),.:;<>@[]".utf8)

    private static func written(_ address: EmailAddress) -> String {
        guard let name = address.name, !name.isEmpty else { return "<\(address.email)>" }
        if !name.utf8.contains(where: specials.contains) { return "\(name) <\(address.email)>" }
        let quoted = name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(quoted)\" <\(address.email)>"
    }
}
