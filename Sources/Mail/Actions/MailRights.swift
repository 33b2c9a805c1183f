import MailKernelAPI

/// The changes to emails that the rights of mailboxes (`myRights`) allow. A service would refuse others only later, after
/// the client had received a success.
package struct MailRights: Sendable {
    let mailboxes: [Id<Mailbox>: Mailbox]
    let beingSent: Set<Id<Email>>

    /// - Parameter beingSent: emails that are not destroyed, because they are waiting to be sent.
    package init(_ mailboxes: [Id<Mailbox>: Mailbox], beingSent: Set<Id<Email>> = []) {
        self.mailboxes = mailboxes
        self.beingSent = beingSent
    }

    package func refusalOfAdding(to id: Id<Mailbox>) -> String? {
        refusal(.addItems, in: [id]) { "Messages cannot be added to “\($0)”." }
    }

    package func refusalOfDestroying(_ email: Email) -> String? {
        if beingSent.contains(email.id) { return "The message is waiting to be sent. Cancel it first." }
        return refusal(.removeItems, in: email.mailboxIDs) { "Messages in “\($0)” cannot be deleted." }
    }

    /// An email in several mailboxes needs the right to change its keywords in each of them (RFC 8621, section 2).
    package func refusal(of update: EmailUpdate, on email: Email) -> String? {
        let keywords = update.addKeywords.union(update.removeKeywords)
        return update.addMailboxes.sorted().lazy.compactMap(refusalOfAdding).first
            ?? refusal(.removeItems, in: update.removeMailboxes) {
                "Messages cannot be removed from “\($0)”."
            }
            ?? refusal(keywords.contains(.seen) ? .setSeen : [], in: email.mailboxIDs) {
                "Messages in “\($0)” cannot be marked as read or unread."
            }
            ?? refusal(keywords.subtracting([.seen]).isEmpty ? [] : .setKeywords, in: email.mailboxIDs) {
                "Stars and tags cannot be changed in “\($0)”."
            }
    }

    private func refusal(
        _ right: MailboxRights, in ids: Set<Id<Mailbox>>, _ sentence: (String) -> String
    ) -> String? {
        ids.sorted().compactMap { mailboxes[$0] }.first { !$0.rights.contains(right) }
            .map { sentence($0.name) }
    }
}
