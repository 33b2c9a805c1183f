import Invitations
import MailKernelAPI
import MessageFormat

/// Who is who in a calendar, whose addresses a stranger may have written.
extension CalendarPerson {
    var address: EmailAddress { EmailAddress(name: name, email: email) }

    /// Equal for two ways to write one address. What is no address is equal to itself alone.
    var key: String { isReachable ? address.key : email.lowercased() }

    /// One address and nothing else: of several, an answer would go to each.
    var isReachable: Bool {
        guard let found = try? AddressReader.addresses(in: email) else { return false }
        return found.count == 1 && found.first?.email == email
    }

    /// What is wrong with an organizer's address, as a sentence; nil in nearly all invitations.
    var addressWarning: String? {
        if email.isEmpty { return nil }
        guard isReachable else {
            let shown = ShownText.line(email)
            return "“\(shown)” is not an email address, so this invitation cannot be answered."
        }
        return address.look.warning
    }

    /// Whether a message has this one sender, and no other.
    func isSender(of header: EmailHeader) -> Bool {
        guard isReachable, let sender = header.from.first, header.from.count == 1 else { return false }
        return sender.key == key
    }
}
