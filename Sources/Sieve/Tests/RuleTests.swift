import Testing

@testable import Sieve

@Suite("Rules are Sieve scripts, in both directions") struct RuleTests {
    private let message = RawMessage(
        """
        From: Bob <bob@example.net>\r
        Cc: Ada <ada@example.org>\r
        Subject: Your invoice\r
        List-Id: <news.example.net>\r
        Content-Type: multipart/mixed; boundary=b\r
        \r
        --b\r
        Content-Type: text/plain\r
        \r
        Please pay.\r
        --b\r
        Content-Disposition: attachment; filename=a.pdf\r
        \r
        x\r
        --b--\r

        """)

    private func acts(_ condition: SieveRuleCondition) throws -> Bool {
        let rule = SieveRule(name: "A", conditions: [condition], actions: [.move(to: "X")])
        return try decide([rule]) == [.fileInto(mailbox: "X", flags: [], create: false)]
    }

    private func decide(_ rules: [SieveRule]) throws -> [SieveAction] {
        let text = SieveRuleList(rules).script().text
        return try SieveProgram(parsing: Array(text.utf8)).verdict(on: message, host: PlainHost()).actions
    }

    @Test(
        arguments: [
            (.from("BOB"), true), (.from("ada"), false), (.sender("Bob@example.net"), true),
            (.sender("ob@example.net"), false), (.domain("EXAMPLE.net"), true), (.domain("ample.net"), false),
            (.toOrCc("ada@"), true), (.subject("invoice"), true),
            (.subject("pay"), false), (.list("news.example"), true), (.words("please"), true),
            (.words("your"), true),
            (.words("nothing"), false), (.largerThan(100), true), (.smallerThan(100), false),
            (.hasAttachment, true),
            (.from("a \"quoted\" \\ text"), false),
        ] as [(SieveRuleCondition.Subject, Bool)])
    func aConditionMeansWhatItSays(_ subject: SieveRuleCondition.Subject, _ holds: Bool) throws {
        #expect(try acts(SieveRuleCondition(subject)) == holds)
        #expect(try acts(SieveRuleCondition(subject, isNegated: true)) == !holds)
    }

    /// ORG-75: required only where it is needed, for no other program knows it.
    @Test func savedSearchesAreAskedForByTheirIds() throws {
        let rule = SieveRule(name: "A", conditions: [.init(.savedSearch("V1"))], actions: [.star])
        let other = SieveRule(name: "B", conditions: [.init(.subject("x"))], actions: [.star])
        var list = SieveRuleList([rule, other])
        let text = list.script().text
        #expect(text.contains("savedsearch \"V1\"") && text.contains("\"vnd.mailkernel.savedsearch\""))
        list = SieveRuleList(try SieveScript(parsing: text))
        #expect(list.rules == [rule, other])
        #expect(list.script().savedSearches.map(\.name) == ["V1"])
        list.entries.removeFirst()
        #expect(!list.script().text.contains("vnd.mailkernel"))
        #expect(throws: SieveError.self) { try SieveProgram(parsing: Array("if savedsearch \"a\" {}".utf8)) }
        // Where there are no searches, the script ends, and the message is kept.
        #expect(throws: SieveError.self) { try decide([rule]) }
    }

    @Test func actionsMeanWhatTheySay() throws {
        let rule = SieveRule(
            name: "A", conditions: [],
            actions: [.label("L"), .star, .markRead, .forward(to: "c@d.example"), .stop])
        let flags = ["\\Flagged", "\\Seen"]
        let last = SieveRule(name: "B", conditions: [], actions: [.trash])
        #expect(
            try decide([rule, last]) == [
                .fileInto(mailbox: "L", flags: flags, create: false), .redirect(to: "c@d.example"),
                .keep(flags: flags, isImplicit: true),
            ])
        #expect(try decide([last]) == [.fileInto(mailbox: "Trash", flags: [], create: false)])
        var off = last
        off.isOn = false
        #expect(try decide([off]) == [.keep(flags: [], isImplicit: true)])
    }

    /// ORG-78: required only where it is needed.
    @Test func aNotificationIsOnTheScreenOrAMessage() throws {
        let rule = SieveRule(name: "A", conditions: [.init(.subject("invoice"))], actions: [.notify])
        let other = SieveRule(name: "B", conditions: [], actions: [.star])
        let text = SieveRuleList([rule, other]).script().text
        #expect(text.contains("\"enotify\"") && text.contains("notify \"mailkernel:notify\";"))
        #expect(SieveRuleList(try SieveScript(parsing: text)).rules == [rule, other])
        #expect(!SieveRuleList([other]).script().text.contains("enotify"))
        let actions = try decide([rule])
        guard case .notify(let notification) = try #require(actions.first { $0 != actions.last }) else {
            Issue.record("There is no notification in \(actions)")
            return
        }
        #expect(notification.isOnScreen && notification.message == nil)
        for (method, isSupported) in [
            ("MAILKERNEL:notify", true), ("mailto:a@b.example", true), ("mailkernel:other", false),
            ("mailkernel:", false), ("mailkernel", false), ("xmpp:a@b.example", false),
        ] {
            let script = "require \"enotify\"; notify \"\(method)\";"
            let program = try? SieveProgram(parsing: Array(script.utf8))
            #expect((program != nil) == isSupported, "\(method)")
        }
    }

    @Test func everyRuleComesBack() throws {
        var dice = Dice(3)
        let subjects: [SieveRuleCondition.Subject] = [
            .from("a"), .toOrCc("b \"c\""), .subject("${x}"), .list("\\"), .words("ü"), .largerThan(2048),
            .smallerThan(7), .hasAttachment, .savedSearch("V1"),
        ]
        let actions: [SieveRuleAction] = [
            .move(to: "A/B"), .label("L"), .archive, .trash, .forward(to: "a@b.example"), .notify, .stop,
        ]
        for number in 0..<200 {
            let rule = SieveRule(
                name: "Rule [\(number)] ü", isOn: dice.chance(80), joining: dice.chance(50) ? .all : .any,
                conditions: (0..<dice.number(1...4)).map { _ in
                    SieveRuleCondition(dice.pick(subjects), isNegated: dice.chance(30))
                },
                actions: (dice.chance(50) ? [.star] : [])
                    + (0..<dice.number(0...2)).map { _ in dice.pick(actions) })
            let text = SieveRuleList([rule]).script().text
            let list = SieveRuleList(try SieveScript(parsing: text))
            #expect(list.rules == [rule], "\(text)")
            #expect(list.script().text == text)
        }
    }

    @Test func whatWasWrittenByHandStays() throws {
        let script = try SieveScript(
            parsing: """
                # Mine.
                require ["fileinto", "vacation"];
                # rule:[Bills]
                if allof (header :contains "subject" "bill") { fileinto "Bills"; }
                # Away in June.
                if header :is "subject" "x" { vacation "Away."; } else { keep; }
                # rule:[Other]
                if anyof (size :over 1M) { fileinto :copy "Big"; discard; }
                # The end.
                """)
        let list = SieveRuleList(script)
        #expect(list.rules.map(\.name) == ["Bills"])
        #expect(list.entries.count == 2)
        let again = list.script()
        #expect(again.commands.dropFirst() == script.commands.dropFirst())
        #expect(again.text.hasPrefix("# Mine.\nrequire [\"fileinto\", \"vacation\", "))
        #expect(again.comments == ["The end."])
    }
}
