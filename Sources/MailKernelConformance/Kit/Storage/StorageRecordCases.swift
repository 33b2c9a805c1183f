import FoundationEssentials
import MailKernelAPI

/// Identities, submissions, remote names, insights and documents.
let storageRecordCases: [ConformanceCase] = [
    storageCase("identitiesComeBackEqual", "Put, replaced and destroyed.") { store in
        let identity = Fixture.identity("me")
        try await store.commit(.putIdentity(identity), .putIdentity(Fixture.identity("other")))
        try await expectEqual(
            store.backend.identities([Id("me"), Id("none")], in: Fixture.home), [identity], "by id")
        let renamed = Fixture.identity("me", name: "Renamed")
        try await store.commit(.putIdentity(renamed), .destroyIdentity(Id("other"), in: Fixture.home))
        try await expectEqual(store.backend.identities(nil, in: Fixture.home), [renamed], "all identities")
    },
    storageCase("submissionsComeBackEqual", "Every property of an outgoing message is kept.") { store in
        var full = Fixture.submission("full", queued: 1)
        full.threadID = Id("t")
        full.undoStatus = .final
        full.sendState = .failed
        full.mayHaveBeenSent = true
        full.tries = 3
        full.nextTryAt = Fixture.day(1) + 30
        full.deliveryStatus = [
            "a@b.c": DeliveryStatus(smtpReply: "550 5.1.1 no\r\nsuch user", delivered: .no)
        ]
        full.failure = "The server refused it."
        try await store.commit(.putSubmission(full))
        try await expectEqual(
            store.backend.submissions([Id("full")], in: Fixture.home), [full], "the submission")
        full.sendState = .sent
        try await store.commit(.putSubmission(full))
        try await expectEqual(
            store.backend.submissions(nil, in: Fixture.home), [full], "the submission, replaced")
        try await store.commit(.destroySubmission(full.id, in: Fixture.home))
        try await expectEqual(store.backend.submissions(nil, in: Fixture.home), [], "after it was destroyed")
    },
    storageCase("submissionsAreOldestFirst", "By the time they were queued.") { store in
        try await store.commit(
            .putSubmission(Fixture.submission("a", queued: 2)),
            .putSubmission(Fixture.submission("b", queued: 1)),
            .putSubmission(Fixture.submission("c", queued: 3)))
        let all = try await store.backend.submissions(nil, in: Fixture.home).map(\.id.rawValue)
        try expectEqual(all, ["b", "a", "c"], "all submissions")
        let some = try await store.backend.submissions([Id("c"), Id("b")], in: Fixture.home).map(
            \.id.rawValue)
        try expectEqual(some, ["c", "b"], "submissions asked for by id")
    },
    storageCase("remoteNamesLeadToEmails", "Per feed, and in both directions.") { store in
        try await store.put(Fixture.email("a"), Fixture.email("b"))
        try await store.commit(
            remote("a", "f", "1"), remote("a", "g", "1"), remote("b", "f", "2"), remote("b", "g", "9"))
        let ids = ["1", "2", "3"].map { RemoteMessageID($0) }
        try await expectEqual(
            store.backend.emailIDs(for: ids, feed: Id("f"), in: Fixture.home),
            [Id("1"): Id("a"), Id("2"): Id("b")],
            "emails of the feed f")
        let refs = try await store.backend.remoteRefs(of: [Id("b")], in: Fixture.home)
        try expectEqual(Set(refs.map { "\($0.feed) \($0.remoteID)" }), ["f 2", "g 9"], "names of b")
        try await store.commit(.removeRemote(Id("2"), feed: Id("f"), in: Fixture.home))
        try await expectEqual(
            store.backend.remoteRefs(of: [Id("b")], in: Fixture.home).map(\.feed), [Id("g")], "later")
    },
    storageCase("laterRemoteNamesReplaceEarlier", "One id per email and feed, one email per id.") {
        store in
        try await store.put(Fixture.email("a"), Fixture.email("b"))
        try await store.commit(remote("a", "f", "1"), remote("a", "f", "2"))
        try await expectEqual(names("a", store), ["f 2"], "names of a")
        try await store.commit(remote("b", "f", "2"))
        try await expectEqual(names("a", store), [], "names of a once its name is that of b")
        try await expectEqual(names("b", store), ["f 2"], "names of b")
        try await expectEqual(
            store.backend.remoteIDs(feed: Id("f"), after: nil, limit: 9, in: Fixture.home), [Id("2")],
            "all names")
    },
    storageCase("remoteNamesComeInPages", "Sorted as text, each once.") { store in
        try await store.put((0..<25).map { Fixture.email("e\($0)") })
        try await store.commit((0..<25).map { remote("e\($0)", "f", "\($0)") } + [remote("e0", "g", "77")])
        var met: [String] = []
        var last: RemoteMessageID?
        while met.count < 50 {
            let page = try await store.backend.remoteIDs(
                feed: Id("f"), after: last, limit: 7, in: Fixture.home)
            try expect(page.count <= 7, "\(page.count) names came, the limit was 7")
            guard !page.isEmpty else { break }
            met += page.map(\.rawValue)
            last = page.last
        }
        try expectEqual(met, (0..<25).map { "\($0)" }.sorted(), "names met by pages of 7")
    },
    storageCase("anInsightIsReplaced", "One per email, regardless of the model.") { store in
        try await store.put(Fixture.email("a"))
        let vector = (0..<384).map { Float($0) / 1_000 }
        try await store.commit(.putInsight(Fixture.insight("a", by: "one", .social, embedding: vector)))
        let first = Fixture.insight("a", by: "one", .social, embedding: vector)
        try await expectEqual(
            store.insights.insights(of: [Id("a")], in: Fixture.home), [first], "the insight")
        let second = Fixture.insight("a", by: "two", .forums)
        try await store.commit(.putInsight(second))
        try await expectEqual(
            store.insights.insights(of: [Id("a")], in: Fixture.home), [second], "the next one")
    },
    storageCase("whatTheUserCorrectedStays", "No model changes a category set by the user.") { store in
        try await store.put(Fixture.email("a"))
        try await store.commit(
            .putInsight(Fixture.insight("a", .updates, isCorrected: true)),
            .putInsight(Fixture.insight("a", by: "better", .social)))
        let expected = Fixture.insight("a", by: "better", .updates, isCorrected: true)
        try await expectEqual(
            store.insights.insights(of: [Id("a")], in: Fixture.home), [expected], "the insight")
        try await expectEqual(store.find(.category(.updates)), "a", "emails of the user's category")
    },
    storageCase("emailsWithoutInsightAreNewestFirst", "Those that this model has not processed.") { store in
        try await store.put((0..<5).map { Fixture.email("e\($0)", day: Double($0 % 4)) })
        try await store.commit(
            .putInsight(Fixture.insight("e2")), .putInsight(Fixture.insight("e1", by: "other")))
        let open = try await store.insights.emailsWithoutInsight(by: "model", in: Fixture.home, limit: 10)
        try expectEqual(open.map(\.rawValue), ["e3", "e1", "e0", "e4"], "emails without an insight")
        let two = try await store.insights.emailsWithoutInsight(by: "model", in: Fixture.home, limit: 2)
        try expectEqual(two.map(\.rawValue), ["e3", "e1"], "two of them")
    },
    storageCase("nearestEmailsAreBestFirst", "By cosine similarity, of this model and these accounts only.") {
        store in
        try await store.put(["a", "b", "c", "d", "e"].map { Fixture.email($0) })
        try await store.commit(
            .putInsight(Fixture.insight("a", embedding: [0, 1])),
            .putInsight(Fixture.insight("b", embedding: [1, 0])),
            .putInsight(Fixture.insight("c", embedding: [0.6, 0.8])), .putInsight(Fixture.insight("d")),
            .putInsight(Fixture.insight("e", by: "other", embedding: [1, 0])))
        let near = try await store.insights.nearestEmails(
            to: [1, 0], by: "model", in: [Fixture.home], limit: 2)
        try expectEqual(near.map(\.emailID.rawValue), ["b", "c"], "the nearest")
        for (found, expected) in zip(near.map(\.similarity), [1, 0.6] as [Float]) {
            try expect(abs(found - expected) < 0.01, "a similarity should be \(expected), it is \(found)")
        }
        let none = try await store.insights.nearestEmails(
            to: [1, 0], by: "model", in: [Id("nowhere")], limit: 2)
        try expectEqual(none, [], "the nearest in no account")
    },
    storageCase("documentsAreKeptByKey", "Collection, account and name together identify a document.") {
        store in
        let value: JSONValue = ["list": [1, 2.5, "three", true, nil], "text": "a\0b"]
        let keys = [
            DocumentKey("c", "n"), DocumentKey("d", "n"), DocumentKey("c", "m"),
            DocumentKey("c", "n", accountID: Fixture.home),
        ]
        for (number, key) in keys.enumerated() {
            try await store.commit(
                .putDocument(Document(key, value: ["n": .number(Double(number)), "v": value])))
        }
        for (number, key) in keys.enumerated() {
            try await expectEqual(
                store.backend.document(key),
                Document(key, value: ["n": .number(Double(number)), "v": value]),
                "document \(number)")
        }
        try await store.commit(.destroyDocument(keys[0]))
        try await expectEqual(store.backend.document(keys[0]), nil, "a document that was destroyed")
        try await expectEqual(store.backend.document(keys[3])?.key, keys[3], "the account's of the same name")
    },
    storageCase("documentsComeInPages", "Sorted by name, of one account or of none.") { store in
        let names = ["b", "a", "C", "é", "a b", "日", "10", "9"]
        try await store.commit(
            names.map { .putDocument(Document(DocumentKey("c", $0), value: .string($0))) }
                + [.putDocument(Document(DocumentKey("c", "home", accountID: Fixture.home), value: 1))])
        var met: [String] = []
        while met.count < 20 {
            let page = try await store.backend.documents(in: "c", accountID: nil, after: met.last, limit: 3)
            guard !page.isEmpty else { break }
            met += page.map(\.key.name)
        }
        try expectEqual(met, ["10", "9", "C", "a", "a b", "b", "é", "日"], "names met by pages of 3")
    },
    storageCase("collectionsHaveStates", "Changes of a collection are reported by name.") { store in
        let old = try await store.state(.documents("c"))
        let key = DocumentKey("c", "n", accountID: Fixture.home)
        try await store.commit(
            .putDocument(Document(key, value: 1)),
            .putDocument(Document(DocumentKey("c", "global"), value: 1)),
            .putDocument(Document(DocumentKey("d", "other", accountID: Fixture.home), value: 1)))
        try await expectEqual(store.changes(.documents("c"), since: old).created, ["n"], "created documents")
        let created = try await store.state(.documents("c"))
        try await store.commit(.putDocument(Document(key, value: 2)))
        try await expectEqual(
            store.changes(.documents("c"), since: created).updated, ["n"], "updated documents")
    },
]

private func remote(_ emailID: String, _ feed: String, _ name: String) -> StorageChange {
    .putRemote(RemoteRef(emailID: Id(emailID), accountID: Fixture.home, feed: Id(feed), remoteID: Id(name)))
}

private func names(_ emailID: String, _ store: TestStore) async throws -> [String] {
    try await store.backend.remoteRefs(of: [Id(emailID)], in: Fixture.home).map {
        "\($0.feed) \($0.remoteID)"
    }
}
