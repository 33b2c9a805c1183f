import FoundationEssentials
import MailKernelAPI

/// The same work done on the store and on the reference store gives the same answers.
let storageModelCases: [ConformanceCase] = [1, 2, 3].map { seed in
    storageCase(
        "randomWorkGivesTheSameAnswers\(seed)",
        "After random commits the store answers as the reference store does."
    ) { store in
        try await RandomWork(on: store, seed: seed).run(steps: 120)
    }
}

/// Random commits, the same on two stores, compared after every few.
private final class RandomWork {
    private let store: TestStore
    private let seed: UInt64
    private let reference = MemoryStorage()
    private var random: SeededRandom
    private var step = 0
    private var follower = Follower()

    init(on store: TestStore, seed: UInt64) {
        self.store = store
        self.seed = seed
        random = SeededRandom(seed)
    }

    func run(steps: Int) async throws {
        _ = reference.open()
        _ = try reference.commit(ChangeSet(Fixture.changes(toAdd: Fixture.home)))
        try await commitOnBoth(["m0", "m1"].map { .putMailbox(Fixture.mailbox(Id($0))) })
        follower.state = try await store.state(.email)
        for number in 1...steps {
            step = number
            try await commitOnBoth(try randomChanges())
            if number.isMultiple(of: 10) { try await compare() }
            if number.isMultiple(of: 40) { try await store.reopen() }
        }
        try await expectEqual(store.findings(), [], "findings of check() \(place)")
    }

    private var place: String { "in step \(step) of seed \(seed)" }

    /// Both take a set or both refuse it for the same reason.
    private func commitOnBoth(_ changes: [StorageChange]) async throws {
        let expected = await outcome { _ = try reference.commit(ChangeSet(changes)) }
        let found = await outcome { _ = try await store.commit(changes) }
        try expectEqual(found, expected, "the outcome of the commit \(changes) \(place)")
    }

    private func outcome(_ body: () async throws -> Void) async -> String {
        do {
            try await body()
            return "done"
        } catch let error as StorageError {
            return error.isNotFound ? "notFound" : error.isInvalid ? "invalid" : "\(error)"
        } catch {
            return "\(error)"
        }
    }
}

// MARK: Work

extension RandomWork {
    private func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    private func emailID() -> Id<Email> { Id("e\(number(0..<30))") }

    /// Mostly one that is there.
    private func heldEmailID() throws -> Id<Email> {
        let held = try reference.emails((0..<30).map { Id("e\($0)") }, in: Fixture.home)
        return held.isEmpty || number(0..<20) == 0 ? emailID() : held[number(0..<held.count)].email.id
    }

    private func mailboxIDs(_ count: Range<Int>) -> Set<Id<Mailbox>> {
        let ids = [Fixture.inbox, Fixture.archive, Fixture.drafts, Fixture.trash, Id("m0"), Id("m1")]
        return Set((0..<number(count)).map { _ in ids[number(0..<ids.count)] })
    }

    private func keywords() -> Set<Keyword> {
        let all: [Keyword] = [.seen, .flagged, .draft, Keyword("mine")]
        return Set((0..<number(0..<3)).map { _ in all[number(0..<all.count)] })
    }

    private func randomChanges() throws -> [StorageChange] {
        try (0..<number(1..<4)).map { _ in try randomChange() }.filter(store.isKept)
    }

