import FoundationEssentials
import MailKernelAPI

/// A delivery failure report for the sender, readable for people and programs (RFC 3464).
struct Bounce {
    private static let sender = LocalAddress("mailer-daemon@\(LocalAddress.domain)")

    let bytes: Data

    /// - Parameter beginning: of the message that was not delivered, its header at least.
    init(of beginning: Data, to address: LocalAddress, _ unknown: [String], at date: Date) {
        let header = MessageHeader(beginning)
        let boundary = "=_" + MailPaths.newID()
        let recipients = unknown.map { LocalAddress($0)?.text ?? "an invalid address" }
        var text = MailText()
        text.field("From", "\"Mail on this device\" <\(Self.sender?.text ?? "mailer-daemon")>")
        text.field("To", "<\(address.text)>")
        text.field("Date", MailDate.text(date))
        text.field(
            "Subject",
            "Not delivered: \(recipients.count == 1 ? recipients[0] : "\(recipients.count) addresses")")
        text.field("Message-ID", "<\(MailPaths.newID())@\(LocalAddress.domain)>")
        if let id = header.messageID, id.utf8.allSatisfy({ (33...126).contains($0) }) {
            text.field("In-Reply-To", "<\(id)>")
            text.field("References", "<\(id)>")
        }
        text.field("Auto-Submitted", "auto-replied")
        text.field("MIME-Version", "1.0")
        text.field(
            "Content-Type", "multipart/report; report-type=delivery-status; boundary=\"\(boundary)\"")
        text.line("")
        text.part(boundary, "text/plain; charset=utf-8", Self.words(recipients), "8bit")
        text.part(boundary, "message/delivery-status", Self.status(recipients, date))
        text.begin(boundary, "text/rfc822-headers", header.bytes.contains { $0 > 127 } ? "8bit" : "7bit")
        bytes = text.data + header.bytes + Data("\r\n--\(boundary)--\r\n".utf8)
    }

    private static func words(_ recipients: [String]) -> String {
        let list = recipients.map { "    \($0)" }.joined(separator: "\r\n")
        let (addresses, exist) =
            recipients.count == 1
            ? ("this address", "it does not exist") : ("these addresses", "they do not exist")
        return """
            Your message was not delivered to \(addresses), because \(exist) on this device:\r
            \r
            \(list)\r
            \r
            This account keeps its mail on this device and can only send to other accounts here.\r
            To write to another address, use a different account.\r
            All other recipients have received your message.\r

            """
    }

    private static func status(_ recipients: [String], _ date: Date) -> String {
        var text = "Reporting-MTA: dns; \(LocalAddress.domain)\r\nArrival-Date: \(MailDate.text(date))\r\n"
        for recipient in recipients {
            let kind = recipient.utf8.allSatisfy { $0 < 128 } ? "rfc822" : "utf-8"
            text += "\r\nFinal-Recipient: \(kind); \(recipient)\r\nAction: failed\r\nStatus: 5.1.1\r\n"
            text += "Diagnostic-Code: x-local; this address does not exist on this device\r\n"
        }
        return text
    }
}
