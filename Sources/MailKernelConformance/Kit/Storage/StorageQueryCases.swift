import FoundationEssentials
import MailKernelAPI

/// The order of results, and which piece of them is returned.
let storageQueryCases: [ConformanceCase] = [
    storageCase("sortsByEachProperty", "And by several, one after the other.") { store in
        try await store.put(sortEmails)
        let table: [([EmailSort], String)] = [
            ([], "d c b a"), ([EmailSort(.receivedAt)], "a b c d"), ([EmailSort(.size)], "b d a c"),
            ([EmailSort(.size, isAscending: false)], "a c d b"), ([EmailSort(.sentAt)], "d a b c"),
            ([EmailSort(.from)], "b a c d"), ([EmailSort(.to)], "d a b c"),
            ([EmailSort(.subject)], "c d a b"),
            ([EmailSort(.hasKeyword(.flagged))], "a c d b"),
            ([EmailSort(.hasKeyword(.flagged), isAscending: false), EmailSort(.size)], "b d a c"),
            ([EmailSort(.someInThreadHaveKeyword(.flagged), isAscending: false)], "a b c d"),
            (
                [EmailSort(.someInThreadHaveKeyword(.flagged), isAscending: false), EmailSort(.size)],
                "b a d c"
            ),
            ([EmailSort(.allInThreadHaveKeyword(.seen), isAscending: false)], "c a b d"),
        ]
        for (sort, expected) in table {
            try await expectEqual(store.find(nil, sort: sort), expected, "sorted by \(sort)")
        }
    },
    storageCase("idsBreakTies", "The smaller id is first, whatever the direction.") { store in
        try await store.put(["c", "a", "d", "b"].map { Fixture.email($0) })
        for isAscending in [true, false] {
            let sort = [EmailSort(.receivedAt, isAscending: isAscending)]
            try await expectEqual(
                store.find(nil, sort: sort), "a b c d", "equal emails, ascending: \(isAscending)")
        }
    },
    storageCase("positionsCountFromEitherEnd", "Any position is valid, with or without results.") { store in
        try await putNumbered(10, store)
        let table = [
            (0, 3, "e0 e1 e2", 0), (8, 5, "e8 e9", 8), (-3, 2, "e7 e8", 7), (-99, 2, "e0 e1", 0),
            (4, 0, "", 4),
            (0, 99, "e0 e1 e2 e3 e4 e5 e6 e7 e8 e9", 0),
        ]
        for (position, limit, expected, first) in table {
            let result = try await store.backend.queryEmails(numbered(.position(position), limit: limit))
            try expectEqual(result.ids, expected, "hits of position \(position), limit \(limit)")
            try expectEqual(result.position, first, "position of position \(position), limit \(limit)")
            try expectEqual(result.total, 10, "total of position \(position), limit \(limit)")
        }
        for position in [10, 99, Int.max] {
            let beyond = try await store.backend.queryEmails(numbered(.position(position), limit: 5))
            try expectEqual(beyond.ids, "", "hits of position \(position)")
        }
        try await expectEqual(
            store.backend.queryEmails(numbered(.position(.min), limit: 1)).ids, "e0", "hits of Int.min")
    },
    storageCase("totalsAreCountedWhenAsked", "And only then.") { store in
        try await putNumbered(3, store)
        let query = EmailQuery(in: [Fixture.home], limit: 1)
        try await expectEqual(store.backend.queryEmails(query).total, nil, "a total not asked for")
    },
    storageCase("anchorsFindTheirPlace", "Starting `offset` places after an email.") { store in
        try await putNumbered(10, store)
        let table = [
            ("e4", 0, "e4 e5 e6", 4), ("e4", 1, "e5 e6 e7", 5), ("e4", -2, "e2 e3 e4", 2),
            ("e0", -5, "e0 e1 e2", 0),
            ("e9", 0, "e9", 9), ("e4", Int.min, "e0 e1 e2", 0),
        ]
        for (anchor, offset, expected, first) in table {
            let result = try await store.backend.queryEmails(
                numbered(.anchor(Id(anchor), offset: offset), limit: 3))
            try expectEqual(result.ids, expected, "hits of anchor \(anchor), offset \(offset)")
            try expectEqual(result.position, first, "position of anchor \(anchor), offset \(offset)")
        }
        for offset in [1, 50, Int.max] {
            let beyond = try await store.backend.queryEmails(
                numbered(.anchor(Id("e9"), offset: offset), limit: 3))
            try expectEqual(beyond.ids, "", "hits \(offset) places after the last email")
        }
    },
    storageCase("aMissingAnchorIsSaid", "`.anchorNotFound`, also for an email excluded by the filter.") {
        store in
        try await putNumbered(4, store)
        var query = EmailQuery(
            in: [Fixture.home], filter: .minSize(2), window: .anchor(Id("none"), offset: 0))
        try await expectStorageError(.anchorNotFound, "an email that is not there") {
            try await store.backend.queryEmails(query)
        }
        query.window = .anchor(Id("e0"), offset: 0)
        try await expectStorageError(.anchorNotFound, "an email that does not match") {
            try await store.backend.queryEmails(query)
        }
    },
    storageCase("pagesByAnchorMeetEveryEmail", "Each once and in order, even with many equal keys.") {
        store in
        try await store.put(
            (0..<57).map {
                Fixture.email("e\($0)", day: Double($0 / 8), keywords: $0 % 3 == 0 ? [.seen] : [])
            })
        for sort in [[], [EmailSort(.receivedAt)], [EmailSort(.hasKeyword(.seen)), EmailSort(.subject)]] {
            let all = try await store.find(nil, sort: sort)
            var query = EmailQuery(in: [Fixture.home], sort: sort, limit: 10)
            var met: [String] = []
            while met.count < 100 {
                let page = try await store.backend.queryEmails(query).hits.map(\.emailID)
                met += page.map(\.rawValue)
                guard let last = page.last, page.count == 10 else { break }
                query.window = .anchor(last, offset: 1)
            }
            try expectEqual(met.joined(separator: " "), all, "emails met by pages of 10, sorted by \(sort)")
        }
    },
    storageCase("threadsCollapse", "Only the first email of each thread, after filter and sort.") { store in
        try await store.put(sortEmails)
        try await expectEqual(store.find(nil, sort: [], collapse: true), "d c b", "newest first")
        try await expectEqual(
            store.find(nil, sort: [EmailSort(.receivedAt)], collapse: true), "a c d", "oldest first")
        try await expectEqual(
            store.find(.minSize(2), sort: [], collapse: true), "d c a", "where the newest does not match")
        var query = EmailQuery(in: [Fixture.home], collapseThreads: true, window: .position(1), limit: 1)
        query.calculateTotal = true
        let page = try await store.backend.queryEmails(query)
        try expectEqual(
            [page.ids, "\(page.total ?? -1)"], ["c", "3"], "the second of the collapsed, and the total")
        query.window = .anchor(Id("c"), offset: 1)
        try await expectEqual(store.backend.queryEmails(query).ids, "b", "the one after the anchor")
    },
    storageCase("hitsNameTheirThread", "And their account.") { store in
        try await store.put(sortEmails)
        for hit in try await store.backend.queryEmails(EmailQuery(in: [Fixture.home])).hits {
            let thread = try await store.email(hit.emailID.rawValue).threadID
            try expectEqual(
                hit, .init(accountID: Fixture.home, emailID: hit.emailID, threadID: thread), "a hit")
        }
    },
    storageCase("severalAccountsAreOneList", "A unified query sorts all accounts together.") { store in
        try await store.commit(Fixture.changes(toAdd: Fixture.work))
        try await store.put(
            Fixture.email("a", day: 1), Fixture.email("b", day: 3, subject: "Same"),
            Fixture.email("x", day: 5))
        try await store.put(
            Fixture.email("c", day: 2, of: Fixture.work),
            Fixture.email("d", day: 4, of: Fixture.work, subject: "Same"),
            Fixture.email("x", day: 5, of: Fixture.work))
        var query = EmailQuery(in: [Fixture.work, Fixture.home, Id("nowhere")], calculateTotal: true)
        let all = try await store.backend.queryEmails(query)
        try expectEqual(all.ids, "x x d b c a", "emails of two accounts")
        try expectEqual(
            all.hits.prefix(2).map(\.accountID), [Fixture.home, Fixture.work], "accounts of equal ids")
        try expectEqual(all.total, 6, "total")
        query.collapseThreads = true
        try await expectEqual(
            store.backend.queryEmails(query).ids, "x x d b c a", "threads are of one account")
        query.filter = .inRole(.inbox)
        query.window = .anchor(Id("d"), offset: 0)
        query.limit = 2
        try await expectEqual(store.backend.queryEmails(query).ids, "d b", "two from an anchor on")
        try await expectEqual(store.backend.queryEmails(EmailQuery(in: [])).ids, "", "emails of no account")
    },
    storageCase("queryStatesFollowTheResult", "A query state changes when the result may have changed.") {
        store in
        try await putNumbered(3, store)
        let query = EmailQuery(
            in: [Fixture.home], filter: .or([.category(.social), .hasKeyword(.flagged)]),
            sort: [EmailSort(.size)])
        let old = try await store.backend.queryEmails(query).queryState
        try await expectEqual(
            store.backend.queryEmails(query).queryState, old, "the state when nothing happened")
        try await store.update("e0", add: [.flagged])
        let flagged = try await store.backend.queryEmails(query)
        try expectEqual(flagged.ids, "e0", "the result with a keyword")
        try expect(flagged.queryState != old, "the result is another, and the state is still \(old)")
        guard store.backend.parts.insights != nil else { return }
        try await store.commit(.putInsight(Fixture.insight("e1", .social)))
        let sorted = try await store.backend.queryEmails(query)
        try expectEqual(sorted.ids, "e0 e1", "the result with an insight")
        try expect(
            sorted.queryState != flagged.queryState,
            "the result is another, and the state is still \(sorted.queryState)")
    },
    storageCase("queryChangesLeadToTheNewResult", "Or `.cannotCalculateChanges` is thrown.") { store in
        try await putNumbered(12, store)
        let query = EmailQuery(
            in: [Fixture.home], filter: .notKeyword(.flagged), sort: [EmailSort(.size)], limit: 100)
        let old = try await store.backend.queryEmails(query)
        try await store.update("e3", add: [.flagged])
        try await store.destroy("e7")
        try await store.put(Fixture.email("new", size: 2), Fixture.email("e9", size: 0))
        do {
            let changes = try await store.backend.queryEmailChanges(query, since: old.queryState, limit: 100)
            var ids = old.hits.map(\.emailID).filter { !changes.removed.contains($0) }
            for added in changes.added.sorted(by: { $0.index < $1.index }) {
                try expect(added.index <= ids.count, "index \(added.index) is behind the end of the result")
                ids.insert(added.emailID, at: added.index)
            }
            let now = try await store.backend.queryEmails(query)
            try expectEqual(
                ids.map(\.rawValue).joined(separator: " "), now.ids, "the old result with its changes")
            try expectEqual(changes.newState, now.queryState, "the new query state")
        } catch StorageError.cannotCalculateChanges {}
        try await expectStorageError(.cannotCalculateChanges, "changes since a state that never was") {
            try await store.backend.queryEmailChanges(query, since: State(rawValue: "never"), limit: 100)
        }
    },
]