    private func randomChange() throws -> StorageChange {
        switch number(0..<20) {
        case 0..<7: .putEmail(randomEmail(), Fixture.body(words(8)))
        case 7..<12:
            .updateEmail(
                EmailUpdate(
                    try heldEmailID(), in: Fixture.home, addKeywords: keywords(), removeKeywords: keywords(),
                    addMailboxes: mailboxIDs(0..<2), removeMailboxes: mailboxIDs(0..<2)))
        case 12, 13: .destroyEmail(try heldEmailID(), in: Fixture.home)
        case 14: .putMailbox(randomMailbox())
        case 15: .destroyMailbox(Id("m\(number(0..<2))"), in: Fixture.home)
        case 16:
            .putRemote(
                RemoteRef(
                    emailID: try heldEmailID(), accountID: Fixture.home, feed: Id("f\(number(0..<2))"),
                    remoteID: Id("\(number(0..<40))")))
        case 17: .removeRemote(Id("\(number(0..<40))"), feed: Id("f\(number(0..<2))"), in: Fixture.home)
        case 18:
            .putInsight(
                Fixture.insight(
                    try heldEmailID().rawValue, by: "m\(number(0..<2))",
                    EmailCategory.allCases[number(0..<6)],
                    isCorrected: number(0..<4) == 0))
        default:
            .countContacts(
                [Fixture.sighting("P\(number(0..<3)) <p\(number(0..<9))@example.org>", day: Double(step))],
                in: Fixture.home)
        }
    }

    private func randomEmail() -> Email {
        let answers = (0..<number(0..<3)).map { _ in "e\(number(0..<40))@mail.example" }
        var email = Fixture.email(
            emailID().rawValue, day: Double(number(0..<90)),
            in: mailboxIDs(0..<3).union(number(0..<9) > 0 ? [Fixture.inbox] : []),
            keywords: keywords(), subject: words(3), from: "\(words(1)) <p\(number(0..<9))@example.org>",
            size: number(0..<20), inReplyTo: answers)
        email.hasAttachment = number(0..<3) == 0
        return email
    }

    private func randomMailbox() -> Mailbox {
        let id = Id<Mailbox>("m\(number(0..<2))")
        let parents: [Id<Mailbox>?] = [nil, Fixture.archive, Id("m0"), Id("m1")]
        let role: Mailbox.Role? = number(0..<4) == 0 ? .trash : nil
        return Fixture.mailbox(id, parent: parents[number(0..<4)], role: role)
    }

    private func words(_ count: Int) -> String {
        let all = ["alpha", "alpine", "beta", "Gamma", "delta", "omega", "Re: beta", "2024"]
        return (0..<count).map { _ in all[number(0..<all.count)] }.joined(separator: " ")
    }
}

// MARK: Comparing

extension RandomWork {
    private func compare() async throws {
        try await compareRecords()
        try await compareQueries()
        try await follower.follow(store, place)
    }

    private func compareRecords() async throws {
        let home = Fixture.home
        let ids = (0..<30).map { Id<Email>("e\($0)") }
        let found = try await store.backend.emails(ids, in: home)
        let expected = try reference.emails(ids, in: home)
        try expectEqual(found.map(\.email), expected.map(\.email), "emails \(place)")
        try expectEqual(groups(found), groups(expected), "threads \(place)")
        let mailboxes = try await store.backend.mailboxes(nil, in: home).sorted {
            $0.mailbox.id < $1.mailbox.id
        }
        let expectedMailboxes = try reference.mailboxes(nil, in: home).sorted {
            $0.mailbox.id < $1.mailbox.id
        }
        try expectEqual(mailboxes, expectedMailboxes, "mailboxes and their counts \(place)")
        for feed in [FeedID("f0"), FeedID("f1")] {
            let names = try await store.backend.remoteIDs(feed: feed, after: nil, limit: 99, in: home)
            let emails = try await store.backend.emailIDs(for: names, feed: feed, in: home)
            try expectEqual(
                emails,
                try reference.emailIDs(
                    for: reference.remoteIDs(feed: feed, after: nil, limit: 99, in: home), feed: feed,
                    in: home),
                "remote names of \(feed) \(place)")
        }
        try expectEqual(
            try await store.heldInsights(ids), try reference.insights(of: ids, in: home),
            "insights \(place)")
        try expectEqual(
            try await store.backend.contacts(matching: "p", limit: 99),
            try reference.contacts(matching: "p", limit: 99),
            "contacts \(place)")
    }

