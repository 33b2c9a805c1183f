import MailKernelAPI

/// An email whose id on the service is unknown, and the properties to recognize it.
package struct ExpectedEmail: Sendable, Hashable {
    package let id: Id<Email>
    /// It will appear in one of these.
    package let mailboxIDs: Set<Id<Mailbox>>
    /// It is moved out of these. What looks like it elsewhere is another program's copy for as long as it
    /// has a name here.
    package let leaves: Set<Id<Mailbox>>
    /// It takes the place of an earlier version, whose name it has until then.
    package let mayReplace: Bool

    init(_ email: Email, mayReplace: Bool, _ pending: [PendingChange]) {
        id = email.id
        self.mayReplace = mayReplace
        let updates = pending.compactMap { change in
            change.update(of: email.id).map { (isUnderWay: change.mayBeThere == true, update: $0) }
        }
        if let move = updates.first(where: { $0.isUnderWay && $0.update.changesMailboxes })?.update {
            (mailboxIDs, leaves) = (move.addMailboxes, move.removeMailboxes)
        } else {
            // It may have been moved on here since it went to the service.
            mailboxIDs = updates.reduce(email.mailboxIDs) { $0.union($1.update.removeMailboxes) }
            leaves = []
        }
    }
}
