import MailKernelAPI

/// The mailboxes of an account.
struct Places: Sendable {
    let mailboxes: [Id<Mailbox>: Mailbox]
    /// Whether mailboxes are labels: a message can be in several of them, not just one.
    let hasLabels: Bool

    func first(_ role: Mailbox.Role) -> Mailbox? {
        mailboxes.values.filter { $0.role == role }.min { ($0.sortOrder, $0.id) < ($1.sortOrder, $1.id) }
    }

    var snoozed: Mailbox? { SnoozedMailbox.among(mailboxes.values) }

    func all(_ roles: Set<Mailbox.Role>) -> Set<Id<Mailbox>> {
        Set(mailboxes.values.filter { $0.role.map(roles.contains) ?? false }.map(\.id))
    }
}

/// The messages of a conversation, oldest first, as shown in a mailbox or in a search (nil).
struct Conversation: Sendable {
    let emails: [Email]
    let mailboxID: Id<Mailbox>?
    let places: Places

    private static let apart: Set<Mailbox.Role> = [.trash, .junk]

    func isIn(_ email: Email, _ roles: Set<Mailbox.Role>) -> Bool {
        email.mailboxIDs.contains { id in places.mailboxes[id]?.role.map(roles.contains) ?? false }
    }

    func isDraft(_ email: Email) -> Bool {
        email.keywords.contains(.draft) || isIn(email, [.drafts])
    }

    /// The messages in the mailbox shown.
    var here: [Email] {
        guard let mailboxID else { return emails }
        return emails.filter { $0.mailboxIDs.contains(mailboxID) }
    }

    /// The messages that are deleted permanently if the conversation is deleted: those in Trash or Spam, if there are no
    /// others.
    var doomed: [Email] {
        if mailboxID != nil { return isLookedAt(Self.apart) ? here : [] }
        let all = emails.filter { !isDraft($0) }
        return all.allSatisfy { isIn($0, Self.apart) } ? all : []
    }

    /// The messages that are moved to a mailbox.
    ///
    /// - To the archive: the messages in the inbox, or else those in the mailbox shown.
    /// - To Trash: the whole conversation except drafts. To Spam: the messages from others.
    /// - To any other mailbox: the messages in the mailbox shown, or, in a search, the messages from others.
    ///
    /// Sent messages and drafts stay where they are, unless their mailbox is shown or there are no other messages.
    func moving(to target: Mailbox) -> [Email] {
        // Trash, Spam and Drafts show only the messages of a conversation that are in them.
        let isNarrow = isLookedAt(Self.apart.union([.drafts]))
        if target.role == .archive { return archived(isNarrow: isNarrow) }
        if isNarrow { return here }
        switch target.role {
        case .trash: return nonempty(emails.filter { !isDraft($0) }) ?? emails
        case .junk: return living(emails.filter { !isOwn($0) })
        case .inbox, .sent, .drafts, .archive, .flagged, .all, .important, nil:
            if mailboxID != nil { return here }
            return living(nonempty(emails.filter { !isOwn($0) }) ?? emails.filter { !isDraft($0) })
        }
    }

    private func archived(isNarrow: Bool) -> [Email] {
        let inInbox = emails.filter { isIn($0, [.inbox]) }
        if !inInbox.isEmpty, !isNarrow { return inInbox }
        let rest = living(here.filter { !isOwn($0) })
        // With labels, a message that is not in the inbox is already archived.
        return places.hasLabels ? rest.filter { isIn($0, Self.apart) } : rest
    }

    /// The mailboxes that a message leaves when it is moved to this one.
    func leaving(_ email: Email, for target: Mailbox) -> Set<Id<Mailbox>> {
        let others = email.mailboxIDs.subtracting([target.id])
        guard places.hasLabels, target.role != .trash, target.role != .junk else { return others }
        let left: Set<Mailbox.Role>
        if target.role == .archive {
            return others.intersection(places.all(Self.apart.union([.inbox])))
        } else if mailboxID == nil {
            left = Self.apart.union([.inbox, .archive])
        } else {
            left = target.role == .inbox ? [.archive] : []
        }
        return others.intersection(places.all(left).union(mailboxID.map { [$0] } ?? []))
    }

    /// The messages that are snoozed: those in the inbox and those asleep, or else those in the mailbox shown.
    func snoozing(besides isAsleep: (Email) -> Bool) -> [Email] {
        if isLookedAt(Self.apart.union([.drafts])) { return here }
        return nonempty(emails.filter { isIn($0, [.inbox]) || isAsleep($0) })
            ?? living(here.filter { !isOwn($0) })
    }

    /// The mailboxes that a message leaves when it is snoozed. Labels stay.
    func leaving(_ email: Email, toSleepIn place: Mailbox) -> Set<Id<Mailbox>> {
        let others = email.mailboxIDs.subtracting([place.id])
        guard places.hasLabels else { return others }
        return others.intersection(places.all(Self.apart.union([.inbox, .archive])))
    }

    private func isLookedAt(_ roles: Set<Mailbox.Role>) -> Bool {
        mailboxID.flatMap { places.mailboxes[$0]?.role }.map(roles.contains) ?? false
    }

    /// Messages from the user. A message that users send to themselves is in the inbox, too.
    private func isOwn(_ email: Email) -> Bool {
        isDraft(email) || isIn(email, [.sent]) && !isIn(email, [.inbox])
    }

    /// Messages in Trash or Spam stay there, unless there are no others.
    private func living(_ emails: [Email]) -> [Email] {
        nonempty(emails.filter { !isIn($0, Self.apart) }) ?? emails
    }

    private func nonempty(_ emails: [Email]) -> [Email]? { emails.isEmpty ? nil : emails }
}
