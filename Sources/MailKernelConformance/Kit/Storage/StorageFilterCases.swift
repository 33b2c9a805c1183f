import FoundationEssentials
import MailKernelAPI

/// Each filter of queries, on one set of emails.
let storageFilterCases: [ConformanceCase] = [
    filterCase(
        "filtersByMailbox", "inMailbox, inMailboxOtherThan and inRole.",
        [
            (.inMailbox(Fixture.inbox), "a b d"), (.inMailbox(Fixture.trash), "c"),
            (.inMailbox(Id("none")), ""),
            (.inMailboxOtherThan([Fixture.inbox]), "b c e"),
            (.inMailboxOtherThan([Fixture.inbox, Fixture.archive]), "c"),
            (.inMailboxOtherThan([]), "a b c d e"),
            (.inRole(.inbox), "a b d"), (.inRole(.trash), "c"), (.inRole(.junk), ""),
        ]),
    filterCase(
        "filtersByDate", "before is exclusive, after is inclusive.",
        [
            (.before(Fixture.day(2)), "a b"), (.after(Fixture.day(2)), "c d e"),
            (.before(Fixture.day(0)), ""),
            (.and([.after(Fixture.day(1)), .before(Fixture.day(3))]), "b c"), (.after(Fixture.day(99)), ""),
            (.before(Date(timeIntervalSince1970: 253_402_300_799)), "a b c d e"),
        ]),
    filterCase(
        "filtersBySize", "minSize is inclusive, maxSize is exclusive.",
        [
            (.minSize(300), "c d e"), (.maxSize(300), "a b"), (.minSize(0), "a b c d e"), (.maxSize(0), ""),
            (.maxSize(.max), "a b c d e"), (.minSize(.max), ""),
        ]),
    filterCase(
        "filtersByKeyword", "hasKeyword and notKeyword, ignoring case.",
        [
            (.hasKeyword(.seen), "a b"), (.notKeyword(.seen), "c d e"),
            (.hasKeyword(Keyword("$SEEN")), "a b"),
            (.hasKeyword(Keyword("none")), ""), (.hasKeyword(Keyword("it's \"odd\"")), "e"),
        ]),
    filterCase(
        "filtersByTheThreadsKeywords", "All, some or none in the thread, including the email itself.",
        // a and b are one thread, both seen; c and d are one, d flagged.
        [
            (.allInThreadHaveKeyword(.seen), "a b"), (.someInThreadHaveKeyword(.flagged), "a b c d"),
            (.allInThreadHaveKeyword(.flagged), ""), (.noneInThreadHaveKeyword(.flagged), "e"),
            (.noneInThreadHaveKeyword(.seen), "c d e"),
        ]),
    filterCase(
        "filtersByAttachment", "hasAttachment, true or false.",
        [(.hasAttachment(true), "c"), (.hasAttachment(false), "a b d e")]),
    filterCase(
        "filtersByAddress", "from, to, cc and bcc search names and addresses of their field.",
        [
            (.from("anna"), "a b"), (.from("Schmidt"), "a b"), (.from("shop.example"), "e"),
            (.to("anna"), "c"),
            (.cc("carla"), "d"), (.bcc("bert"), "d"), (.from("carla"), ""),
            (.to("me@home.example"), "a b d e"),
        ]),
    filterCase(
        "filtersByText", "subject, body and text search where they say.",
        [
            (.subject("budget"), "a b"), (.body("budget"), "d"), (.text("budget"), "a b d"),
            (.text("carla"), "d"),
            (.text("budget carla"), "d"), (.subject("budget carla"), ""), (.text("anna budget"), "a b"),
        ]),
    filterCase(
        "filtersByHeader", "A field with that name, and its content.",
        [
            (.header(name: "List-Id", value: nil), "e"), (.header(name: "LIST-ID", value: "News.Shop"), "e"),
            (.header(name: "List-Id", value: "other"), ""), (.header(name: "X-Empty", value: nil), "e"),
            (.header(name: "X-None", value: nil), ""), (.header(name: "", value: nil), ""),
        ]),
    filterCase(
        "filtersByCategory", "Emails without an insight are uncategorized.",
        [
            (.category(.promotions), "e"), (.category(.primary), "a"), (.category(.uncategorized), "b c d"),
            (.category(.forums), ""),
        ]),
    filterCase(
        "filtersCombine", "and, or, not, nested and empty.",
        [
            (.and([]), "a b c d e"), (.or([]), ""), (.not([]), "a b c d e"),
            (.and([.hasKeyword(.seen), .inMailbox(Fixture.archive)]), "b"),
            (.or([.hasAttachment(true), .hasKeyword(.flagged)]), "b c d"),
            (.not([.hasAttachment(true), .hasKeyword(.flagged)]), "a e"),
            (.not([.not([.inRole(.trash)])]), "c"),
            (.and([.or([.subject("budget"), .body("budget")]), .not([.from("anna")])]), "d"),
        ]),
    storageCase("aDeepFilterIsAnswered", "Filters may be nested 64 levels deep, and be long.") { store in
        try await store.put(filterEmails.map(\.email))
        let attachment = EmailFilter.hasAttachment(true)
        let negated = (0..<32).reduce(attachment) { filter, _ in .not([.and([filter])]) }
        try await expectEqual(store.find(negated), "c", "a filter of 64 levels")
        let branched = (0..<32).reduce(attachment) { filter, _ in
            .and([.minSize(0), .or([.minSize(100_000), filter])])
        }
        try await expectEqual(store.find(branched), "c", "a filter of 64 levels with two branches each")
        let mixed = (0..<32).reduce(attachment) { filter, _ in
            .not([.minSize(100_000), .or([.maxSize(0), filter])])
        }
        try await expectEqual(store.find(mixed), "c", "a filter of 64 levels, half of them negations")
        let long = EmailFilter.or((0..<300).map { .minSize(100_000 + $0) } + [.minSize(500)])
        try await expectEqual(store.find(long), "e", "a filter of 301 conditions")
    },
    storageCase(
        "aTooDeepFilterIsRefused", "More than 64 levels or 5,000 conditions are `.invalid`, never a crash."
    ) { store in
        try await store.put(filterEmails.map(\.email))
        let deep = { (levels: Int) in
            (0..<levels).reduce(EmailFilter.text("budget")) { filter, level in
                switch level % 3 {
                case 0: .not([filter])
                case 1: .and([.minSize(0), filter])
                default: .or([filter, .text("none")])
                }
            }
        }
        let wide = EmailFilter.or((0..<5_001).map { .minSize($0) })
        try await expectRefused(deep(65), "a filter of 65 levels", store)
        try await expectRefused(deep(5_000), "a filter of 5,000 levels", store)
        try await expectRefused(wide, "a filter of 5,001 conditions", store)
    },
]

