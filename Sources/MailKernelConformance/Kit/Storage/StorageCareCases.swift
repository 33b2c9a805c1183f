import FoundationEssentials
import MailKernelAPI

/// Room, cleaning and removal (FR-SET-03, FR-ACCT-05).
let storageCareCases: [ConformanceCase] = [
    storageCase("usageSaysWhatTakesRoom", "Mail, attachments and search index of each account.") { store in
        try await store.commit(Fixture.changes(toAdd: Fixture.work))
        let text = String(repeating: "some words of a letter ", count: 2_000)
        try await store.commit(.putEmail(Fixture.email("a"), Fixture.body(text)))
        try await store.writeBlob("b", Data(count: 70_000), .kept)
        try await store.writeBlob("c", Data(count: 30_000), .cached)
        let usage = try await store.care.usage()
        try expectEqual(Set(usage.accounts.map(\.accountID)), [Fixture.home, Fixture.work], "accounts")
        guard let home = usage.accounts.first(where: { $0.accountID == Fixture.home }) else { return }
        try expect(
            home.mail >= text.utf8.count, "mail of \(text.utf8.count) bytes is said to take \(home.mail)")
        try expect(home.searchIndex > 0, "the search index of an email takes no room")
        try expect(
            (100_000...140_000).contains(home.attachments),
            "blobs of 100,000 bytes are said to take \(home.attachments)")
        try expect(
            (30_000...50_000).contains(usage.clearable),
            "30,000 bytes can be cleared, it says \(usage.clearable)")
        let sum = usage.accounts.reduce(0) { $0 + $1.total }
        try expect(usage.total >= sum, "the total \(usage.total) is less than that of the accounts, \(sum)")
    },
    storageCase("usageFallsWithTheMail", "Destroyed data no longer counts.") { store in
        let text = String(repeating: "words ", count: 5_000)
        try await store.commit(.putEmail(Fixture.email("a"), Fixture.body(text)))
        let before = try await store.care.usage().accounts.first
        try await store.destroy("a")
        let after = try await store.care.usage().accounts.first
        try expect(
            (after?.mail ?? 0) + text.utf8.count <= before?.mail ?? 0,
            "mail took \(before?.mail ?? 0) bytes, and \(after?.mail ?? 0) after \(text.utf8.count) were destroyed"
        )
    },
    storageCase("clearingFreesTheCache", "Cached blobs are removed; mail and kept blobs stay.") { store in
        try await store.commit(oneOfEach)
        try await store.writeBlob("kept", Data(count: 1_000), .kept)
        try await store.writeBlob("cached", Data(count: 50_000), .cached)
        let freed = try await store.care.clearCache(includingInsights: false)
        try expect(freed >= 50_000, "50,000 bytes were cached, \(freed) are said to be free")
        try await expectEqual(store.blobs("kept cached"), "kept", "blobs after clearing")
        try await expectEqual(store.find(nil), "e1", "emails after clearing")
        guard store.backend.parts.insights != nil else { return }
        try await expectEqual(store.heldInsights([Id("e1")]).count, 1, "insights")
    },
    storageCase(
        "clearingInsightsSparesCorrections", "Results that a model can recompute are removed as well."
    ) { store in
        try await store.put(Fixture.email("a"), Fixture.email("b"))
        try await store.commit(
            .putInsight(Fixture.insight("a", .social, embedding: [1, 0])),
            .putInsight(Fixture.insight("b", .forums, isCorrected: true)))
        _ = try await store.care.clearCache(includingInsights: true)
        let left = try await store.insights.insights(of: [Id("a"), Id("b")], in: Fixture.home)
        try expectEqual(left.map(\.category), [.forums], "categories left")
        try await expectEqual(store.find(.category(.uncategorized)), "a", "uncategorized emails")
        try await expectEqual(store.care.usage().clearable, 0, "what can still be cleared")
    },
    storageCase("purgingRemovesOldMail", "In steps, except in mailboxes with the given roles.") { store in
        try await store.put((0..<10).map { Fixture.email("e\($0)", day: Double($0), size: $0) })
        for number in 0..<10 { try await store.name("e\(number)") }
        try await store.update("e1", into: [Fixture.drafts])
        let old = try await store.state(.email)
        let removed = try await purge(store, limit: 3)
        try expectEqual(removed, 3, "emails removed by a step of 3")
        try await expectEqual(purge(store, limit: 3), 1, "emails removed by the next step")
        try await expectEqual(purge(store, limit: 3), 0, "emails removed by the last step")
        try await expectEqual(store.find(nil), "e1 e5 e6 e7 e8 e9", "emails left")
        let destroyed = try await store.changes(.email, since: old).destroyed.sorted()
        try expectEqual(destroyed, ["e0", "e2", "e3", "e4"], "emails told as destroyed")
        try await expectEqual(store.counts(Fixture.inbox).totalEmails, 6, "emails of the inbox by its counts")
    },
    storageCase("purgingSparesWhatIsHereAlone", "Mail without a remote id may exist nowhere else.") {
        store in
        try await store.put(Fixture.email("named", day: 1), Fixture.email("here", day: 1, size: 1))
        try await store.name("named")
        try await expectEqual(purge(store, limit: 9), 1, "emails removed")
        try await expectEqual(store.find(nil), "here", "emails left")
    },
    storageCase("aRemovedAccountLeavesNothing", "All of its data is removed, and no other account's.") {
        store in
        try await store.commit(Fixture.changes(toAdd: Fixture.work))
        try await store.put(Fixture.email("w", of: Fixture.work))
        try await store.commit(oneOfEach)
        try await store.writeBlob("b", Data(count: 100), .kept)
        let accounts = try await store.state(.account)
        try await store.backend.removeAccount(Fixture.home)
        try await expectHomeIsGone(store)
        try await expectEqual(
            store.changes(.account, since: accounts).destroyed, ["home"], "accounts destroyed")
        try await expectEqual(
            store.email("w", in: Fixture.work).email.id, Id("w"), "an email of the other account")
        try await store.reopen()
        try await expectHomeIsGone(store)
        try await store.backend.removeAccount(Fixture.home)
    },
    storageCase("anAccountThatComesBackIsNew", "Its former states and records are invalid.") { store in
        try await store.commit(oneOfEach)
        let old = try await store.state(.email)
        try await store.backend.removeAccount(Fixture.home)
        try await store.commit(Fixture.changes(toAdd: Fixture.home))
        try await expectEqual(store.find(nil), "", "emails")
        try await expectEqual(store.backend.contacts(matching: "", limit: 9), [], "contacts")
        try await expectEqual(store.counts(Fixture.inbox), MailboxCounts(), "counts of the inbox")
        try await expectStorageError(.cannotCalculateChanges, "changes since a state of the former account") {
            try await store.changes(.email, since: old)
        }
    },
    storageCase("aWipedStoreIsClosedAndEmpty", "`open` creates a new one.") { store in
        try await store.commit(oneOfEach)
        let old = try await store.state(.account)
        try await store.backend.wipe()
        try await expectStorageError(.closed, "accounts of a wiped store") {
            try await store.backend.accounts()
        }
        try await expectEqual(store.reopen(), .created, "opening after wiping")
        try await expectEqual(store.backend.accounts(), [], "accounts")
        try await expectEqual(store.backend.contacts(matching: "", limit: 9), [], "contacts")
        try await expectEqual(store.backend.document(DocumentKey("settings", "theme")), nil, "a document")
        try await expectStorageError(.cannotCalculateChanges, "changes since a state of before") {
            try await store.changes(.account, since: old)
        }
    },
    storageCase("theIndexCanBeMadeAnew", "Searches return the same results.") { store in
        try await store.put(
            (0..<20).map { Fixture.email("e\($0)", subject: $0 % 2 == 0 ? "even" : "odd", size: $0) })
        let before = try await store.find(.text("even"))
        try await store.care.rebuildSearchIndex()
        try await expectEqual(store.find(.text("even")), before, "emails found after rebuilding")
    },
    storageCase("aStoreInUseIsSound", "`check` finds nothing after all kinds of operations.") { store in
        try await store.commit(oneOfEach)
        try await store.writeBlob("b", Data(count: 10), .cached)
        try await store.put(Fixture.email("a", inReplyTo: ["e1@mail.example"]))
        try await store.destroy("e1")
        try await store.care.rebuildSearchIndex()
        try await expectEqual(store.care.check(), [], "findings")
    },
]

