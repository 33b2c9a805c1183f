import FoundationEssentials
import MailKernelAPI

/// What a store does when it is opened and closed, and what lasts.
let storageOpeningCases: [ConformanceCase] = [
    ConformanceCase(
        .storage, "anEmptyFolderBecomesAStore", "Opening an empty folder creates a store, empty and sound."
    ) { bench in
        let store = try TestStore(bench)
        try await expectEqual(store.backend.open(), .created, "opening for the first time")
        try await expectEqual(store.backend.accounts(), [], "accounts of a new store")
        try await expectEqual(store.findings(), [], "findings of check() in a new store")
        await store.backend.close()
    },
    ConformanceCase(
        .storage, "nothingIsAnsweredBeforeOpening", "Calls before `open` throw `.closed`."
    ) { bench in
        let store = try TestStore(bench)
        try await expectEverythingIsClosed(store.backend)
    },
    ConformanceCase(
        .storage, "aServerHasAName", "A place on a server has a short name, the same at any time."
    ) { bench in
        let store = try TestStore(bench)
        let place = store.backend.place
        if case .server(let name) = place {
            try expect(!name.isEmpty && name.count <= 200, "a name of 1 to 200 characters, not “\(name)”")
            try expect(!name.contains(where: \.isNewline), "a name on one line")
        }
        _ = try await store.backend.open()
        try expectEqual(store.backend.place, place, "the place of an open store")
        await store.backend.close()
        try expectEqual(store.backend.place, place, "the place of a closed store")
    },
    storageCase("openingAgainFindsItReady", "A sound store opens as `.ready`.") { store in
        try await expectEqual(store.reopen(), .ready, "opening again")
    },
    storageCase("nothingIsAnsweredAfterClosing", "Calls after `close` throw `.closed`.") { store in
        await store.backend.close()
        try await expectEverythingIsClosed(store.backend)
    },
    storageCase("closingTwiceIsHarmless", "A store can be closed twice and opened again.") { store in
        await store.backend.close()
        try await expectEqual(store.reopen(), .ready, "opening after closing twice")
        try await expectEqual(store.backend.accounts().count, 1, "accounts")
    },
    storageCase(
        "whatWasConfirmedIsThereAfterReopening", "Every kind of record survives a restart."
    ) { store in
        try await store.commit(oneOfEach)
        try await store.writeBlob("photo", Data("bytes".utf8), .kept)
        let before = try await Everything(store.backend)
        try await store.reopen()
        try await Everything(store.backend).expectSame(as: before, "after reopening")
        let bytes = try await store.backend.readBlob(Id("photo"), in: Fixture.home, offset: 0, count: 100)
        try expectEqual(bytes, Data("bytes".utf8), "the bytes of a blob after reopening")
    },
    storageCase(
        "statesOutliveTheProgram", "States stay valid after reopening, and so do changes since them."
    ) { store in
        let old = try await store.state(.email)
        try await store.put(Fixture.email("a"), Fixture.email("b"))
        try await store.destroy("b")
        let new = try await store.state(.email)
        try await store.reopen()
        try await expectEqual(store.state(.email), new, "the state of emails after reopening")
        try await expectEqual(
            store.changes(.email, since: old), Changes(created: ["a"], newState: new),
            "changes since a state of before")
    },
    storageCase("destructionIsRemembered", "Destroyed records are reported after reopening.") { store in
        try await store.put(Fixture.email("a"))
        let old = try await store.state(.email)
        try await store.destroy("a")
        try await store.reopen()
        try await expectEqual(store.changes(.email, since: old).destroyed, ["a"], "destroyed emails")
    },
]

/// Changes that leave one record of each kind in `home`.
let oneOfEach: [StorageChange] = [
    .putEmail(
        Fixture.email("e1", keywords: [.flagged]),
        Fixture.body("Hello", html: "<p>Hello</p>", headers: [HeaderField(name: "Subject", value: " Hi")])),
    .putIdentity(Fixture.identity("me")),
    .putSubmission(Fixture.submission("s1")),
    .putRemote(
        RemoteRef(emailID: Id("e1"), accountID: Fixture.home, feed: Fixture.gmail, remoteID: Id("77"))),
    .countContacts([Fixture.sighting("Anna <anna@example.org>")], in: Fixture.home),
    .putInsight(Fixture.insight("e1", .social, embedding: [1, 0])),
    .putDocument(Document(DocumentKey("settings", "theme"), value: "dark")),
    .putDocument(Document(DocumentKey("cursor", "f", accountID: Fixture.home), value: ["uid": 7])),
]