/// a and b are one thread, b flagged; c and d are alone, c seen.
private let sortEmails: [Email] = {
    let a = Fixture.email(
        "a", day: 0, subject: "Market", from: "Émile <z@example.org>", to: "b@example.org", size: 5)
    let b = Fixture.email(
        "b", day: 1, keywords: [.flagged], subject: "Re: Zebra", from: "anna <a@example.org>",
        to: "c@example.org",
        size: 1, inReplyTo: ["a@mail.example"])
    var c = Fixture.email(
        "c", day: 2, keywords: [.seen], subject: "Fwd: [list] apples", from: "Fred <f@example.org>",
        to: "d@example.org",
        size: 5)
    c.header.sentAt = nil
    var d = Fixture.email("d", day: 3, subject: "Re: Bananas", from: "george@example.org", size: 3)
    d.header.to = []
    d.header.sentAt = Fixture.day(-10)
    return [a, b, c, d]
}()

private func putNumbered(_ count: Int, _ store: TestStore) async throws {
    try await store.put((0..<count).map { Fixture.email("e\($0)", size: $0) })
}

private func numbered(_ window: EmailQuery.Window, limit: Int) -> EmailQuery {
    EmailQuery(
        in: [Fixture.home], sort: [EmailSort(.size)], window: window, limit: limit, calculateTotal: true)
}
