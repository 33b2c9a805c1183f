import MailKernelAPI

/// What a rule does to a message.
package struct RuleEffect: Sendable, Hashable {
    package var email: Email
    /// Where it is put; empty if it stays where it is.
    package var targets: [Id<Mailbox>] = []
    /// Whether it also stays where it is.
    package var stays = true
    package var keywords: Set<Keyword> = []
    /// The name of the rule, by which the action is recorded.
    package var rule: String

    package init(_ email: Email, rule: String) {
        (self.email, self.rule) = (email, rule)
    }

    /// What it comes to, with the verb that describes it.
    ///
    /// - Throws: `ActionProblem` if a mailbox does not allow it.
    func change(_ places: Places, _ rights: MailRights) throws(ActionProblem) -> (MailVerb, EmailUpdate) {
        var update = EmailUpdate(
            email.id, in: email.accountID, addKeywords: keywords.subtracting(email.keywords))
        update.addMailboxes = Set(targets).subtracting(email.mailboxIDs)
        if !stays, let first = targets.first.flatMap({ places.mailboxes[$0] }) {
            let inboxes = Conversation(emails: [email], mailboxID: nil, places: places)
            update.removeMailboxes = inboxes.leaving(email, for: first).subtracting(targets)
        }
        if let reason = rights.refusal(of: update, on: email) { throw ActionProblem(sentence: reason) }
        return (verb(places), update)
    }

    private func verb(_ places: Places) -> MailVerb {
        // Where it is says more than its keywords.
        guard targets.count == 1, let target = targets.first else {
            guard targets.isEmpty else { return .update }
            return keywords == [.flagged] ? .star : keywords == [.seen] ? .read : .update
        }
        if stays { return .label(target) }
        return switch places.mailboxes[target]?.role {
        case .trash: .trash
        case .junk: .spam
        case .archive: .archive
        case .inbox, .sent, .drafts, .flagged, .all, .important, nil: .move(target)
        }
    }
}
