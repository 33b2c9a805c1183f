import FoundationEssentials
import MailKernelAPI

/// Emails and their bodies, ordinary and not.
let storageEmailCases: [ConformanceCase] = [
    storageCase("anEmailComesBackEqual", "Every property of an email and its body is kept.") { store in
        try await store.commit(.putEmail(fullEmail, fullBody))
        try await expectEqual(store.email("full").email, fullEmail, "the email")
        try await expectEqual(store.backend.body(of: Id("full"), in: Fixture.home), fullBody, "its body")
    },
    storageCase("putEmailReplacesTheWhole", "Nothing of the previous email is left.") { store in
        try await store.commit(.putEmail(fullEmail, fullBody))
        let other = Fixture.email("full", in: [Fixture.archive], subject: "Different")
        try await store.put(other)
        try await expectEqual(store.email("full").email, other, "the email")
        try await expectEqual(
            store.backend.body(of: Id("full"), in: Fixture.home), Fixture.body("Body of full"), "its body")
        try await expectEqual(store.find(.text("quarterly")), "", "emails found by the former text")
        try await expectEqual(store.find(.text("different")), "full", "emails found by the new text")
    },
    storageCase("updateEmailPatches", "Keywords and mailboxes change, everything else stays.") { store in
        try await store.put(Fixture.email("a", keywords: [.seen, Keyword("mine")]))
        try await store.update(
            "a", add: [.flagged, Keyword("$FORWARDED")], remove: [.seen, .answered], into: [Fixture.archive],
            outOf: [Fixture.inbox, Fixture.trash])
        let expected = Fixture.email(
            "a", in: [Fixture.archive], keywords: [.flagged, .forwarded, Keyword("mine")])
        try await expectEqual(store.email("a").email, expected, "the email")
    },
    storageCase("emailsComeInTheOrderAsked", "Ids that do not exist are left out.") { store in
        try await store.put(Fixture.email("a"), Fixture.email("b"), Fixture.email("c"))
        let found = try await store.backend.emails(["c", "none", "a"].map { Id($0) }, in: Fixture.home)
        try expectEqual(found.map(\.email.id.rawValue), ["c", "a"], "emails")
        try await expectEqual(store.backend.emails([Id("a")], in: Id("nowhere")), [], "emails of no account")
        try await expectEqual(
            store.backend.body(of: Id("none"), in: Fixture.home), nil, "body of a missing email")
    },
    storageCase("whatBelongsToAnEmailGoesWithIt", "Body, insight and remote ids are removed with it.") {
        store in
        try await store.commit(oneOfEach)
        try await store.destroy("e1")
        let id = Id<Email>("e1")
        try await expectEqual(store.backend.body(of: id, in: Fixture.home), nil, "body")
        try await expectEqual(store.heldInsights([id]), [], "insights")
        try await expectEqual(store.backend.remoteRefs(of: [id], in: Fixture.home), [], "remote names")
        try await expectEqual(
            store.backend.emailIDs(for: [Id("77")], feed: Fixture.gmail, in: Fixture.home), [:],
            "emails by name")
        try await expectEqual(store.find(.text("hello")), "", "emails found by its text")
    },
    storageCase(
        "anyTextIsKept", "NUL, right-to-left, combining and unassigned characters are returned unchanged."
    ) { store in
        let texts = [
            "", "\0", "a\0b", "line\r\nbreak\u{2028}", "'; DROP TABLE email; --",
            "%s %n \\ \" ' ` $HOME {{x}}",
            "שלום עולם \u{202E}evil", "e\u{301}\u{301}\u{301}", "👩‍👩‍👧‍👦🏴‍☠️", "\u{FFFD}\u{FFFF}\u{10FFFF}",
            "<script>",
        ]
        for (number, text) in texts.enumerated() {
            var email = Fixture.email("e\(number)", subject: text, from: "x@example.org")
            email.header.from = [EmailAddress(name: text, email: text)]
            email.header.messageID = [text]
            email.keywords = [Keyword("k" + text)]
            email.preview = text
            let body = Fixture.body(text, headers: [HeaderField(name: "X-" + text, value: text)])
            try await store.commit(.putEmail(email, body))
            let found = try await store.email("e\(number)").email
            // Compared by bytes: `==` of strings takes canonically equivalent ones for equal.
            try expectEqual(
                Array((found.header.subject ?? "").utf8), Array(text.utf8), "the bytes of subject \(number)")
            try expectEqual(found, email, "email \(number)")
            try await expectEqual(store.backend.body(of: email.id, in: Fixture.home), body, "body \(number)")
        }
    },
    storageCase("aSubjectMayBeAMegabyte", "Very long subjects are stored completely.") { store in
        let subject = String(repeating: "long subject ", count: 80_000)
        try await store.put(Fixture.email("a", subject: subject))
        let found = try await store.email("a").email.header.subject
        try expect(
            found == subject,
            "a subject of \(subject.utf8.count) bytes came back with \(found?.utf8.count ?? 0)")
    },
    storageCase("thereMayBeTenThousandRecipients", "All of them are stored in order.") { store in
        var email = Fixture.email("a")
        email.header.to = (0..<10_000).map { EmailAddress(name: "Person \($0)", email: "p\($0)@example.org") }
        try await store.put(email)
        let found = try await store.email("a").email.header.to
        try expect(
            found == email.header.to, "10,000 recipients came back as \(found.count), or in another order")
        try await expectEqual(store.find(.to("p9999")), "a", "emails found by the last recipient")
    },
    storageCase("datesMayBeFarAway", "Dates from 1900 to 9999 are stored, including those before 1970.") {
        store in
        // 1900-01-01, 1969-12-31 23:59:59, 9999-12-31 23:59:59.
        for (number, seconds) in [-2_208_988_800.0, -1, 0, 253_402_300_799].enumerated() {
            var email = Fixture.email("e\(number)", size: number)
            email.receivedAt = Date(timeIntervalSince1970: seconds)
            email.header.sentAt = Date(timeIntervalSince1970: seconds)
            try await store.put(email)
            try await expectEqual(store.email("e\(number)").email, email, "the email of \(seconds)")
        }
        let newest = [EmailSort(.receivedAt, isAscending: false)]
        try await expectEqual(store.find(nil, sort: newest), "e3 e2 e1 e0", "the newest first")
    },
    storageCase("referencesMayBeFiveThousandDeep", "They are stored, and the last ones connect.") { store in
        let references = (0..<5_000).map { "r\($0)@example.org" }
        try await store.put(Fixture.email("deep", references: references))
        try await store.put(Fixture.email("other", inReplyTo: ["r4950@example.org"]))
        let found = try await store.email("deep").email.header.references
        try expect(found == references, "5,000 references came back as \(found.count), or in another order")
        try await expectEqual(store.threads(of: ["deep", "other"]), "deep+other", "threads")
    },
    storageCase("messageIDsMayRepeat", "Two emails with one Message-ID are two emails of one thread.") {
        store in
        var copy = Fixture.email("b")
        copy.header.messageID = ["a@mail.example", "a@mail.example"]
        try await store.put(Fixture.email("a"), copy)
        try await expectEqual(store.find(nil), "a b", "emails")
        try await expectEqual(store.threads(of: ["a", "b"]), "a+b", "threads")
    },
    storageCase("aBodyMayBeMegabytes", "Large texts are stored completely and can be found.") { store in
        let text = String(repeating: "plain words of a long text\n", count: 80_000) + "finalword"
        try await store.commit(.putEmail(Fixture.email("a"), Fixture.body(text)))
        let found = try await store.backend.body(of: Id("a"), in: Fixture.home)?.values["1"]?.value
        try expect(
            found == text, "a text of \(text.utf8.count) bytes came back with \(found?.utf8.count ?? 0)")
        try await expectEqual(store.find(.body("finalword")), "a", "emails found by the last word")
    },
]

