import FoundationEssentials
import MailKernelAPI

/// States, and what has changed since one.
let storageChangesCases: [ConformanceCase] = [
    storageCase("changesSayWhatBecameOfEachRecord", "Created, updated, destroyed: each id once.") { store in
        try await store.put(Fixture.email("kept"), Fixture.email("gone"), Fixture.email("same"))
        let old = try await store.state(.email)
        try await store.put(Fixture.email("new"), Fixture.email("brief"))
        try await store.update("kept", add: [.seen])
        try await store.update("kept", add: [.flagged])
        try await store.update("new", add: [.seen])
        try await store.update("gone", add: [.seen])
        try await store.destroy("gone", "brief")
        let changes = try await store.changes(.email, since: old)
        try expectEqual(changes.created, ["new"], "created")
        try expectEqual(changes.updated, ["kept"], "updated")
        try expectEqual(changes.destroyed, ["gone"], "destroyed")
        try await expectEqual(changes.newState, store.state(.email), "the new state")
        try expect(!changes.hasMoreChanges, "all changes were told, yet hasMoreChanges is true")
    },
    storageCase("nothingHasChangedSinceNow", "Since the current state there are no changes.") { store in
        let now = try await store.state(.email)
        try await expectEqual(store.changes(.email, since: now), Changes(newState: now), "changes since now")
    },
    storageCase("typesHaveStatesOfTheirOwn", "A state changes only with records of its type.") { store in
        let types: [DataType] = [.mailbox, .email, .thread, .identity, .submission, .documents("c")]
        func changed(by change: StorageChange) async throws -> [DataType] {
            var before: [State] = []
            for type in types { before.append(try await store.state(type)) }
            try await store.commit(change)
            var changed: [DataType] = []
            for (type, old) in zip(types, before) where try await store.state(type) != old {
                changed.append(type)
            }
            return changed
        }
        let email = Fixture.email("a")
        try await expectEqual(
            changed(by: .putEmail(email, Fixture.body(""))), [.mailbox, .email, .thread], "a new email")
        let flag = EmailUpdate(email.id, in: Fixture.home, addKeywords: [.flagged])
        try await expectEqual(changed(by: .updateEmail(flag)), [.email], "a flag")
        try await expectEqual(changed(by: .putIdentity(Fixture.identity("i"))), [.identity], "an identity")
        try await expectEqual(
            changed(by: .putSubmission(Fixture.submission("s"))), [.submission], "a submission")
        let document = Document(DocumentKey("c", "n", accountID: Fixture.home), value: 1)
        try await expectEqual(changed(by: .putDocument(document)), [.documents("c")], "a document")
    },
    storageCase("accountsHaveStatesOfTheirOwn", "Changes in one account do not affect another's states.") {
        store in
        try await store.commit(Fixture.changes(toAdd: Fixture.work))
        let home = try await store.state(.email)
        try await store.put(Fixture.email("a", of: Fixture.work))
        try await expectEqual(store.state(.email), home, "the state of emails of the other account")
    },
    storageCase("accountsThemselvesHaveAState", "Added and changed accounts are reported.") { store in
        let old = try await store.state(.account)
        try await store.commit(.putAccount(Fixture.account(Fixture.work)))
        var renamed = Fixture.account(Fixture.home)
        renamed.displayName = "Another"
        try await store.commit(.putAccount(renamed))
        let changes = try await store.changes(.account, since: old)
        try expectEqual(
            [changes.created, changes.updated], [["work"], ["home"]], "created and updated accounts")
    },
    storageCase("aPageEndsAnywhere", "At most `limit` ids are returned, the rest from `newState`.") { store in
        let old = try await store.state(.email)
        try await store.put((0..<25).map { Fixture.email("e\($0)") })
        var state = old
        var told: [String] = []
        var hasMore = true
        while hasMore, told.count < 100 {
            let page = try await store.changes(.email, since: state, limit: 10)
            try expect(page.created.count <= 10, "\(page.created.count) ids were told, the limit was 10")
            told += page.created
            state = page.newState
            hasMore = page.hasMoreChanges
        }
        try expectEqual(told.sorted(), (0..<25).map { "e\($0)" }.sorted(), "ids told in pages of 10")
    },
    storageCase("followingPagesLeadsToThePresent", "Applying all changes leads to the current records.") {
        store in
        let old = try await store.state(.email)
        try await store.put((0..<8).map { Fixture.email("e\($0)") })
        try await store.update("e3", add: [.seen])
        try await store.destroy("e5", "e6")
        try await store.put(Fixture.email("e6"), Fixture.email("e9"))
        try await store.update("e9", add: [.seen])
        for limit in [1, 2, 3, 100] {
            let known = try await follow(store, from: old, limit: limit)
            try expectEqual(
                known.sorted(), ["e0", "e1", "e2", "e3", "e4", "e6", "e7", "e9"], "pages of \(limit)")
        }
    },
    storageCase("strangeStatesAreUnknown", "A state that the store never returned is unknown.") { store in
        for text in ["", "0", "-1", "no such state", "\0", "'; --", "99999999999999999999", "日本"] {
            try await expectStorageError(.cannotCalculateChanges, "changes since the state \"\(text)\"") {
                try await store.changes(.email, since: State(rawValue: text))
            }
        }
    },
    storageCase("tenThousandChangesAreRemembered", "The last 10,000 changes are available.") { store in
        let old = try await store.state(.documents("c"))
        try await putDocuments(0..<10_000, store)
        let changes = try await store.changes(.documents("c"), since: old, limit: 20_000)
        try expectEqual(changes.created.count, 10_000, "created documents")
        try await putDocuments(10_000..<10_400, store)
        // From here on the store may say that it does not remember, but nothing wrong.
        do {
            let later = try await store.changes(.documents("c"), since: old, limit: 20_000)
            try expectEqual(later.created.count, 10_400, "documents told of since a very old state")
        } catch StorageError.cannotCalculateChanges {}
        let recent = try await store.changes(.documents("c"), since: changes.newState, limit: 20_000)
        try expectEqual(recent.created.count, 400, "documents told of since a recent state")
    },
    storageCase("countsAloneAreToldAsSuch", "`onlyCounts` distinguishes new counts from other changes.") {
        store in
        let old = try await store.state(.mailbox)
        try await store.put(Fixture.email("a"))
        let counted = try await store.changes(.mailbox, since: old)
        try expectEqual(counted.updated, ["inbox"], "mailboxes updated by a new email")
        try expect(counted.onlyCounts, "only counts have changed, yet onlyCounts is false")
        try await store.commit(
            .putMailbox(Fixture.mailbox(Fixture.inbox, parent: Fixture.archive, role: .inbox)))
        try expect(
            try await !store.changes(.mailbox, since: old).onlyCounts,
            "a mailbox moved, yet onlyCounts is true")
    },
    storageCase("aThreadChangesWithItsEmails", "Threads are created, updated and destroyed.") { store in
        try await store.put(Fixture.email("a"))
        let thread = try await store.email("a").threadID
        let old = try await store.state(.thread)
        try await store.put(Fixture.email("b", day: 1, inReplyTo: ["a@mail.example"]))
        let grown = try await store.changes(.thread, since: old)
        try expectEqual(grown.updated, [thread.rawValue], "threads updated by an answer")
        try await store.destroy("a", "b")
        let gone = try await store.changes(.thread, since: grown.newState)
        try expectEqual(gone.destroyed, [thread.rawValue], "threads destroyed with their last email")
    },
    storageCase("statesOfAnUnknownAccountAreNotFound", "A missing account has no state.") {
        store in
        try await expectNotFound("the state of a missing account") {
            try await store.backend.state(of: .email, in: Id("nowhere"))
        }
    },
]

private func putDocuments(_ numbers: Range<Int>, _ store: TestStore) async throws {
    try await store.commit(
        numbers.map { number in
            let key = DocumentKey("c", "n\(number)", accountID: Fixture.home)
            return .putDocument(Document(key, value: .number(Double(number))))
        })
}

/// What a client knows that asks for changes page by page, and asks for nothing else.
private func follow(_ store: TestStore, from old: State, limit: Int) async throws -> Set<String> {
    var known: Set<String> = []
    var state = old
    for _ in 0..<1_000 {
        let page = try await store.changes(.email, since: state, limit: limit)
        known.formUnion(page.created)
        try expect(
            known.isSuperset(of: page.updated), "\(page.updated) was told as updated before it was created")
        known.subtract(page.destroyed)
        state = page.newState
        guard page.hasMoreChanges else { return known }
    }
    throw ConformanceFailure("hasMoreChanges is still true after 1,000 pages")
}
