public import MailKernelAPI

/// What can be done to mail: the one vocabulary of the page, keys, notifications, other programs and rules.
public enum MailVerb: Codable, Sendable, Hashable {
    case archive, trash, spam, notSpam
    /// To a mailbox, out of the one that it is looked at in.
    case move(Id<Mailbox>)
    /// Into a mailbox besides those that it is in.
    case label(Id<Mailbox>)
    case unlabel(Id<Mailbox>)
    case read, unread, star, unstar
    /// Keeps what comes later in the conversation out of the inbox, too.
    case mute
    case unmute
    /// Deletes for good. This alone cannot be undone.
    case destroy
    /// Exactly these changes of keywords and mailboxes, as `Email/set` names them.
    case update
}

extension MailVerb {
    /// The name that clients use.
    public var name: String {
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

    /// The mailbox that it names.
    public var mailboxID: Id<Mailbox>? {
        switch self {
        case .move(let id), .label(let id), .unlabel(let id): id
        case .archive, .trash, .spam, .notSpam, .read, .unread, .star, .unstar, .mute, .unmute, .destroy,
            .update:
            nil
        }
    }

    /// The verb of this name, or nil. `mailboxID` has to be there for a verb that names a mailbox, and for no other.
    public init?(name: String, mailboxID: Id<Mailbox>?) {
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
    /// On every message of a conversation that was muted.
    static let muted = Keyword("$muted")
}