    private func groups(_ emails: [StoredEmail]) -> Set<[Id<Email>]> {
        Set(Dictionary(grouping: emails, by: \.threadID).values.map { $0.map(\.email.id).sorted() })
    }

    private func compareQueries() async throws {
        for _ in 0..<12 {
            var query = EmailQuery(
                in: [Fixture.home], filter: randomFilter(depth: 2), sort: randomSort(),
                collapseThreads: number(0..<2) == 0, limit: 30, calculateTotal: true)
            let expected = try reference.queryEmails(query)
            let found = try await store.backend.queryEmails(query)
            try expectEqual(found.ids, expected.ids, "the result of \(query) \(place)")
            try expectEqual(found.total, expected.total, "the total of \(query) \(place)")
            query.limit = number(1..<6)
            query.window =
                expected.hits.last.map { .anchor($0.emailID, offset: number(-9..<1)) } ?? .position(-2)
            let page = try await store.backend.queryEmails(query)
            try expectEqual(page.ids, try reference.queryEmails(query).ids, "the page \(query) \(place)")
        }
    }

    private func randomSort() -> [EmailSort] {
        let properties: [EmailSort.Property] = [
            .receivedAt, .sentAt, .size, .from, .subject, .hasKeyword(.flagged),
            .someInThreadHaveKeyword(.seen),
            .allInThreadHaveKeyword(.seen),
        ]
        return (0..<number(0..<3)).map { _ in
            EmailSort(properties[number(0..<properties.count)], isAscending: number(0..<2) == 0)
        }
    }

    private func randomFilter(depth: Int) -> EmailFilter {
        if depth > 0, number(0..<3) == 0 {
            let parts = (0..<number(1..<3)).map { _ in randomFilter(depth: depth - 1) }
            return [EmailFilter.and(parts), .or(parts), .not(parts)][number(0..<3)]
        }
        let simple: [EmailFilter] = [
            .inMailbox(mailboxIDs(1..<2).first ?? Fixture.inbox), .inMailboxOtherThan([Fixture.inbox]),
            .before(Fixture.day(Double(number(0..<90)))), .after(Fixture.day(Double(number(0..<90)))),
            .minSize(number(0..<20)), .maxSize(number(0..<20)), .hasKeyword(.seen), .notKeyword(.flagged),
            .allInThreadHaveKeyword(.seen), .someInThreadHaveKeyword(.flagged),
            .noneInThreadHaveKeyword(.seen),
            .hasAttachment(true), .text(words(1)), .text("al"), .subject(words(2)), .body("\"\(words(2))\""),
            .from(words(1)),
            .category(.social), .category(.uncategorized), .inRole(.trash),
            .header(name: "Subject", value: nil),
        ]
        return simple[number(0..<simple.count)]
    }
}

/// A client that only ever asks for changes, and must end up knowing what there is.
private struct Follower {
    var state = State(rawValue: "")
    private var known: [Id<Email>: StoredEmail] = [:]

    mutating func follow(_ store: TestStore, _ place: String) async throws {
        var hasMore = true
        while hasMore {
            let page = try await store.changes(.email, since: state, limit: 7)
            for id in page.destroyed { known[Id(id)] = nil }
            let fresh = (page.created + page.updated).map { Id<Email>($0) }
            for id in fresh { known[id] = nil }
            for email in try await store.backend.emails(fresh, in: Fixture.home) {
                known[email.email.id] = email
            }
            (state, hasMore) = (page.newState, page.hasMoreChanges)
        }
        let all = try await store.backend.queryEmails(EmailQuery(in: [Fixture.home], limit: 1_000)).hits
        let stored = try await store.backend.emails(all.map(\.emailID), in: Fixture.home)
        try expectEqual(
            known, Dictionary(stored.map { ($0.email.id, $0) }) { first, _ in first },
            "what a client knows that follows the changes of emails \(place)")
    }
}
