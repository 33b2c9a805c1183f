import MailKernelAPI

/// The actions on mail, which are the same for the page, keys, notifications, other programs and rules.
package enum MailVerb: Codable, Sendable, Hashable {
    case archive, trash, spam, notSpam
    /// Moves mail to a mailbox, out of the one in which it is shown.
    case move(Id<Mailbox>)
    /// Adds mail to a mailbox without removing it from others.
    case label(Id<Mailbox>)
    case unlabel(Id<Mailbox>)
    case read, unread, star, unstar
    /// Also keeps later messages of the conversation out of the inbox.
    case mute
    case unmute
    /// Deletes permanently. Only this verb cannot be undone.
    case destroy
    /// Changes exactly these keywords and mailboxes, as `Email/set` does.
    case update
}

extension MailVerb {
    /// The name used by clients.
    package var name: String {
        switch self {
        case .archive: "archive"
        case .trash: "trash"
        case .spam: "spam"
        case .notSpam: "notSpam"
        case .move: "move"
        case .label: "label"
        case .unlabel: "unlabel"
        case .read: "read"
        case .unread: "unread"
        case .star: "star"
        case .unstar: "unstar"
        case .mute: "mute"
        case .unmute: "unmute"
        case .destroy: "destroy"
        case .update: "update"
        }
    }

    /// The target mailbox, if the verb has one.
    package var mailboxID: Id<Mailbox>? {
        switch self {
        case .move(let id), .label(let id), .unlabel(let id): id
        case .archive, .trash, .spam, .notSpam, .read, .unread, .star, .unstar, .mute, .unmute, .destroy,
            .update:
            nil
        }
    }

    /// The verb with this name, or nil. `mailboxID` is required for verbs with a target mailbox, and invalid for others.
    package init?(name: String, mailboxID: Id<Mailbox>?) {
        let simple: [MailVerb] = [
            .archive, .trash, .spam, .notSpam, .read, .unread, .star, .unstar, .mute, .unmute, .destroy,
        ]
        if let mailboxID {
            guard
                let verb = [MailVerb.move(mailboxID), .label(mailboxID), .unlabel(mailboxID)]
                    .first(where: { $0.name == name })
            else { return nil }
            self = verb
        } else {
            guard let verb = simple.first(where: { $0.name == name }) else { return nil }
            self = verb
        }
    }
}

extension Keyword {
    /// Set on each message of a muted conversation.
    package static let muted = Keyword("$muted")
}
