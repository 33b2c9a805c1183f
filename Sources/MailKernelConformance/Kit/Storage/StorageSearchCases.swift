import FoundationEssentials
import MailKernelAPI

/// Full-text search, and what is shown of its results.
let storageSearchCases: [ConformanceCase] = [
    searchCase(
        "findsWordsAndBeginnings", "Every term matches a word or the beginning of one.",
        [
            ("meeting", "a"), ("meet", "a"), ("eeting", ""), ("meetings", ""), ("monday meeting", "a"),
            ("meeting tuesday", ""), ("m", "a c"), ("2024", "b"), ("20", "b"), ("024", ""),
        ]),
    searchCase(
        "findsPhrases", "Quoted text matches a phrase of whole words.",
        [
            ("\"on monday\"", "a"), ("\"monday on\"", ""), ("\"on mond\"", ""), ("\"monday\" meet", "a"),
            ("\"meeting on monday\" room", "a"), ("\"meeting\"", "a"), ("\"meet\"", ""),
        ]),
    searchCase(
        "ignoresCaseAndDiacritics", "Case and diacritics make no difference, in any script.",
        [
            ("MEETING", "a"), ("cafe", "c"), ("CAFÉ", "c"), ("Cafe\u{301}", "c"), ("munchen", "c"),
            ("MÜNCHEN", "c"),
            ("привет", "d"), ("ПРИВЕТ", "d"), ("αθηνα", "d"), ("日本", "d"), ("viet", "d"),
        ]),
    searchCase(
        "signsDivideWords", "Words separated by symbols must be adjacent.",
        [
            ("anna@example.org", "a"), ("anna@exam", "a"), ("example.org", "a b c d"), ("org.example", ""),
            ("report-2024", "b"), ("2024-report", ""), ("report_2024", "b"), ("c++", "b c"), ("o'brien", "c"),
        ]),
    searchCase(
        "readsThroughMarkup", "Content hidden by markup is not part of a body.",
        [("visible", "b"), ("hiddenclass", ""), ("alert", ""), ("fish chips", "b"), ("amp", "")]),
    searchCase(
        "emptyTextMatchesAll", "An empty search matches everything.",
        [("", "a b c d"), ("   ", "a b c d"), ("\"\"", "a b c d"), ("\" \"", "a b c d")]),
    storageCase(
        "signsByThemselvesAreFound",
        "An emoji, a currency sign or dashes are matched literally."
    ) {
        store in
        try await store.commit(
            .putEmail(
                Fixture.email("a", subject: "Party 🎉 at six"), Fixture.body("It costs 5 € each -- or less.")),
            .putEmail(
                Fixture.email("b", subject: "Plain"),
                Fixture.body(
                    "See the markup.", html: "<!-- 🎈 --><p title='☃'>Fish &amp; €✨ with ❤️</p>")),
            .putEmail(Fixture.email("c", subject: "Well ..."), Fixture.body("No signs, a dash - and words")))
        for (filter, expected) in [
            (EmailFilter.text("🎉"), "a"), (.text("€"), "a b"), (.text("--"), "a"), (.text("-"), "a c"),
            (.text("***"), ""), (.text("👩‍👩‍👧"), ""), (.text("…"), ""), (.text("..."), "c"),
            (.text("-- ( )"), ""),
            (.text("€ 🎉"), "a"), (.text("party 🎉"), "a"), (.text("fish 🎉"), ""), (.text("\"🎉\""), "a"),
            (.text("\"€ --\""), "a"), (.text("&"), "b"), (.text("✨"), "b"), (.text("❤"), "b"),
            (.text("❤️"), "b"),
            (.text("☃"), ""), (.text("🎈"), ""), (.text("<"), ""), (.subject("🎉"), "a"), (.subject("€"), ""),
            (.body("€"), "a b"), (.body("🎉"), ""), (.from("🎉"), ""), (.from("@"), "a b c"),
            (.not([.text("€")]), "c"), (.or([.text("🎉"), .text("...")]), "a c"),
        ] {
            try await expectEqual(store.find(filter), expected, "emails found by \(filter)")
            try await expectEqual(
                store.find(filter, sort: [EmailSort(.relevance)]).split(separator: " ").sorted()
                    .joined(separator: " "), expected, "emails found by \(filter), the best first")
        }
        let snippets = try await store.backend.snippets(
            for: .text("🎉 € -"), emailIDs: [Id("a")], in: Fixture.home)
        try expectEqual(snippets.first?.subject, "Party <mark>🎉</mark> at six", "the subject")
        try expectEqual(
            snippets.first?.preview, "It costs 5 <mark>€</mark> each <mark>-</mark><mark>-</mark> or less.",
            "the text")
    },
    storageCase(
        "severalFieldsAreSearchedOneByOne", "Any of several texts matches, each in its own field as a whole."
    ) { store in
        var (one, other) = (Fixture.email("a", subject: "Roof"), Fixture.email("b", subject: "Tiles"))
        one.header.to = [EmailAddress(name: "Ana Lima", email: "ana@to.example")]
        other.header.cc = [EmailAddress(name: "Ana", email: "ana@cc.example")]
        other.header.bcc = [EmailAddress(name: "Lima", email: "lima@bcc.example")]
        try await store.commit(
            .putEmail(one, Fixture.body("A new roof")), .putEmail(other, Fixture.body("Roof, new")),
            .putEmail(Fixture.email("c", subject: "Ana Lima"), Fixture.body("new roof ana lima 🎉")))
        func anywhere(_ text: String) -> EmailFilter { .or([.to(text), .cc(text), .bcc(text)]) }
        for (filter, expected) in [
            (anywhere("ana"), "a b"), (anywhere("ana lima"), "a"), (anywhere("\"ana lima\""), "a"),
            (anywhere("lim"), "a b"), (anywhere("roof"), ""), (anywhere(""), "a b c"), (anywhere("🎉"), ""),
            (.and([anywhere("ana"), .text("\"new roof\"")]), "a"),
            (.and([anywhere("ana"), .not([.text("\"new roof\"")])]), "b"),
            (.or([.subject("tiles"), .body("🎉")]), "b c"),
            (
                .and([.text("new"), .or([.subject("roof"), .and([.subject("tiles"), .not([.cc("bo")])])])]),
                "a b"
            ),
        ] {
            try await expectEqual(store.find(filter), expected, "emails found by \(filter)")
            try await expectEqual(
                store.find(filter, sort: [EmailSort(.relevance)]).split(separator: " ").sorted()
                    .joined(separator: " "), expected, "emails found by \(filter), the best first")
        }
    },
    storageCase("noTextIsAnError", "Any input is a valid search.") { store in
        try await store.commit(searchEmails.map { .putEmail($0.email, $0.body) })
        let hostile = [
            "\"", "\"open", "a\"b\"c", "*", "a*", "* *", "^a", "a AND", "AND OR NOT", "NEAR(", "NEAR(a b, 2)",
            "col:a", "subject:x", "{a b}", "(", ")", "a)(b", "-a", "+a", "a^2", "\\", "\\\"", "'", "';--",
            "%", "_", "?",
            "\0", "a\0b", "\u{FFFD}", "\u{202E}", "e\u{301}\u{301}", "👩‍👩‍👧", "[", "]", "~a", "a~", "<mark>",
            "&lt;",
            String(repeating: "a", count: 100_000), String(repeating: "word ", count: 2_000),
            String(repeating: "\"", count: 999), String(repeating: "(", count: 5_000),
        ]
        for text in hostile {
            for filter in [
                EmailFilter.text(text), .from(text), .subject(text), .body(text),
                .header(name: text, value: text),
            ] {
                do {
                    _ = try await store.find(filter, sort: [EmailSort(.relevance)])
                    _ = try await store.backend.snippets(for: filter, emailIDs: [Id("a")], in: Fixture.home)
                } catch {
                    throw ConformanceFailure(
                        "searching for \"\(text.prefix(40))\" must not be an error: \(error)")
                }
            }
            _ = try await store.backend.contacts(matching: text, limit: 5)
        }
    },
    storageCase("theIndexFollowsTheMail", "Replaced or destroyed text is no longer found.") { store in
        try await store.put(Fixture.email("a", subject: "first"))
        try await expectEqual(store.find(.text("first")), "a", "found by the first subject")
        try await store.put(Fixture.email("a", subject: "second"))
        try await expectEqual(store.find(.text("first")), "", "found by the former subject")
        try await expectEqual(store.find(.text("second")), "a", "found by the new subject")
        try await store.update("a", add: [.seen])
        try await expectEqual(store.find(.text("second")), "a", "found after a flag was set")
        try await store.destroy("a")
        try await expectEqual(store.find(.text("second")), "", "found after it was destroyed")
    },
    storageCase("theBestMatchComesFirst", "Sorted by relevance, an email about the topic comes first.") {
        store in
        let filler = String(repeating: "other words of a long letter ", count: 60)
        try await store.commit(
            .putEmail(Fixture.email("mention"), Fixture.body(filler + "penguin " + filler)),
            .putEmail(Fixture.email("none"), Fixture.body(filler)),
            .putEmail(
                Fixture.email("topic", subject: "Penguin penguin"), Fixture.body("penguin, penguin, penguin"))
        )
        try await expectEqual(
            store.find(.text("penguin"), sort: [EmailSort(.relevance)]), "topic mention",
            "the best match first")
        try await expectEqual(
            store.find(.text("penguin"), sort: [EmailSort(.relevance, isAscending: false)]), "mention topic",
            "the worst match first")
    },
    storageCase("snippetsMarkWhatMatches", "Whole words are marked; everything else is unchanged, escaped.") {
        store in
        let text = "Fish & <b>chips</b> at Måndag's \"bar\""
        try await store.commit(.putEmail(Fixture.email("a", subject: text), Fixture.body(text)))
        for (filter, words) in [
            (EmailFilter.text("chi manda"), ["chips", "Måndag"]), (.text("\"fish b\""), ["Fish", "b"]),
        ] {
            let snippets = try await store.backend.snippets(
                for: filter, emailIDs: [Id("a")], in: Fixture.home)
            try expectEqual(snippets.map(\.emailID), [Id("a")], "emails with snippets")
            for shown in [snippets.first?.subject, snippets.first?.preview] {
                try expectEqual(plain(shown ?? ""), text, "what \(shown ?? "nil") shows without its marks")
                for word in words {
                    try expect(
                        (shown ?? "").contains("<mark>\(word)</mark>"),
                        "\(word) is not marked in \(shown ?? "nil")")
                }
            }
        }
    },
    storageCase("snippetsAreNilWhereNothingMatches", "For each field, without terms that must be absent.") {
        store in
        try await store.commit(.putEmail(Fixture.email("a", subject: "Alpha"), Fixture.body("Beta")))
        let ids = [Id<Email>("a"), Id("none")]
        func snippet(_ filter: EmailFilter) async throws -> [String?] {
            let snippets = try await store.backend.snippets(for: filter, emailIDs: ids, in: Fixture.home)
            try expectEqual(snippets.map(\.emailID), [Id("a")], "emails with snippets for \(filter)")
            return [snippets.first?.subject, snippets.first?.preview]
        }
        let (alpha, beta) = ("<mark>Alpha</mark>", "<mark>Beta</mark>")
        try await expectEqual(snippet(.text("alpha")), [alpha, nil], "alpha anywhere")
        try await expectEqual(snippet(.body("beta")), [nil, beta], "beta in the body")
        try await expectEqual(snippet(.subject("beta")), [nil, nil], "beta in the subject")
        try await expectEqual(
            snippet(.and([.text("alpha"), .not([.text("beta")])])), [alpha, nil], "without beta")
        try await expectEqual(snippet(.or([.subject("alpha"), .body("beta")])), [alpha, beta], "either")
        try await expectEqual(snippet(.hasKeyword(.seen)), [nil, nil], "a filter without text")
    },
    storageCase("snippetsAreShort", "At most 255 bytes of a body, wherever the match is.") { store in
        let filler = String(repeating: "wörter & more ", count: 500)
        try await store.commit(.putEmail(Fixture.email("a"), Fixture.body(filler + "needle " + filler)))
        let snippets = try await store.backend.snippets(
            for: .text("needle"), emailIDs: [Id("a")], in: Fixture.home)
        let preview = snippets.first?.preview ?? ""
        try expect(preview.contains("<mark>needle</mark>"), "the match is not in the preview: \(preview)")
        try expect(preview.utf8.count <= 255, "the preview has \(preview.utf8.count) bytes: \(preview)")
        try expect(!preview.hasSuffix("&") && !preview.hasSuffix("&am"), "an entity was cut: \(preview)")
    },
]

