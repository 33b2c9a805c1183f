import FoundationEssentials
import MailKernelAPI
import MessageFormat

/// A `mailto:` link (RFC 6068). Only harmless parts are used: no attachments, no other header fields.
struct MailtoLink {
    var to: [EmailAddress] = []
    var cc: [EmailAddress] = []
    var bcc: [EmailAddress] = []
    var subject = ""
    var body = ""
    var inReplyTo: [String] = []

    private static let longest = 100_000

    init?(_ url: String) {
        guard url.utf8.count <= Self.longest, url.lowercased().hasPrefix("mailto:") else { return nil }
        let rest = url.dropFirst("mailto:".count).prefix { $0 != "#" }
        let query = rest.firstIndex(of: "?")
        to = Self.addresses(rest[..<(query ?? rest.endIndex)])
        guard let query else { return }
        for field in rest[query...].dropFirst().split(separator: "&") {
            let pair = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = pair.count > 1 ? pair[1] : ""
            switch Self.decoded(pair[0]).lowercased() {
            case "to": to += Self.addresses(value)
            case "cc": cc += Self.addresses(value)
            case "bcc": bcc += Self.addresses(value)
            case "subject": subject = Self.line(value)
            case "body": body = Self.decoded(value).replacing("\r\n", with: "\n").replacing("\r", with: "\n")
            case "in-reply-to": inReplyTo = HeaderForm.messageIDs(of: Self.line(value)) ?? []
            default: break
            }
        }
    }

    /// Commas between addresses stand as they are; those within one are encoded.
    private static func addresses(_ text: Substring) -> [EmailAddress] {
        text.split(separator: ",").flatMap { piece -> [EmailAddress] in
            let text = line(piece)
            if text.allSatisfy(\.isWhitespace) { return [] }
            return (try? AddressReader.addresses(in: text)) ?? [EmailAddress(email: text)]
        }
    }

    private static func line(_ text: Substring) -> String {
        String(decoded(text).map { $0.isNewline ? " " : $0 })
    }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                rest = rest.dropFirst(2)
                // NUL and its kind have no place in a mail.
                if value >= 0x20 || value == 0x0A || value == 0x0D || value == 0x09 { bytes.append(value) }
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
