import MailKernelAPI

/// Mailboxes, and the numbers that users read all day.
let storageMailboxCases: [ConformanceCase] = [
    storageCase("aMailboxComesBackEqual", "Every property of a mailbox is kept.") { store in
        let full = Mailbox(
            id: Id("full"), accountID: Fixture.home, name: "Ünïcode / with \"signs\"",
            parentID: Fixture.archive,
            role: .junk, sortOrder: 7, isSubscribed: false, rights: [.readItems, .rename])
        try await store.commit(.putMailbox(full))
        let stored = try await store.backend.mailboxes([Id("full")], in: Fixture.home)
        try expectEqual(stored, [StoredMailbox(mailbox: full, counts: MailboxCounts())], "the mailbox")
    },
    storageCase("mailboxesComeInTheOrderAsked", "Ids that do not exist are left out.") { store in
        let ids = [Fixture.trash, Id("none"), Fixture.inbox]
        let found = try await store.backend.mailboxes(ids, in: Fixture.home).map(\.mailbox.id)
        try expectEqual(found, [Fixture.trash, Fixture.inbox], "mailboxes")
        let all = try await store.backend.mailboxes(nil, in: Fixture.home).map(\.mailbox.id)
        try expectEqual(
            all.sorted(), ["archive", "drafts", "inbox", "trash"].map { Id($0) }, "all mailboxes")
        try await expectEqual(store.backend.mailboxes(nil, in: Id("nowhere")), [], "mailboxes of no account")
    },
    storageCase("countsFollowEveryChange", "Counts are exact after each commit.") { store in
        try await store.put(Fixture.email("a"), Fixture.email("b", keywords: [.seen]))
        try await expectCounts(store, Fixture.inbox, 2, 1, 2, 1, "after two emails, one read")
        try await store.put(Fixture.email("c", inReplyTo: ["a@mail.example"]))
        try await expectCounts(store, Fixture.inbox, 3, 2, 2, 1, "after an answer")
        try await store.update("a", add: [.seen])
        try await expectCounts(store, Fixture.inbox, 3, 1, 2, 1, "after reading one of a thread")
        try await store.update("c", add: [.seen])
        try await expectCounts(store, Fixture.inbox, 3, 0, 2, 0, "after reading all")
        try await store.update("c", remove: [.seen], into: [Fixture.archive])
        try await expectCounts(store, Fixture.archive, 1, 1, 1, 1, "of a second mailbox")
        try await store.update("c", outOf: [Fixture.inbox])
        try await expectCounts(store, Fixture.inbox, 2, 0, 2, 1, "after one of a thread left")
        try await store.destroy("c")
        try await expectCounts(store, Fixture.inbox, 2, 0, 2, 0, "after the unread one was destroyed")
        try await store.put(Fixture.email("a", in: [Fixture.archive]))
        try await expectCounts(store, Fixture.inbox, 1, 0, 1, 0, "after one was replaced elsewhere")
        try await expectCounts(store, Fixture.archive, 1, 1, 1, 1, "where it was replaced to")
    },
    storageCase("draftsAreNotUnread", "Emails with `$seen` or `$draft` are not unread.") { store in
        try await store.put(
            Fixture.email("a", keywords: [.draft]), Fixture.email("b", keywords: [.seen, .draft]),
            Fixture.email("c", keywords: [.flagged]))
        try await expectCounts(store, Fixture.inbox, 3, 1, 3, 1, "of drafts and one other")
    },
    storageCase("aThreadIsUnreadWhereverItsEmailIs", "Unread threads consider other mailboxes.") { store in
        try await store.put(
            Fixture.email("a", keywords: [.seen]),
            Fixture.email("b", in: [Fixture.archive], inReplyTo: ["a@mail.example"]))
        try await expectCounts(store, Fixture.inbox, 1, 0, 1, 1, "of the inbox, an answer unread elsewhere")
    },
    storageCase("theTrashDoesNotMakeUnread", "Unread emails that are only in Trash do not count elsewhere.") {
        store in
        try await store.put(
            Fixture.email("a", keywords: [.seen]),
            Fixture.email("b", in: [Fixture.trash], inReplyTo: ["a@mail.example"]))
        try await expectCounts(
            store, Fixture.inbox, 1, 0, 1, 0, "of the inbox, an answer unread in the trash")
        try await expectCounts(store, Fixture.trash, 1, 1, 1, 1, "of the trash")
        try await store.update("b", into: [Fixture.archive])
        try await expectCounts(store, Fixture.inbox, 1, 0, 1, 1, "once the answer is in the archive too")
    },
    storageCase("theTrashCountsItsOwn", "Unread emails elsewhere do not count in Trash.") { store in
        try await store.put(
            Fixture.email("a"),
            Fixture.email("b", in: [Fixture.trash], keywords: [.seen], inReplyTo: ["a@mail.example"]))
        try await expectCounts(store, Fixture.trash, 1, 0, 1, 0, "of the trash")
        try await expectCounts(store, Fixture.inbox, 1, 1, 1, 1, "of the inbox")
    },
    storageCase("becomingTheTrashCountsAnew", "A mailbox that gets the role is counted by its rules.") {
        store in
        try await store.put(
            Fixture.email("a", keywords: [.seen]),
            Fixture.email("b", in: [Fixture.archive], inReplyTo: ["a@mail.example"]))
        try await expectCounts(store, Fixture.inbox, 1, 0, 1, 1, "before")
        try await store.commit(
            .putMailbox(Fixture.mailbox(Fixture.trash)),
            .putMailbox(Fixture.mailbox(Fixture.archive, role: .trash)))
        try await expectCounts(store, Fixture.inbox, 1, 0, 1, 0, "after the archive became the trash")
    },
    storageCase("aDestroyedMailboxTakesItsOwnEmails", "Emails that are in others stay there.") { store in
        try await store.put(
            Fixture.email("only", in: [Fixture.archive]),
            Fixture.email("both", in: [Fixture.archive, Fixture.inbox]))
        let old = try await store.state(.email)
        try await store.commit(.destroyMailbox(Fixture.archive, in: Fixture.home))
        try await expectEqual(store.find(nil), "both", "emails left")
        try await expectEqual(store.email("both").email.mailboxIDs, [Fixture.inbox], "mailboxes of the other")
        let changes = try await store.changes(.email, since: old)
        try expectEqual([changes.updated, changes.destroyed], [["both"], ["only"]], "updated and destroyed")
        try await expectCounts(store, Fixture.inbox, 1, 1, 1, 1, "of the inbox")
    },
    storageCase("accountsDoNotShareMailboxes", "The same ids in two accounts are different things.") {
        store in
        try await store.commit(Fixture.changes(toAdd: Fixture.work))
        try await store.put(Fixture.email("a"), Fixture.email("a", of: Fixture.work, subject: "Of work"))
        try await expectEqual(store.email("a").email.header.subject, "About a", "the subject at home")
        try await expectEqual(store.email("a", in: Fixture.work).email.header.subject, "Of work", "at work")
        try await store.destroy("a")
        try await expectEqual(
            store.email("a", in: Fixture.work).email.header.subject, "Of work", "at work later")
        try await expectCounts(store, Fixture.inbox, 0, 0, 0, 0, "of the inbox at home")
    },
]

private func expectCounts(
    _ store: TestStore, _ id: Id<Mailbox>, _ emails: Int, _ unreadEmails: Int, _ threads: Int,
    _ unreadThreads: Int, _ when: String
) async throws {
    let expected = MailboxCounts(
        totalEmails: emails, unreadEmails: unreadEmails, totalThreads: threads, unreadThreads: unreadThreads)
    try await expectEqual(store.counts(id), expected, "counts of \(id) \(when)")
}
