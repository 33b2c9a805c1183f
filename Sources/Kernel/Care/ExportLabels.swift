import FoundationEssentials
import MailKernelAPI
import MessageFormat

/// The mailboxes of exported messages, written as Google Takeout writes labels: whoever brings the file in
/// again, here or elsewhere, finds the mail where it was.
struct ExportLabels {
    private let mailboxes: [Id<Mailbox>: Mailbox]

    init(_ mailboxes: [Mailbox]) {
        self.mailboxes = Dictionary(mailboxes.map { ($0.id, $0) }) { first, _ in first }
    }

    /// The field for a message, with its line end; nil for one that is in no mailbox with a name.
    func field(of email: Email) throws -> Data? {
        var labels = email.mailboxIDs.compactMap { mailboxes[$0] }.compactMap(label).sorted()
        guard !labels.isEmpty else { return nil }
        if !email.keywords.contains(.seen) { labels.append("Unread") }
        if email.keywords.contains(.flagged) { labels.append("Starred") }
        let text = labels.map { $0.contains(",") ? "\"\($0)\"" : $0 }.joined(separator: ",")
        let field = try MessageBuilder.field(DraftHeader("X-Gmail-Labels", .text(text)))
        return field.filter { $0 != UInt8(ascii: "\r") }
    }

    private func label(_ mailbox: Mailbox) -> String? {
        switch mailbox.role {
        case .inbox: "Inbox"
        case .sent: "Sent"
        case .drafts: "Drafts"
        case .trash: "Trash"
        case .junk: "Spam"
        case .archive: "Archived"
        case .flagged, .all, .important: nil
        case nil: path(mailbox).joined(separator: "/")
        }
    }

    private func path(_ mailbox: Mailbox) -> [String] {
        var names: [String] = []
        var next: Mailbox? = mailbox
        // A store cannot have circles of mailboxes; this does not count on it.
        while let mailbox = next, names.count < mailboxes.count {
            names.insert(mailbox.name.filter { $0 != "\"" }, at: 0)
            next = mailbox.parentID.flatMap { mailboxes[$0] }
        }
        return names
    }
}
