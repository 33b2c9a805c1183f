import FoundationEssentials
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
    /// Takes mail out of the inbox until a moment, or until an answer arrives.
    case snooze(until: Date)
    case unsnooze
    /// Returns a conversation to the inbox if the user's last message in it has no reply by a moment.
    case remind(until: Date)
    case unremind
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

    /// When the mail returns, if the verb is about that.
    package var until: Date? {
        switch self {
        case .snooze(let until), .remind(let until): until
        default: nil
        }
    }

    /// The verb with this name, or nil. `mailboxID` is required for verbs with a target mailbox, `until` for `snooze` and
    /// `remind`; both are invalid for others.
    package init?(name: String, mailboxID: Id<Mailbox>?, until: Date? = nil) {
        let verbs: [MailVerb] =
            switch (mailboxID, until) {
            case (let id?, nil): [.move(id), .label(id), .unlabel(id)]
            case (nil, let until?): [.snooze(until: until), .remind(until: until)]
            case (nil, nil):
                [
                    .archive, .trash, .spam, .notSpam, .read, .unread, .star, .unstar, .mute, .unmute,
                    .unsnooze, .unremind, .destroy,
                ]
            case (_?, _?): []
            }
        guard let verb = verbs.first(where: { $0.name == name }) else { return nil }
        self = verb
    }

    /// Whether it is about the snoozes of messages.
    var concernsSnoozes: Bool {
        if case .snooze = self { true } else { self == .unsnooze }
    }

    /// Whether it is about reminders.
    var concernsReminders: Bool {
        if case .remind = self { true } else { self == .unremind }
    }
}

extension Keyword {
    /// Set on each message of a muted conversation.
    package static let muted = Keyword("$muted")
}