extension TestStore {
    /// The service has this one.
    fileprivate func name(_ emailID: String) async throws {
        try await commit(
            .putRemote(
                RemoteRef(
                    emailID: Id(emailID), accountID: Fixture.home, feed: Id("inbox"), remoteID: Id(emailID))))
    }
}

private func purge(_ store: TestStore, limit: Int) async throws -> Int {
    try await store.care.purge(before: Fixture.day(5), in: Fixture.home, sparing: [.drafts], limit: limit)
}

private func expectHomeIsGone(_ store: TestStore) async throws {
    let home = Fixture.home
    try await expectEqual(store.backend.accounts().map(\.id), [Fixture.work], "accounts")
    try await expectEqual(store.backend.mailboxes(nil, in: home), [], "mailboxes")
    try await expectEqual(store.backend.emails([Id("e1")], in: home), [], "emails")
    try await expectEqual(store.backend.body(of: Id("e1"), in: home), nil, "a body")
    try await expectEqual(store.backend.identities(nil, in: home), [], "identities")
    try await expectEqual(store.backend.submissions(nil, in: home), [], "submissions")
    try await expectEqual(store.backend.remoteRefs(of: [Id("e1")], in: home), [], "remote names")
    try await expectEqual(store.heldInsights([Id("e1")]), [], "insights")
    try await expectEqual(store.backend.contacts(matching: "", limit: 9), [], "contacts")
    try await expectEqual(
        store.backend.documents(in: "cursor", accountID: home, after: nil, limit: 9), [], "documents")
    try await expectEqual(store.blobs("b"), "", "blobs")
    try await expectEqual(store.find(.text("hello")), "", "emails found")
    try await expectNotFound("the state of emails") { try await store.state(.email) }
    guard let care = store.backend.parts.care else { return }
    try await expectEqual(care.usage().accounts.map(\.accountID), [Fixture.work], "accounts in usage")
}
