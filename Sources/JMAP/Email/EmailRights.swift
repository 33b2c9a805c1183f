import MailKernelAPI

/// What the rights of mailboxes (`myRights`) allow with the emails in them. A service would refuse the rest later, when
/// the client has long been told that it was done.
extension MailboxChoice {
    func checkAdding(to id: Id<Mailbox>) throws(SetError) {
        try check(.addItems, in: [id]) { "Messages cannot be added to “\($0)”." }
    }

    /// An email in several mailboxes needs the right to change its keywords in each of them (RFC 8621, section 2).
    func check(_ update: EmailUpdate, of email: Email) throws(SetError) {
        for id in update.addMailboxes.sorted() { try checkAdding(to: id) }
        try check(.removeItems, in: update.removeMailboxes) { "Messages cannot be removed from “\($0)”." }
        let keywords = update.addKeywords.union(update.removeKeywords)
        if keywords.contains(.seen) {
            try check(.setSeen, in: email.mailboxIDs) {
                "Messages in “\($0)” cannot be marked as read or unread."
            }
        }
        if !keywords.subtracting([.seen]).isEmpty {
            try check(.setKeywords, in: email.mailboxIDs) { "Stars and tags cannot be changed in “\($0)”." }
        }
    }

    func checkDestroying(_ email: Email) throws(SetError) {
        try check(.removeItems, in: email.mailboxIDs) { "Messages in “\($0)” cannot be deleted." }
    }

    private func check(
        _ right: MailboxRights, in ids: Set<Id<Mailbox>>, _ refusal: (String) -> String
    ) throws(SetError) {
        for id in ids.sorted() {
            guard let mailbox = mailboxes[id], !mailbox.rights.contains(right) else { continue }
            throw SetError("forbidden", refusal(mailbox.name))
        }
    }
}
