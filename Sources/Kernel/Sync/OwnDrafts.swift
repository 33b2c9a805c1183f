import MailKernelAPI

/// A mailbox of our own for drafts of an account whose service has none. It is made with the first draft that needs it,
/// and becomes the service's as soon as there is one.
enum OwnDrafts {
    static func id(_ account: Id<Account>) -> Id<Mailbox> { Id("X-drafts-" + account.rawValue) }

    /// Where drafts of an account are shown, and what makes that place if it is missing.
    static func place(
        among mailboxes: [Mailbox], of account: Id<Account>
    ) -> (id: Id<Mailbox>, changes: [StorageChange]) {
        if let found = mailboxes.first(where: { $0.role == .drafts }) { return (found.id, []) }
        let own = mailbox(of: account)
        return (own.id, [.putMailbox(own)])
    }

    static func mailbox(of account: Id<Account>) -> Mailbox {
        Mailbox(
            id: id(account), accountID: account, name: "Drafts", role: .drafts,
            sortOrder: MailboxSync.sortOrder(.drafts),
            rights: [.readItems, .addItems, .removeItems, .setSeen, .setKeywords])
    }
}