/// All that can be read of `home` when it holds `oneOfEach`.
struct Everything: Equatable {
    var accounts: [Account]
    var mailboxes: Set<StoredMailbox>
    var emails: [StoredEmail]
    var body: EmailBody?
    var identities: [Identity]
    var submissions: [EmailSubmission]
    var remotes: [RemoteRef]
    var contacts: [Contact]
    var insights: [EmailInsight]
    var documents: [Document]
    var states: [State]

    init(_ store: any StorageBackend) async throws {
        let home = Fixture.home
        accounts = try await store.accounts()
        mailboxes = Set(try await store.mailboxes(nil, in: home))
        let found = try await store.queryEmails(EmailQuery(in: [home], limit: 1_000)).hits.map(\.emailID)
        emails = try await store.emails(found, in: home)
        body = try await store.body(of: Id("e1"), in: home)
        identities = try await store.identities(nil, in: home)
        submissions = try await store.submissions(nil, in: home)
        remotes = try await store.remoteRefs(of: [Id("e1")], in: home)
        contacts = try await store.contacts(matching: "", limit: 100)
        insights = try await store.parts.insights?.insights(of: found, in: home) ?? []
        documents = try await store.documents(in: "settings", accountID: nil, after: nil, limit: 100)
        documents += try await store.documents(in: "cursor", accountID: home, after: nil, limit: 100)
        states = [try await store.state(of: .account, in: nil)]
        for type in [DataType.mailbox, .email, .thread, .identity, .submission, .documents("cursor")] {
            states.append(try await store.state(of: type, in: home))
        }
    }

    /// Says which part differs instead of showing all of both.
    func expectSame(as other: Everything, _ when: String) throws {
        try expectEqual(accounts, other.accounts, "accounts \(when)")
        try expectEqual(mailboxes, other.mailboxes, "mailboxes \(when)")
        try expectEqual(emails, other.emails, "emails \(when)")
        try expectEqual(body, other.body, "the body of e1 \(when)")
        try expectEqual(identities, other.identities, "identities \(when)")
        try expectEqual(submissions, other.submissions, "submissions \(when)")
        try expectEqual(remotes, other.remotes, "remote names \(when)")
        try expectEqual(contacts, other.contacts, "contacts \(when)")
        try expectEqual(insights, other.insights, "insights \(when)")
        try expectEqual(documents, other.documents, "documents \(when)")
        try expectEqual(states, other.states, "states \(when)")
    }
}

func expectEverythingIsClosed(_ store: any StorageBackend) async throws {
    let home = Fixture.home
    let blob = BlobInfo(id: Id("b"), accountID: home, type: "text/plain", retention: .kept)
    try await expectStorageError(.closed, "accounts") { try await store.accounts() }
    try await expectStorageError(.closed, "mailboxes") { try await store.mailboxes(nil, in: home) }
    try await expectStorageError(.closed, "emails") { try await store.emails([], in: home) }
    try await expectStorageError(.closed, "queryEmails") {
        try await store.queryEmails(EmailQuery(in: [home]))
    }
    try await expectStorageError(.closed, "state") { try await store.state(of: .email, in: home) }
    try await expectStorageError(.closed, "commit") { try await store.commit(ChangeSet()) }
    try await expectStorageError(.closed, "contacts") { try await store.contacts(matching: "a", limit: 1) }
    try await expectStorageError(.closed, "writeBlob") { try await store.writeBlob(blob) }
    if let insights = store.parts.insights {
        try await expectStorageError(.closed, "insights") { try await insights.insights(of: [], in: home) }
    }
    guard let care = store.parts.care else { return }
    try await expectStorageError(.closed, "usage") { try await care.usage() }
    try await expectStorageError(.closed, "check") { try await care.check() }
    try await expectStorageError(.closed, "purge") {
        try await care.purge(before: Fixture.start, in: home, sparing: [], limit: 1)
    }
}
