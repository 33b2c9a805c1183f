import MailKernelAPI
import MessageFormat
import Store

/// What a notification says.
enum NoticeWording {
    static let open = MailNotification.Action(id: "open", label: "Open")
    static let archive = MailNotification.Action(id: "archive", label: "Archive")

    static func one(_ email: Email, _ id: Id<MailNotification>, canArchive: Bool) -> MailNotification {
        let subject = plain(email.header.subject ?? "")
        return MailNotification(
            id: id, title: sender(email), body: subject.isEmpty ? "No subject" : subject,
            group: email.accountID.rawValue, actions: canArchive ? [open, archive] : [open])
    }

    /// Newest first, in the input and in the text.
    static func several(_ emails: [Email], _ id: Id<MailNotification>) -> MailNotification {
        var seen: Set<String> = []
        let names = emails.map(sender).filter { seen.insert($0).inserted }
        let shown = names.prefix(3).joined(separator: ", ") + (names.count > 3 ? " and others" : "")
        return MailNotification(
            id: id, title: "\(emails.count) new messages", body: shown,
            group: emails.first?.accountID.rawValue,
            actions: [open])
    }

    /// Nothing of what the app lock keeps, and nothing that can be done with it.
    static func closed(_ count: Int, _ id: Id<MailNotification>, group: String) -> MailNotification {
        MailNotification(
            id: id, title: count == 1 ? "New mail" : "\(count) new messages",
            body: "Open mailkernel to read \(count == 1 ? "it" : "them").", group: group, actions: [open])
    }

    /// Without any content: only that a message is waiting.
    static func waiting(_ notice: Notice, _ id: Id<MailNotification>) -> MailNotification {
        MailNotification(
            id: id, title: "Waiting to be sent", body: notice.text, group: notice.accountID.rawValue,
            actions: [open])
    }

    private static func sender(_ email: Email) -> String {
        let from = email.header.from.first
        let name = plain(from?.name ?? "")
        if !name.isEmpty {
            // A name that claims to be another address, or a deceiving one: there is no room to explain.
            guard let from, from.look.warning != nil else { return name }
            return plain("\(from.look.email) (\(name))")
        }
        let address = plain(from?.look.email ?? "")
        return address.isEmpty ? "Unknown sender" : address
    }

    /// One line in the order it was written: a name cannot turn around what stands beside it.
    static func plain(_ text: String) -> String {
        let line = ShownText.line(String(text.prefix(2_000)))
        return line.count <= 200 ? line : line.prefix(199) + "…"
    }
}
