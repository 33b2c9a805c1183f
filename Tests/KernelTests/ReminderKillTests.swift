import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Compose
@testable import Kernel
@testable import Mail
@testable import Store

/// ORG-72.
@Suite("No reminder is lost, early or there twice") struct ReminderKillTests {
    /// Killed after each step on the way of a message; then it returns once.
    @Test(arguments: MemoryMailServer.Layout.allCases) func aKillLosesNone(
        _ layout: MemoryMailServer.Layout
    ) async throws {
        let test = try await ReminderScene(layout)
        let id = try await test.send(reminding: 7200, later: 60)
        try await test.scene.kill()
        #expect(try await test.reminders.count == 1)
        await test.pass(61)
        for _ in 0..<100 where test.scene.delivered.isEmpty { await test.pass(30) }
        try await test.scene.kill()
        try await test.scene.wait("sent", id) { $0.sendState == .sent }
        _ = try await test.copy("A")
        try await test.scene.test.wait(for: "its beginning") { try await test.reminders.first?.sentAt != nil }
        try await test.scene.kill()
        #expect(try await test.inbox.isEmpty)
        #expect(try await test.reminders.count == 1)
        (test.scene.test.storage as? MemoryStorage)?.close()
        test.scene.clock.advance(by: 86_400)
        try await test.scene.kill()
        await test.scene.kernel.snoozing.settle()
        try await test.scene.test.wait(for: "its return") { try await test.hasReturned }
        let returned = try await test.reminders
        try await test.scene.kill()
        await test.pass(10)
        #expect(try await test.reminders == returned)
        await test.end()
    }

    /// Killed after the message was sent, and before its wait began: it begins at the next start, also long after the
    /// reminder's time.
    @Test func itBeginsHoweverLateTheMessageIsSent() async throws {
        let test = try await ReminderScene()
        let id = try await test.send(reminding: 60, later: 400_000)
        let store = test.scene.kernel.store
        var submission = try #require(try await store.read.submissions([id], in: test.scene.ada).first)
        (submission.undoStatus, submission.sendState) = (.final, .sent)
        try await store.commit([.putSubmission(submission)])
        test.scene.clock.advance(by: 200_000)
        await test.scene.kernel.snoozing.settle()
        #expect(try await test.reminders.count == 1)
        try await test.scene.kill()
        try await test.scene.test.wait(for: "its beginning") { try await test.reminders.first?.sentAt != nil }
        #expect(try await test.reminders.first?.until == test.scene.clock.now + 60)
        await test.end()
    }

    /// The wall clock counts. Set back, it is waited for again.
    @Test func theClockMayJump() async throws {
        let test = try await ReminderScene()
        _ = try await test.sent(reminding: 3600)
        test.scene.clock.advance(by: -86_400)
        test.scene.clock.advance(by: 86_400 + 3500)
        await test.scene.kernel.snoozing.settle()
        #expect(try await test.inbox.isEmpty)
        // Eight hours asleep.
        test.scene.clock.advance(by: 28_800)
        try await test.scene.test.wait(for: "its return") { try await test.hasReturned }
        await test.end()
    }

    /// Of two kernels, the one that looks after the account does it.
    @Test(.timeLimit(.minutes(5)), arguments: [false, true])
    func oneOfSeveralKernelsDoesIt(_ isKilled: Bool) async throws {
        let pair = try await SharedKernels()
        let text = "From: ada@example.org\r\nSubject: A\r\nMessage-ID: <a@example.org>\r\n\r\nText\r\n"
        pair.one.server.deliver(
            Data(text.utf8), to: ReminderScene.address, receivedAt: pair.one.clock.now)
        try await pair.other.wait(for: "the message") { try await pair.other.emailIDs().count == 1 }
        let id = try #require(try await pair.other.emailIDs().first)
        _ = try await pair.other.kernel.actions.perform(
            .remind(until: pair.one.clock.now + 60), on: .emails([id]), in: pair.ada, client: "page")
        await pair.one.settle()
        if isKilled { SharedKernels.kill(pair.one) }
        try await pair.pass(1, for: "its return") {
            try await Reminder.all(in: pair.ada, pair.other.kernel.store).first?.returned != nil
        }
        let kernel = isKilled ? pair.other : pair.one
        #expect(kernel.kernel.store.looksAfter(pair.ada))
        #expect(try await !pair.other.email(id).keywords.contains(.seen))
        await pair.stop()
    }
}