private func searchCase(_ name: String, _ promise: String, _ table: [(String, String)]) -> ConformanceCase {
    storageCase(name, promise) { store in
        try await store.commit(searchEmails.map { .putEmail($0.email, $0.body) })
        for (text, expected) in table {
            try await expectEqual(store.find(.text(text)), expected, "emails found by \"\(text)\"")
        }
    }
}

private let searchEmails: [(email: Email, body: EmailBody)] = [
    (
        Fixture.email(
            "a", subject: "Meeting on Monday", from: "anna@example.org", to: "you@home.test", size: 1),
        Fixture.body("See you in room seven.")
    ),
    (
        Fixture.email("b", subject: "Report-2024", from: "bert@example.org", to: "you@home.test", size: 2),
        Fixture.body(
            "See the rich text.",
            html:
                "<html><head><style>.hiddenclass { color: red }</style></head><body><script>alert(1)</script>"
                + "<p class=\"hiddenclass\">Visible fish &amp; <b>chips</b></p></body></html>")
    ),
    (
        Fixture.email(
            "c", subject: "Café in München", from: "carl@example.org", to: "you@home.test", size: 3),
        Fixture.body("Mr. O'Brien likes C++ very much.")
    ),
    (
        Fixture.email("d", subject: "Привет, Αθήνα", from: "dora@example.org", to: "you@home.test", size: 4),
        Fixture.body("日本 and Việt Nam")
    ),
]

/// What a snippet shows: without marks, entities as the signs that they stand for.
private func plain(_ snippet: String) -> String {
    let replacements = [
        ("<mark>", ""), ("</mark>", ""), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"),
        ("&amp;", "&"),
    ]
    return replacements.reduce(snippet) { $0.replacing($1.0, with: $1.1) }
}
