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

    private func test(
        _ sink: any NotificationSink, on disk: MemoryStorage.Disk = MemoryStorage.Disk(),
        clock: ManualClock = ManualClock(), server: MemoryMailServer? = nil,
        secrets: SecretDrawers = SecretDrawers(), proof: any UserProof = AbsentProof()
    ) async throws -> TestKernel {
        let test = try await TestKernel(
            on: disk, clock: clock, server: server, secrets: secrets, sinks: [sink], proof: proof)
        let set = try await test.call(
            "RuleList/set", ["update": ["singleton": ["text": .string(Self.rules)]]])
        #expect(set["notUpdated"] == .null)
        return test
    }

    private func deliver(
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

    private func deliver(_ test: TestKernel, _ subject: String, _ name: String, _ more: [String] = []) {
        deliver(subject, name, more, to: test.server, at: test.clock.now)
    }

    private func waiting(_ test: TestKernel, _ collection: String = "rule-notice") async throws -> Int {
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
        #expect(sink.posts == 0)
        // What no page has taken is shown once none is visible.
        deliver(test, "Urgent", "urgent")
        try await test.wait(for: "the next notice") { try await waiting(test) == 1 }
        #expect(sink.posts == 0)
        await test.kernel.presence.closed("w")
        try await test.wait(for: "the notification") { sink.shown.map(\.body) == ["Urgent"] }
        try await test.wait(for: "its end") { try await waiting(test) == 0 }
        await test.kernel.stop()
    }
}

private struct AnyProof: UserProof {
    let problem: String? = nil

    func check(_ password: Secret) async -> ProofOutcome { .proven }
}
