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

    /// What a rule notifies of.
    ///
    /// - Parameter text: what the script says instead of the subject.
    static func ofRule(_ email: Email, _ text: String?, _ id: Id<MailNotification>) -> MailNotification {
        let line = [text, email.header.subject].map { plain($0 ?? "") }.first { !$0.isEmpty }
        return MailNotification(
            id: id, title: sender(email), body: line ?? "No subject",
            group: email.accountID.rawValue, actions: [open])
    }

    /// Newest first, in the input and in the text.
    ///
    /// - Parameter count: of all messages, if these are only the newest.
    static func several(
        _ emails: [Email], count: Int? = nil, _ id: Id<MailNotification>
    ) -> MailNotification {
        var seen: Set<String> = []
        let names = emails.map(sender).filter { seen.insert($0).inserted }
        let shown = names.prefix(3).joined(separator: ", ") + (names.count > 3 ? " and others" : "")
        return MailNotification(
            id: id, title: "\(count ?? emails.count) new messages", body: shown,
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

    /// A message of the user's that has no reply.
    static func noReply(_ email: Email, _ id: Id<MailNotification>) -> MailNotification {
        let subject = plain(email.header.subject ?? "")
        let names = email.header.to.map { author($0, withAddress: false) }.filter { !$0.isEmpty }
        let whom = names.prefix(2).joined(separator: ", ") + (names.count > 2 ? " and others" : "")
        return MailNotification(
            id: id, title: whom.isEmpty ? "No reply yet" : "No reply yet from \(plain(whom, most: 100))",
            body: subject.isEmpty ? "No subject" : subject, group: email.accountID.rawValue, actions: [open])
    }

    /// The same, without what the app lock keeps.
    static func closedNoReply(_ id: Id<MailNotification>, group: String) -> MailNotification {
        MailNotification(
            id: id, title: "No reply yet", body: "Open mailkernel to see the message.", group: group,
            actions: [open])
    }

    /// All authors, as in lists. There is no room to explain: where one is not what it seems, or another has sent the
    /// message, the addresses are shown.
    private static func sender(_ email: Email) -> String {
        let from = email.header.from
        let isDoubtful = email.header.severalSenders != nil
        let known = Set(from.map { $0.email.lowercased() })
        let other = email.header.sender.first { !$0.email.isEmpty && !known.contains($0.email.lowercased()) }
        let authors = from.prefix(3).map { author($0, withAddress: isDoubtful) }.filter { !$0.isEmpty }
        guard !authors.isEmpty else { return other.map { plain($0.look.email) } ?? "Unknown sender" }
        let all = authors.joined(separator: ", ") + (from.count > 3 ? " and others" : "")
        guard let other else { return plain(all) }
        return "\(plain(all, most: 100)) (sent by \(plain(other.look.email, most: 100)))"
    }

    private static func author(_ address: EmailAddress, withAddress: Bool) -> String {
        let name = plain(address.name ?? "")
        let look = address.look
        if name.isEmpty { return plain(look.email) }
        return withAddress || look.warning != nil ? plain("\(look.email) (\(name))") : name
    }

    /// One line in the order it was written: a name cannot turn around what stands beside it.
    static func plain(_ text: String, most: Int = 200) -> String {
        let line = ShownText.line(String(text.prefix(2_000)))
        return line.count <= most ? line : line.prefix(most - 1) + "…"
    }
}
