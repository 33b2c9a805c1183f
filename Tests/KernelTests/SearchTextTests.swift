import Foundation
import MailKernelAPI
import Testing

@testable import Mail

/// ORG-30, ORG-31: the language of searches.
@Suite("A typed search is understood as it was meant") struct SearchTextTests {
    /// A Wednesday.
    static let now = noon(2026, 3, 18)

    private static func noon(_ year: Int, _ month: Int, _ day: Int) -> Date { date(year, month, day, 12) }

    private static func date(_ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0) -> Date {
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
        parts.tm_hour = Int32(hour)
        parts.tm_isdst = -1
        return Date(timeIntervalSince1970: Double(mktime(&parts)))
    }

    private static func range(_ from: (Int, Int, Int), _ to: (Int, Int, Int)) -> EmailFilter {
        .and([.after(date(from.0, from.1, from.2)), .before(date(to.0, to.1, to.2))])
    }

    private static let places = SearchPlaces(
        mailboxes: [
            Mailbox(id: Id("r"), accountID: Id("a"), name: "Receipts"),
            Mailbox(id: Id("w"), accountID: Id("a"), name: "Work"),
            Mailbox(id: Id("t"), accountID: Id("a"), name: "Travel plans", parentID: Id("w")),
            Mailbox(id: Id("s"), accountID: Id("a"), name: "Snoozed mail"),
        ], addresses: ["me@example.org"])

    private func filter(_ text: String) -> EmailFilter {
        SearchText(text, at: Self.now).condition.filter(in: Self.places).stored()
    }

    static let filters: [(text: String, filter: EmailFilter)] = [
        ("", .and([])), ("  ", .and([])),
        ("roof", .text("roof")), ("new  roof", .text("new roof")),
        ("-roof", .not([.text("roof")])), ("NOT roof", .not([.text("roof")])),
        ("new -roof", .and([.not([.text("roof")]), .text("new")])),
        ("-\"new roof\"", .not([.text("\"new roof\"")])), ("well-known", .text("well-known")),
        ("-- €", .text("-- €")), ("not or and", .text("not or and")), ("NOT NOT a", .text("a")),
        ("\"new roof\"", .text("\"new roof\"")), ("+roof", .text("\"roof\"")),
        ("a OR b", .or([.text("a"), .text("b")])), ("{a b}", .or([.text("a"), .text("b")])),
        ("x a OR b", .and([.or([.text("a"), .text("b")]), .text("x")])),
        ("a AND b OR c AND d", .or([.text("a b"), .text("c d")])),
        ("(a b) OR c", .or([.text("a b"), .text("c")])),
        ("a (b OR -(c d))", .and([.or([.text("b"), .not([.text("c d")])]), .text("a")])),
        ("from:ana", .from("ana")), ("From: ana", .from("ana")), ("from:\"Ana Lima\"", .from("\"Ana Lima\"")),
        ("from ana", .from("ana")), ("from:me", .from("\"me@example.org\"")),
        ("to:ana", .or([.to("ana"), .cc("ana"), .bcc("ana")])), ("cc:ana", .cc("ana")),
        ("-from:ana", .not([.from("ana")])), ("bcc:x", .bcc("x")), ("body:x", .body("x")),
        ("subject:(a OR \"b c\")", .or([.subject("a"), .subject("\"b c\"")])),
        ("subject:(a -b)", .and([.subject("a"), .not([.subject("b")])])),
        ("from:{a b}", .or([.from("a"), .from("b")])),
        ("in:inbox", .inRole(.inbox)), ("label:receipts", .inMailbox(Id("r"))),
        ("in:\"Travel Plans\"", .inMailbox(Id("t"))), ("label:work-travel-plans", .inMailbox(Id("t"))),
        ("in:snoozed", .inMailbox(Id("s"))), ("is:snoozed", .inMailbox(Id("s"))),
        ("in:nowhere", .or([])), ("-in:nowhere", .and([])), ("in:anywhere roof", .text("roof")),
        ("in:(receipts OR spam)", .or([.inMailbox(Id("r")), .inRole(.junk)])),
        ("has:attachment", .hasAttachment(true)), ("with an attachment", .hasAttachment(true)),
        ("is:unread", .notKeyword(.seen)), ("unread", .notKeyword(.seen)),
        ("is:starred", .hasKeyword(.flagged)),
        ("is:answered", .hasKeyword(.answered)), ("category:promotions", .category(.promotions)),
        ("larger:5M", .minSize(5_000_000)), ("smaller:1.5k", .maxSize(1500)), ("size:70", .minSize(70)),
        ("larger than 5 MB", .minSize(5_000_000)),
        ("list:news.example.org", .header(name: "List-Id", value: "news.example.org")),
        (
            "list:news@example.org",
            .or([
                .header(name: "List-Id", value: "news.example.org"),
                .header(name: "List-Post", value: "news@example.org"),
            ])
        ),
        ("rfc822msgid:<a@b>", .header(name: "Message-ID", value: "a@b")),
        ("Re: the offer", .text("Re: the offer")), ("https://a.org/b:c", .text("https://a.org/b:c")),
        ("call foo(bar)", .text("call foo(bar)")), (":)", .text(":)")),
        ("unreadable todayish platform", .text("unreadable todayish platform")),
        ("letter from the bank", .text("letter from the bank")), ("(((a)))", .text("a")),
    ]

