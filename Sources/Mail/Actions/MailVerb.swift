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
    /// The name used by clients: that of the case.
    package var name: String { String("\(self)".prefix { $0 != "(" }) }

    /// The target mailbox, if the verb has one.
    package var mailboxID: Id<Mailbox>? {
        switch self {
        case .move(let id), .label(let id), .unlabel(let id): id
        default: nil
        }
    }

    /// The verb with this name, or nil. `mailboxID` is required for verbs with a target mailbox, and invalid for others.
    package init?(name: String, mailboxID: Id<Mailbox>?) {
        let verbs: [MailVerb] =
            mailboxID.map { [MailVerb.move($0), .label($0), .unlabel($0)] } ?? [
                .archive, .trash, .spam, .notSpam, .read, .unread, .star, .unstar, .mute, .unmute, .destroy,
            ]
        guard let verb = verbs.first(where: { $0.name == name }) else { return nil }
        self = verb
    }
}

extension Keyword {
    /// Set on each message of a muted conversation.
    package static let muted = Keyword("$muted")
}