private func expectRefused(_ filter: EmailFilter, _ what: String, _ store: TestStore) async throws {
    let query = EmailQuery(in: [Fixture.home], filter: filter)
    let state = try await store.backend.queryEmails(EmailQuery(in: [Fixture.home])).queryState
    try await expectInvalid("emails that match \(what)") { try await store.backend.queryEmails(query) }
    try await expectInvalid("changes of \(what)") {
        try await store.backend.queryEmailChanges(query, since: state, limit: 10)
    }
    try await expectInvalid("snippets of \(what)") {
        try await store.backend.snippets(for: filter, emailIDs: [Id("a")], in: Fixture.home)
    }
}

private func filterCase(
    _ name: String, _ promise: String, _ table: [(EmailFilter, String)]
) -> ConformanceCase {
    storageCase(name, promise) { store in
        try await store.commit(filterEmails.map { .putEmail($0.email, $0.body) })
        try await store.commit(
            .putInsight(Fixture.insight("a", .primary)), .putInsight(Fixture.insight("e", .promotions)))
        for (filter, expected) in table {
            if case .category = filter { _ = try store.insights }
            try await expectEqual(store.find(filter), expected, "emails that match \(filter)")
        }
    }
}

private let filterEmails: [(email: Email, body: EmailBody)] = {
    let a = Fixture.email(
        "a", day: 0, keywords: [.seen], subject: "Budget 2024", from: "Anna Schmidt <anna@example.org>",
        size: 100)
    let b = Fixture.email(
        "b", day: 1, in: [Fixture.inbox, Fixture.archive], keywords: [.seen, .flagged],
        subject: "Re: Budget 2024",
        from: "Anna Schmidt <anna@example.org>", size: 200, inReplyTo: ["a@mail.example"])
    var c = Fixture.email(
        "c", day: 2, in: [Fixture.trash], from: "Bert <bert@example.org>", to: "anna@example.org", size: 300)
    c.hasAttachment = true
    var d = Fixture.email(
        "d", day: 3, keywords: [.flagged], from: "Bert <bert@example.org>", size: 400,
        inReplyTo: ["c@mail.example"])
    d.header.cc = [EmailAddress(name: "Carla", email: "c@example.org")]
    d.header.bcc = [EmailAddress(email: "bert@example.org")]
    let e = Fixture.email(
        "e", day: 4, in: [Fixture.archive], keywords: [Keyword("it's \"odd\"")],
        from: "News <news@shop.example>",
        size: 500)
    let list = [HeaderField(name: "List-ID", value: " <news.shop>"), HeaderField(name: "x-empty", value: "")]
    return [
        (a, Fixture.body("Numbers")), (b, Fixture.body("More")), (c, Fixture.body("Scan")),
        (d, Fixture.body("The budget is in the attachment")), (e, Fixture.body("Sale", headers: list)),
    ]
}()
