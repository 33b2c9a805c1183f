import Foundation
import Kernel
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Rules
import Testing

@testable import Mail

@Suite("Rules run on arriving mail", .timeLimit(.minutes(5))) struct RuleRunTests {
    private static let rules = """
        require ["fileinto", "imap4flags", "mailbox"];
        # rule:[Stars]
        if allof (header :contains "subject" "urgent") { addflag "\\\\Flagged"; }
        # rule:[Bills]
        if anyof (header :contains "subject" "invoice") { fileinto :create "Money/Bills"; stop; }
        # rule:[Noise]
        if allof (address :is "from" "noise@example.com") { discard; }
        # rule:[Lost]
        if allof (header :contains "subject" "lost") { fileinto "Nowhere"; }
        """

    /// ORG-10, ORG-12 and ORG-13: in order, before notifications, recorded by name, undoable; a mistake keeps the message.
    @Test(arguments: MemoryMailServer.Layout.allCases)
    func eachRuleDoesWhatItSays(_ layout: MemoryMailServer.Layout) async throws {
        let sink = MemoryNotificationSink(permission: .granted)
        let test = try await TestKernel(layout: layout, sinks: [sink])
        let scene = RuleScene(test: test)
        try await scene.useRules(Self.rules)
        scene.deliver(RuleScene.mail("bill", subject: "Urgent invoice"))
        scene.deliver(RuleScene.mail("noise", from: "noise@example.com", subject: "Buy"))
        scene.deliver(RuleScene.mail("lost", subject: "Lost and found"))
        scene.deliver(RuleScene.mail("other", subject: "Hello"))
        try await scene.settle()
        #expect(try await scene.place(of: "bill") == ["Bills", "$flagged"])
        #expect(try await scene.place(of: "noise") == ["Trash"])
        #expect(try await scene.place(of: "lost") == ["Inbox"])
        #expect(try await scene.place(of: "other") == ["Inbox"])
        let problems = try await scene.problems
        #expect(problems.map(\.rule) == ["Lost"] && problems.first?.count == 1)
        #expect(problems.first?.sentence == "There is no folder “Nowhere” in this account.")
        try await test.wait(for: "the notifications") { sink.shown.count == 2 }
        #expect(sink.shown.map(\.title).allSatisfy { !$0.contains("noise") })

        let actions = try await scene.actions.filter { $0.client.hasPrefix("Rule") }
        #expect(Set(actions.map(\.client)) == ["Rule “Stars, Bills”", "Rule “Noise”"])
        for action in actions { _ = try await test.kernel.actions.undo(action.id, in: test.ada) }
        try await scene.settle()
        #expect(try await scene.place(of: "bill") == ["Inbox"])
        #expect(try await scene.place(of: "noise") == ["Inbox"])
        // What was undone does not come again.
        test.server.expireCursors(of: RuleScene.ada)
        try await scene.settle()
        #expect(try await scene.place(of: "bill") == ["Inbox"])
        await test.kernel.stop()
    }

    /// ORG-11: neither a first sync, nor mail that another program moves into the inbox, nor mail from before the rules.
    @Test func onlyNewlyArrivedMailGetsRules() async throws {
        let test = try await TestKernel(messages: 0, layout: .folders, isStarted: false)
        let scene = RuleScene(test: test)
        scene.deliver(RuleScene.mail("old"), receivedAt: test.clock.now - 86_400)
        try await scene.useRules(Self.rules)
        try await test.start()
        try await scene.settle()
        #expect(try await scene.place(of: "old") == ["Inbox"])
        scene.deliver(RuleScene.mail("new"))
        try await scene.settle()
        #expect(try await scene.place(of: "new") == ["Bills"])

        // The user moves it back with another program, where it gets a new name.
        let there = try #require(
            test.server.messages(of: RuleScene.ada).first {
                String(decoding: $0.bytes, as: UTF8.self).contains("<new@")
            })
        let from = try #require(there.mailboxIDs.first)
        let inbox = try #require(
            test.server.mailboxes(of: RuleScene.ada).first { $0.role == .inbox }?.id)
        test.server.apply(.move([there.address], from: from, to: inbox), in: RuleScene.ada)
        try await scene.settle()
        try await test.wait(for: "the move") { try await scene.place(of: "new") == ["Inbox"] }
        try await scene.settle()
        #expect(try await scene.place(of: "new") == ["Inbox"])
        #expect(try await scene.actions.filter { $0.client.hasPrefix("Rule") }.count == 1)
        await test.kernel.stop()
    }

    /// ORG-14: what rules send goes through the outbox, to those who may get it, and in limits.
    @Test func whatRulesSendIsSentOnce() async throws {
        let test = try await TestKernel()
        let scene = RuleScene(test: test)
        try await scene.useRules(
            """
            require ["vacation", "copy", "reject", "enotify"];
            # rule:[On]
            if header :contains "subject" "on:" { redirect :copy "grace@example.org"; }
            # rule:[Self]
            if header :contains "subject" "self:" { redirect "ada@example.org"; }
            # rule:[Away]
            if header :contains "subject" "away:" { vacation :days 2 "I am away."; }
            # rule:[No]
            if header :contains "subject" "no:" { reject "No, thanks."; }
            # rule:[Tell]
            if header :contains "subject" "tell:" { notify :message "Look" "mailto:grace@example.org"; }
            """)
        let grace = "Grace <grace@example.org>"
        scene.deliver(RuleScene.mail("on", subject: "on: this"))
        scene.deliver(
            RuleScene.mail("loop", subject: "on: that", ["X-Sieve-Redirected-From: ada@example.org"]))
        scene.deliver(RuleScene.mail("self", subject: "self: this"))
        scene.deliver(RuleScene.mail("away", from: grace, subject: "away: 1"))
        // Of two messages of one second, either may come first.
        test.clock.advance(by: 1)
        scene.deliver(RuleScene.mail("again", from: grace, subject: "away: 2"))
        scene.deliver(RuleScene.mail("list", from: grace, subject: "away: 3", ["List-Id: <l.example.org>"]))
        scene.deliver(RuleScene.mail("no", from: grace, subject: "no: this"))
        scene.deliver(RuleScene.mail("tell", subject: "tell: her"))
        try await scene.settle()
        try await test.wait(for: "all mail") { scene.arrivedAtGrace.count >= 4 }
        let arrived = scene.arrivedAtGrace
        #expect(arrived.count == 4, "\(arrived)")
        #expect(arrived.contains { $0.hasPrefix("X-Sieve-Redirected-From: ada@example.org\r\n") })
        let away = arrived.first { $0.contains("I am away.") } ?? ""
        #expect(away.contains("Subject: Auto: away: 1") && away.contains("In-Reply-To: <away@example.org>"))
        #expect(away.contains("Auto-Submitted: auto-replied"))
        #expect(arrived.contains { $0.contains("No, thanks.") && $0.contains("Subject: Refused: no: this") })
        #expect(arrived.contains { $0.contains("Subject: Look") && $0.contains("auto-notified") })
        #expect(try await scene.place(of: "no") == ["Trash"])
        for name in ["on", "loop", "self", "away"] { #expect(try await scene.place(of: name) == ["Inbox"]) }
        #expect(Set(try await scene.problems.map(\.rule)) == ["On", "Self"])

        // The next day a sender who had a reply still gets none; the day after, another one.
        test.clock.advance(by: 86_400)
        scene.deliver(RuleScene.mail("soon", from: grace, subject: "away: 4"))
        try await scene.settle()
        test.clock.advance(by: 2 * 86_400)
        scene.deliver(RuleScene.mail("later", from: grace, subject: "away: 5"))
        try await scene.settle()
        try await test.wait(for: "the second reply") { scene.arrivedAtGrace.count >= 5 }
        #expect(scene.arrivedAtGrace.filter { $0.contains("I am away.") }.count == 2)

        // There is an end to it.
        for number in 0..<110 { scene.deliver(RuleScene.mail("many\(number)", subject: "on: \(number)")) }
        try await scene.settle()
        try await test.wait(for: "the last") { scene.arrivedAtGrace.count >= 104 }
        #expect(scene.arrivedAtGrace.count <= 105)
        #expect(
            try await scene.problems.contains {
                $0.sentence == "Rules already sent 100 messages today, which is the limit."
            })
        await test.kernel.stop()
    }
}
