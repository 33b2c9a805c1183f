import FoundationEssentials
import MailKernelAPI

/// By what a message is known again that the service has taken without naming it: its Message-ID, or the fields that
/// hardly two messages share where it has none.
package enum MessageMark {
    package static func mark(_ header: EmailHeader, size: Int) -> String {
        if let messageID = header.messageID.first { return messageID }
        let addresses = (header.from + header.to).map(\.email).joined(separator: ",")
        let date = header.sentAt.map { "\($0.timeIntervalSince1970)" } ?? ""
        // A Message-ID has no spaces, so that none is equal to this.
        return ["no id", "\(size)", date, addresses, header.subject ?? ""].joined(separator: " ")
    }

    package static func mark(_ email: Email) -> String { mark(email.header, size: email.size) }
}