    @Test(arguments: filters) func aSearchBecomesAFilter(_ text: String, _ wanted: EmailFilter) {
        #expect(filter(text) == wanted, "\(text)")
    }

    static let dates: [(text: String, filter: EmailFilter, label: String)] = [
        ("today", .after(date(2026, 3, 18)), "Today"),
        ("yesterday", range((2026, 3, 17), (2026, 3, 18)), "Yesterday"),
        ("from last week", range((2026, 3, 9), (2026, 3, 16)), "Last week"),
        ("this month", range((2026, 3, 1), (2026, 4, 1)), "This month"),
        ("last year", range((2025, 1, 1), (2026, 1, 1)), "Last year"),
        ("in March", range((2026, 3, 1), (2026, 4, 1)), "March 2026"),
        ("in december", range((2025, 12, 1), (2026, 1, 1)), "December 2025"),
        ("in march 2024", range((2024, 3, 1), (2024, 4, 1)), "March 2024"),
        ("in 2024", range((2024, 1, 1), (2025, 1, 1)), "2024"),
        ("on friday", range((2026, 3, 13), (2026, 3, 14)), "Friday"),
        ("last wednesday", range((2026, 3, 11), (2026, 3, 12)), "Last Wednesday"),
        ("on:5-march", range((2026, 3, 5), (2026, 3, 6)), "5 March 2026"),
        ("march 20", range((2025, 3, 20), (2025, 3, 21)), "20 March 2025"),
        ("on 29 february 2024", range((2024, 2, 29), (2024, 3, 1)), "29 February 2024"),
        ("last 30 days", .after(date(2026, 2, 16)), "Last 30 days"),
        ("2 weeks ago", range((2026, 3, 4), (2026, 3, 5)), "2 weeks ago"),
        ("before:2024-02-01", .before(date(2024, 2, 1)), "Before 1 February 2024"),
        ("before:2/1/2024", .before(date(2024, 2, 1)), "Before 1 February 2024"),
        ("before:1.2.2024", .before(date(2024, 2, 1)), "Before 1 February 2024"),
        ("before:2024/02", .before(date(2024, 2, 1)), "Before February 2024"),
        ("before:last week", .before(date(2026, 3, 9)), "Before last week"),
        ("after:\"last month\"", .after(date(2026, 2, 1)), "Since last month"),
        ("since monday", .after(date(2026, 3, 16)), "Since Monday"),
        ("older_than:1y", .before(date(2025, 3, 18)), "Older than 1 year"),
        ("newer_than:2d", .after(date(2026, 3, 16)), "Newer than 2 days"),
        ("newer_than:1m", .after(date(2026, 2, 18)), "Newer than 1 month"),
        ("newer_than:3h", .after(date(2026, 3, 18, 9)), "Newer than 3 hours"),
        ("march", .or([.and(range3), .text("march")]), "From March 2026, or “march”"),
        (
            "2024", .or([range((2024, 1, 1), (2025, 1, 1)), .text("2024")]), "From 2024, or “2024”"
        ),
    ]
    private static let range3: [EmailFilter] = [.after(date(2026, 3, 1)), .before(date(2026, 4, 1))]

