import MailKernelAPI

/// The effect of a verb on the messages of a conversation.
struct ActionMeaning: Sendable {
    let verb: MailVerb
    let places: Places
    /// Of the messages that are snoozed already; only needed for verbs about them.
    var snoozes: [Id<Email>: Snooze] = [:]

    private var snoozed: SnoozedMessages { SnoozedMessages(snoozes: snoozes, places: places) }

    /// All changes that the verb makes to a conversation, including those that rights do not allow.
    func updates(of conversation: Conversation) throws(ActionProblem) -> [EmailUpdate] {
        switch verb {
        case .archive: moves(conversation, to: try mailbox(.archive, "There is no archive in this account."))
        case .trash: moves(conversation, to: try mailbox(.trash, "There is no Trash in this account."))
        case .spam: moves(conversation, to: try mailbox(.junk, "There is no Spam in this account."))
        case .notSpam: moves(conversation, to: try mailbox(.inbox, "There is no Inbox in this account."))
        case .move(let id): moves(conversation, to: try mailbox(id))
        case .label(let id): labels(conversation, with: try label(id))
        case .unlabel(let id): unlabels(conversation, try mailbox(id))
        case .read: conversation.emails.map { keyword(.seen, true, $0) }
        case .unread: conversation.emails.suffix(1).map { keyword(.seen, false, $0) }
        case .star: conversation.emails.suffix(1).map { keyword(.flagged, true, $0) }
        case .unstar: conversation.emails.map { keyword(.flagged, false, $0) }
        case .mute: muting(conversation)
        case .unmute: conversation.emails.map { keyword(.muted, false, $0) }
        case .snooze: snoozing(conversation, in: try snoozePlace())
        case .unsnooze: waking(conversation, to: try mailbox(.inbox, "There is no Inbox in this account."))
        case .remind, .unremind, .destroy, .update: []
        }
    }

    /// Where snoozed messages are kept.
    func snoozePlace() throws(ActionProblem) -> Mailbox {
        if let place = places.snoozed { return place }
        return try mailbox(.archive, "There is no place for snoozed messages in this account.")
    }

    /// A message that is snoozed already stays where it is, and gets another time.
    private func snoozing(_ conversation: Conversation, in place: Mailbox) -> [EmailUpdate] {
        conversation.snoozing(besides: snoozed.isAsleep).map { email in
            EmailUpdate(
                email.id, in: email.accountID,
                addMailboxes: Set([place.id]).subtracting(email.mailboxIDs),
                removeMailboxes: conversation.leaving(email, toSleepIn: place))
        }
    }

    private func waking(_ conversation: Conversation, to inbox: Mailbox) -> [EmailUpdate] {
        conversation.emails.filter(snoozed.isAsleep).map { snoozed.waking($0, to: inbox) }
    }

    private func mailbox(_ role: Mailbox.Role, _ missing: String) throws(ActionProblem) -> Mailbox {
        guard let mailbox = places.first(role) else { throw ActionProblem(sentence: missing) }
        return mailbox
    }

    private func mailbox(_ id: Id<Mailbox>) throws(ActionProblem) -> Mailbox {
        guard let mailbox = places.mailboxes[id] else {
            throw ActionProblem(sentence: "This folder no longer exists.")
        }
        return mailbox
    }

    private func label(_ id: Id<Mailbox>) throws(ActionProblem) -> Mailbox {
        guard places.hasLabels else {
            throw ActionProblem(sentence: "This account has folders, not labels: move the message instead.")
        }
        return try mailbox(id)
    }

    private func moves(_ conversation: Conversation, to target: Mailbox) -> [EmailUpdate] {
        guard conversation.mailboxID != target.id else { return [] }
        return conversation.moving(to: target).map { email in
            EmailUpdate(
                email.id, in: email.accountID,
                addMailboxes: Set([target.id]).subtracting(email.mailboxIDs),
                removeMailboxes: conversation.leaving(email, for: target))
        }
    }

    private func labels(_ conversation: Conversation, with label: Mailbox) -> [EmailUpdate] {
        conversation.emails.filter { !conversation.isDraft($0) }.map {
            EmailUpdate($0.id, in: $0.accountID, addMailboxes: Set([label.id]).subtracting($0.mailboxIDs))
        }
    }

    /// A message that would be in no mailbox is archived.
    private func unlabels(_ conversation: Conversation, _ label: Mailbox) -> [EmailUpdate] {
        conversation.emails.filter { $0.mailboxIDs.contains(label.id) }.compactMap { email in
            var update = EmailUpdate(email.id, in: email.accountID, removeMailboxes: [label.id])
            if email.mailboxIDs.count == 1 {
                guard let archive = places.first(.archive), archive.id != label.id else { return nil }
                update.addMailboxes = [archive.id]
            }
            return update
        }
    }

    private func muting(_ conversation: Conversation) -> [EmailUpdate] {
        let archiving: [EmailUpdate]
        if let archive = places.first(.archive), conversation.emails.contains(where: inInbox(conversation)) {
            archiving = moves(conversation, to: archive)
        } else {
            archiving = []
        }
        let moved = Dictionary(archiving.map { ($0.id, $0) }) { first, _ in first }
        return conversation.emails.map { email in
            var update = moved[email.id] ?? EmailUpdate(email.id, in: email.accountID)
            if !email.keywords.contains(.muted) { update.addKeywords.insert(.muted) }
            return update
        }
    }

    private func inInbox(_ conversation: Conversation) -> (Email) -> Bool {
        { conversation.isIn($0, [.inbox]) }
    }

    private func keyword(_ keyword: Keyword, _ isOn: Bool, _ email: Email) -> EmailUpdate {
        var update = EmailUpdate(email.id, in: email.accountID)
        guard email.keywords.contains(keyword) != isOn else { return update }
        if isOn { update.addKeywords = [keyword] } else { update.removeKeywords = [keyword] }
        return update
    }
}

/// Why an action is impossible.
package struct ActionProblem: Error, Hashable, Sendable {
    package let sentence: String

    package init(sentence: String) { self.sentence = sentence }
}
