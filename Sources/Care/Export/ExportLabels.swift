import FoundationEssentials
import MailKernelAPI
import MessageFormat

/// The mailboxes of exported messages, as this program reads them, and as Google Takeout writes labels for others.
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

    /// Where a message is, as it comes back. What a service makes up of other mailboxes is left out.
    func targets(of email: Email) -> Set<ImportPlace.Target> {
        let targets = Set(email.mailboxIDs.compactMap { mailboxes[$0] }.compactMap(target))
        return targets.isEmpty ? [.role(.archive)] : targets
    }

    private func target(_ mailbox: Mailbox) -> ImportPlace.Target? {
        switch mailbox.role {
        case .flagged, .all, .important: return nil
        case let role?: return .role(role)
        case nil: break
        }
        var names = [mailbox.name]
        var next = mailbox.parentID.flatMap { mailboxes[$0] }
        while let above = next, names.count <= mailboxes.count {
            if let role = above.role { return .inside(role, names) }
            names.insert(above.name, at: 0)
            next = above.parentID.flatMap { mailboxes[$0] }
        }
        return .path(names)
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