    @Test(arguments: dates) func timesAreWhatAPersonMeansByThem(
        _ text: String, _ wanted: EmailFilter, _ label: String
    ) {
        let search = SearchText(text, at: Self.now)
        #expect(search.condition.filter(in: Self.places).stored() == wanted, "\(text)")
        #expect(search.chips.map(\.label) == [label])
        #expect(search.remarks.isEmpty, "\(search.remarks)")
    }

    static let remarks: [(text: String, part: String)] = [
        ("larger:abc", "takes a size"), ("before:sometime", "takes a date"),
        ("before:2024-02-31", "takes a date"),
        ("has:drive", "takes attachment"), ("is:odd", "takes unread"), ("from:", "needs"),
        ("a from:", "needs"),
        ("form:ana", "Did you mean “from:”?"), ("sujbect:a", "Did you mean “subject:”?"),
        ("foo:bar", "not a search operator"), ("a OR", "both sides"), ("OR a", "both sides"),
        ("AND a", "both sides"),
        ("(a b", "not closed"), ("\"a b", "quotation mark"), ("older_than:7", "takes a time"),
        ("NOT", "leave out"),
    ]

    /// Nothing is dropped in silence: what is not understood is searched as words, and said.
    @Test(arguments: remarks) func whatIsNotUnderstoodIsSaid(_ text: String, _ part: String) {
        let search = SearchText(text, at: Self.now)
        #expect(search.remarks.contains { $0.sentence.contains(part) }, "\(text): \(search.remarks)")
    }

    @Test func valuesThatAreNotUnderstoodAreWords() {
        #expect(filter("larger:abc") == .text("larger:abc"))
        #expect(filter("foo:bar x") == .text("foo:bar x"))
        let folders = SearchText("in:nowhere label:receipts", at: Self.now)
        #expect(
            folders.remarks(in: [Self.places]).map(\.sentence) == [
                "There is no folder or label named “nowhere”."
            ])
    }

    @Test func chipsSayWhatWasUnderstoodAndCanBeTakenOut() {
        let text = "ä budget -from:ana \"new roof\" subject:a OR subject:b x AND is:unread"
        let search = SearchText(text, at: Self.now)
        #expect(
            search.chips.map(\.label) == [
                "Not from: ana", "“new roof”", "Subject: a or Subject: b", "Unread",
            ])
        #expect(search.chips.map(\.isPhrase) == [false, true, false, false])
        let units = Array(text.utf16)
        #expect(
            search.chips.map { String(decoding: units[$0.range], as: UTF16.self) } == [
                "-from:ana", "\"new roof\"", "subject:a OR subject:b", "is:unread",
            ])
        #expect(search.chips[2].without == "ä budget -from:ana \"new roof\" x AND is:unread")
        #expect(search.chips[3].without == "ä budget -from:ana \"new roof\" subject:a OR subject:b x")
        let first = SearchText("is:unread AND from:b AND c", at: Self.now).chips
        #expect(first.map(\.without) == ["from:b AND c", "is:unread AND c"])
    }

    @Test func marksAreTheWordsThatAreLookedForInTexts() {
        let search = SearchText("Bücher -roof from:ana \"new  Roof\" subject:x", at: Self.now)
        #expect(
            Set(search.marks) == [
                .init(words: ["bucher"], isPrefix: true), .init(words: ["new", "roof"], isPrefix: false),
            ])
    }

    @Test func anyTextIsBounded() {
        #expect(SearchText(String(repeating: "a", count: 4001), at: Self.now).problem != nil)
        #expect(SearchText(String(repeating: "a ", count: 501), at: Self.now).problem != nil)
        #expect(SearchText(String(repeating: "(", count: 400), at: Self.now).problem != nil)
        #expect(SearchText(String(repeating: "-", count: 400) + "a", at: Self.now).problem == nil)
        // Any order of any pieces has a meaning, and ends.
        let pieces = [
            "(", ")", "{", "}", "\"", "-", " OR ", " AND ", " NOT ", "from:", "a", " ", " before:", "last ",
            ":", "\\", "é",
        ]
        var random = SystemRandomNumberGenerator()
        for _ in 0..<3000 {
            let text = (0..<12).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            let search = SearchText(text, at: Self.now)
            for chip in search.chips { #expect(chip.range.upperBound <= text.utf16.count, "\(text)") }
        }
    }
}