private let fullEmail = Email(
    id: Id("full"), accountID: Fixture.home, blobID: Id("raw"), mailboxIDs: [Fixture.inbox, Fixture.archive],
    keywords: [.seen, .flagged, Keyword("project-x")], size: 123_456, receivedAt: Fixture.day(3),
    header: EmailHeader(
        messageID: ["1@example.org", "2@example.org"], inReplyTo: ["0@example.org"],
        references: ["-1@example.org", "0@example.org"],
        sender: [EmailAddress(name: "Secretary", email: "s@example.org")],
        from: [
            EmailAddress(name: "Anna Ø", email: "anna@example.org"),
            EmailAddress(email: "second@example.org"),
        ],
        to: [EmailAddress(name: "", email: "me@home.example")], cc: [EmailAddress(email: "cc@example.org")],
        bcc: [EmailAddress(name: "Hidden", email: "bcc@example.org")],
        replyTo: [EmailAddress(email: "reply@example.org")], subject: "Quarterly report",
        sentAt: Fixture.day(2.5)),
    hasAttachment: true, preview: "The first words …")

private let fullBody = EmailBody(
    headers: [
        HeaderField(name: "Received", value: " from a\r\n by b"),
        HeaderField(name: "Received", value: " from c"),
    ],
    structure: EmailBodyPart(
        headers: [HeaderField(name: "Content-Type", value: " multipart/mixed")], type: "multipart/mixed",
        subParts: [
            EmailBodyPart(partID: "1", blobID: Id("b1"), size: 9, type: "text/plain", charset: "iso-8859-1"),
            EmailBodyPart(
                partID: "2", blobID: Id("b2"), size: 70_000, name: "a/b.png", type: "image/png",
                disposition: "attachment", cid: "cid@x", language: ["de", "en"],
                location: "https://example.org/x"),
        ]),
    values: ["1": EmailBodyValue("The first", isEncodingProblem: true, isTruncated: true)])
