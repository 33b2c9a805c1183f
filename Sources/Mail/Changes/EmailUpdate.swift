import MailKernelAPI

extension EmailUpdate {
    /// What makes an email have these keywords and mailboxes.
    package init(_ email: Email, keywords: Set<Keyword>, mailboxIDs: Set<Id<Mailbox>>) {
        self.init(
            email.id, in: email.accountID, addKeywords: keywords.subtracting(email.keywords),
            removeKeywords: email.keywords.subtracting(keywords),
            addMailboxes: mailboxIDs.subtracting(email.mailboxIDs),
            removeMailboxes: email.mailboxIDs.subtracting(mailboxIDs))
    }

    package var isEmpty: Bool {
        addKeywords.isEmpty && removeKeywords.isEmpty && addMailboxes.isEmpty && removeMailboxes.isEmpty
    }

    package var changesMailboxes: Bool { !addMailboxes.isEmpty || !removeMailboxes.isEmpty }

    /// What takes it back.
    package var inverse: EmailUpdate {
        EmailUpdate(
            id, in: accountID, addKeywords: removeKeywords, removeKeywords: addKeywords,
            addMailboxes: removeMailboxes, removeMailboxes: addMailboxes)
    }
}
