import MailKernelAPI

/// A mailbox of our own for drafts of an account whose service has none. It is made with the first draft that needs it,
/// and becomes the service's as soon as there is one.
package enum OwnDrafts {
    package static func id(_ account: Id<Account>) -> Id<Mailbox> { Id("X-drafts-" + account.rawValue) }

    /// Where drafts of an account are shown, and what makes that place if it is missing.
    package static func place(
        among mailboxes: [Mailbox], of account: Id<Account>
    ) -> (id: Id<Mailbox>, changes: [StorageChange]) {
        if let found = mailboxes.first(where: { $0.role == .drafts }) { return (found.id, []) }
        let own = mailbox(of: account)
        return (own.id, [.putMailbox(own)])
    }

    package static func mailbox(of account: Id<Account>) -> Mailbox {
        Mailbox(
            id: id(account), accountID: account, name: "Drafts", role: .drafts,
            sortOrder: Mailbox.sortOrder(.drafts),
            rights: [.readItems, .addItems, .removeItems, .setSeen, .setKeywords])
    }
}

/// A mailbox of our own for mail that the service keeps in none.
package enum OwnArchive {
    package static func id(_ account: Id<Account>) -> Id<Mailbox> { Id("X-archive-" + account.rawValue) }

    package static func mailbox(of account: Id<Account>) -> Mailbox {
        Mailbox(
            id: id(account), accountID: account, name: "Archive", role: .archive,
            sortOrder: Mailbox.sortOrder(.archive),
            rights: [.readItems, .addItems, .removeItems, .setSeen, .setKeywords])
    }
}

extension Mailbox {
    /// The usual mailboxes first, in their usual order.
    package static func sortOrder(_ role: Mailbox.Role?) -> Int {
        switch role {
        case .inbox: 1
        case .drafts: 2
        case .sent: 3
        case .archive: 4
        case .junk: 5
        case .trash: 6
        case .flagged, .all, .important: 7
        case nil: 10
        }
    }
}
