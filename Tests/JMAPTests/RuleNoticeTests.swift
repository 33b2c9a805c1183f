import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Secrets
import Testing

@testable import Care
@testable import Kernel
@testable import Rules

/// ORG-78.
@Suite("Rules notify on the screen", .timeLimit(.minutes(10))) struct RuleNoticeTests {
    private static let rules = """
        require ["fileinto", "imap4flags", "mailbox", "enotify"];
        # rule:[Bills]
        if header :contains "subject" "invoice" {
            notify :message "A bill" "mailkernel:notify";
            addflag "\\\\Seen";
            fileinto :create "Bills";
        }
        # rule:[Urgent]
        if header :contains "subject" ["urgent", "invoice"] { notify "MailKernel:notify"; }
        """

    func test(
        _ sinks: any NotificationSink..., on disk: MemoryStorage.Disk = MemoryStorage.Disk(),
        clock: ManualClock = ManualClock(), server: MemoryMailServer? = nil,
        secrets: SecretDrawers = SecretDrawers(), proof: any UserProof = AbsentProof()
    ) async throws -> TestKernel {
        let test = try await TestKernel(
            on: disk, clock: clock, server: server, secrets: secrets, sinks: sinks, proof: proof)
        try await useRules(test)
        return test
    }

    func useRules(_ test: TestKernel) async throws {
        let set = try await test.call(
            "RuleList/set", ["update": ["singleton": ["text": .string(Self.rules)]]])
        #expect(set["notUpdated"] == .null)
    }

    func deliver(
        _ subject: String, _ name: String, _ more: [String] = [], to server: MemoryMailServer,
        at date: Date
    ) {
        let lines =
            [
                "From: Shop <shop@example.com>", "To: ada@example.org", "Subject: \(subject)",
                "Message-ID: <\(name)@example.org>",
            ] + more + ["", "Text"]
        server.deliver(
            Data(lines.joined(separator: "\r\n").utf8), to: "ada@example.org", receivedAt: date)
    }

    func deliver(_ test: TestKernel, _ subject: String, _ name: String, _ more: [String] = []) {
        deliver(subject, name, more, to: test.server, at: test.clock.now)
    }

    func waiting(_ test: TestKernel, _ collection: String = "rule-notice") async throws -> Int {
        try await test.storage.documents(in: collection, accountID: test.ada, after: nil, limit: 100).count
    }

    /// Once for each message, wherever its rules put it, and not as new mail as well. Nothing is sent.
    @Test func eachMessageIsAnnouncedOnce() async throws {
        let sink = MemoryNotificationSink()
        let test = try await test(sink)
        deliver(test, "Your invoice", "bill")
        deliver(test, "Urgent \u{202E}", "urgent")
        deliver(test, "Hello", "hello")
        try await test.wait(for: "all three") { sink.shown.count == 3 }
        try await test.wait(for: "their end") { try await waiting(test) == 0 }
        let bodies = sink.shown.filter { $0.id.rawValue.hasPrefix("rule-") }.map(\.body)
        #expect(Set(bodies) == ["A bill", "Urgent"])
        #expect(sink.shown.allSatisfy { $0.title == "Shop" })
        let bill = try #require(sink.shown.first { $0.body == "A bill" })
        let id = Id<Email>(String(bill.id.rawValue.dropFirst(5)))
        let email = try await test.email(id)
        #expect(email.keywords.contains(.seen) && email.header.subject == "Your invoice")
        #expect(try await test.storage.submissions(nil, in: test.ada).isEmpty)
        // It is withdrawn when the message is gone.
        _ = try await test.call("Email/set", ["destroy": [.string(id.rawValue)]])
        try await test.wait(for: "its withdrawal") { !sink.shown.contains { $0.id == bill.id } }
        #expect(sink.posts == 3)
        await test.kernel.stop()
    }

    /// Many at once are one; with the app lock only their number is shown.
    @Test func manyAreCombined() async throws {
        let sink = MemoryNotificationSink()
        let test = try await test(sink, proof: AnyProof())
        for number in 1...8 { deliver(test, "Urgent \(number)", "u\(number)") }
        try await test.wait(for: "one for all") { sink.shown.map(\.title) == ["8 new messages"] }
        try await test.wait(for: "their end") { try await waiting(test) == 0 }
        #expect(try await test.kernel.appLock.setEnabled(true, Secret("")) == .right)
        try await test.wait(for: "the end of what says too much") { sink.shown.isEmpty }
        test.clock.advance(by: 60)
        deliver(test, "Your invoice", "bill")
        try await test.wait(for: "a closed one") { sink.shown.map(\.title) == ["New mail"] }
        await test.kernel.stop()
    }

    /// Neither an account without notifications nor a muted conversation.
    @Test func whatIsToBeQuietIsQuiet() async throws {
        let sink = MemoryNotificationSink()
        let test = try await test(sink)
        let preferences: JSONValue = ["notificationPreferences": [test.ada.rawValue: false]]
        _ = try await test.program("Preferences/set", ["update": ["singleton": preferences]])
        deliver(test, "Urgent", "first")
        try await test.wait(for: "the mail") { try await test.emailIDs().count == 1 }
        try await test.wait(for: "the rules") { try await waiting(test, "arrival") == 0 }
        try await test.wait(for: "its end") { try await waiting(test) == 0 }
        _ = try await test.program(
            "Preferences/set", ["update": ["singleton": ["notificationPreferences": [:]]]])
        let first = try #require(try await test.emailIDs().first)
        _ = try await test.kernel.actions.perform(
            .mute, on: .emails([first]), in: test.ada, client: "page")
        deliver(test, "Re: Urgent", "second", ["In-Reply-To: <first@example.org>"])
        try await test.wait(for: "the mail") { try await test.emailIDs().count == 2 }
        deliver(test, "Urgent too", "third")
        try await test.wait(for: "what is heard") { !sink.shown.isEmpty }
        try await test.wait(for: "the end") { try await waiting(test) == 0 }
        #expect(sink.shown.map(\.body) == ["Urgent too"])
        await test.kernel.stop()
    }

    /// A visible page takes it, and only one window can.
    @Test func aVisiblePageShowsItItself() async throws {
        let sink = MemoryNotificationSink()
        let test = try await test(sink)
        await test.kernel.presence.opened("w")
        deliver(test, "Your invoice", "bill")
        try await test.wait(for: "the notice") { try await waiting(test) == 1 }
        let list = try await test.call("RuleNotice/get")["list"]
        #expect(list[0]?["text"] == "A bill" && list[0]?["rule"] == "Bills")
        let id = try #require(list[0]?["id"]?.stringValue)
        let update = try await test.call("RuleNotice/set", ["update": [id: ["text": "B"]]])
        #expect(update["notUpdated"][id]?["type"] == "forbidden")
        let taken = try await test.call("RuleNotice/set", ["destroy": [.string(id)]])
        #expect(taken["destroyed"].strings == [id])
        let again = try await test.call("RuleNotice/set", ["destroy": [.string(id)]])
        #expect(again["notDestroyed"][id]?["type"] == "notFound")
        // What no page has taken is shown once none is visible.
        deliver(test, "Urgent", "urgent")
        try await test.wait(for: "the next notice") { try await waiting(test) == 1 }
        await test.kernel.presence.closed("w")
        try await test.wait(for: "its notification") { !sink.shown.isEmpty }
        try await test.wait(for: "its end") { try await waiting(test) == 0 }
        // Plugins are told one after the other: the first one was never handed to them.
        #expect(sink.shown.map(\.body) == ["Urgent"] && sink.posts == 1)
        await test.kernel.stop()
    }

    /// Neither a window nor the desktop announces a message as new mail before its rules have run, or if they notify.
    @Test func newMailIsWhatNoRuleNotifiesOf() async throws {
        let test = try await TestKernel()
        // No rule runs on what is put into the store from here on.
        await test.kernel.stop()
        let notifications = test.kernel.notifications
        let email = try await test.kernel.mail.add(
            Data("From: shop@example.com\r\nSubject: Hi\r\n\r\nText".utf8),
            to: [try await test.mailbox(.inbox)], keywords: [], receivedAt: test.clock.now, in: test.ada
        ).email.id
        let id = email.rawValue
        let news = {
            try await test.call("NewMail/query", ["after": "2001-01-01T00:00:00Z"])["ids"].strings
        }
        #expect(try await news() == [id])
        let arrival = DocumentKey("arrival", id, accountID: test.ada)
        try await test.kernel.store.commit([.putDocument(Document(arrival, value: true))])
        #expect(try await news() == [])
        let notice = RuleNotice(about: email, rule: "Urgent", text: " \u{202E}\n", at: test.clock.now)
        #expect(notice.text == nil)
        try await test.kernel.store.commit([.destroyDocument(arrival), try notice.change(in: test.ada)])
        #expect(try await news() == [])
        #expect(try await notifications.ruleNotices(in: test.ada).map(\.emailID) == [email])
        // One window shows it, and the other one does not announce it as new mail.
        #expect(try await notifications.takeNotice(of: email, in: test.ada))
        #expect(try await !notifications.takeNotice(of: email, in: test.ada))
        #expect(try await waiting(test) == 0)
        #expect(try await news() == [])
        #expect(try await notifications.ruleNotices(in: test.ada) == [])
    }

    /// A page leaves out what the desktop does.
    @Test func aPageHearsNeitherOfMutedNorOfOldNews() async throws {
        let test = try await TestKernel()
        // No rule runs on what is put into the store from here on.
        await test.kernel.stop()
        let inbox = try await test.mailbox(.inbox)
        for (name, text) in [("old", "A"), ("muted", "B")] {
            let email = try await test.kernel.mail.add(
                Data("From: s@example.com\r\nSubject: \(text)\r\n\r\nText".utf8), to: [inbox],
                keywords: name == "muted" ? [.muted] : [], receivedAt: test.clock.now, in: test.ada
            ).email.id
            let age = name == "old" ? 90_000.0 : 0
            let notice = RuleNotice(about: email, rule: text, text: nil, at: test.clock.now - age)
            try await test.kernel.store.commit([try notice.change(in: test.ada)])
        }
        #expect(try await waiting(test) == 2)
        #expect(try await test.call("RuleNotice/get")["list"] == [])
        let news = try await test.call("NewMail/query", ["after": "2001-01-01T00:00:00Z"])
        #expect(news["ids"] == [])
    }

    /// Neither a denied nor a failed notification counts as shown: a page can show it.
    @Test(arguments: [false, true]) func whatNoPluginCanShowWaitsForAPage(isDenied: Bool) async throws {
        let sinks = [RecordingSink(), RecordingSink()]
        for sink in sinks {
            sink.isDenied.withLock { $0 = isDenied }
            sink.fails.withLock { $0 = true }
        }
        let test = try await test(sinks[0], sinks[1])
        deliver(test, "Urgent", "urgent")
        try await test.wait(for: "their failure") {
            await test.kernel.notifications.fates.values.contains(.unshown)
        }
        #expect(try await waiting(test) == 1)
        await test.kernel.presence.opened("w")
        let list = try await test.call("RuleNotice/get")["list"]
        let id = try #require(list[0]?["id"]?.stringValue)
        let taken = try await test.call("RuleNotice/set", ["destroy": [.string(id)]])
        #expect(taken["destroyed"].strings == [id])
        #expect(try await waiting(test) == 0)
        await test.kernel.presence.closed("w")
        // One of two is enough.
        sinks[1].isDenied.withLock { $0 = false }
        sinks[1].fails.withLock { $0 = false }
        deliver(test, "Urgent too", "too")
        await sinks[1].posted.wait { !$0.isEmpty }
        try await test.wait(for: "its end") { try await waiting(test) == 0 }
        #expect(sinks[1].posted.value.count == 1 && sinks[1].posted.value != ["rule-\(id)"])
        await test.kernel.stop()
    }

    /// A page that becomes visible does not show what a plugin is about to show.
    @Test func whatAPluginShowsIsNotForAPage() async throws {
        let sink = RecordingSink()
        sink.isOpen.withLock { $0 = false }
        let test = try await test(sink)
        deliver(test, "Urgent", "urgent")
        await sink.asked.wait { $0 > 0 }
        await test.kernel.presence.opened("w")
        #expect(try await test.call("RuleNotice/get")["list"] == [])
        let query = EmailQuery(in: [test.ada], filter: .subject("Urgent"), limit: 1)
        let id = try #require(try await test.storage.queryEmails(query).hits.first).emailID.rawValue
        let taken = try await test.call("RuleNotice/set", ["destroy": [.string(id)]])
        #expect(taken["notDestroyed"][id]?["type"] == "notFound")
        sink.isOpen.withLock { $0 = true }
        try await test.wait(for: "its end") { try await waiting(test) == 0 }
        #expect(sink.posted.value == ["rule-\(id)"])
        await test.kernel.stop()
    }
}

private struct AnyProof: UserProof {
    let problem: String? = nil

    func check(_ password: Secret) async -> ProofOutcome { .proven }
}
