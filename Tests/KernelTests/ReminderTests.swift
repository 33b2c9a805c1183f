import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Compose
@testable import Kernel
@testable import Mail
@testable import Store

/// ORG-68 to ORG-71.
@Suite("A message without a reply returns in time, once") struct ReminderTests {
    /// ORG-68: with labels and in folders, here and at the service.
    @Test(arguments: MemoryMailServer.Layout.allCases) func itReturnsUnread(
        _ layout: MemoryMailServer.Layout
    ) async throws {
        let test = try await ReminderScene(layout)
        let message = try await test.sent(reminding: 3600)
        let waiting = try #require(try await test.reminders.first)
        #expect(waiting.sentAt != nil && waiting.submissionID == nil && waiting.returned == nil)
        await test.pass(3580)
        #expect(try await test.inbox.isEmpty)
        await test.scene.clock.waitForSleepers()
        test.scene.clock.advance(by: 20)
        try await test.scene.test.wait(for: "its return") { try await test.hasReturned }
        // The service is told after the commit.
        await test.scene.kernel.snoozing.settle()
        await test.scene.settle()
        let there = test.scene.test.server.messages(of: ReminderScene.address).filter { $0.subject == "A" }
        #expect(there.count == 1 && !there[0].keywords.contains(.seen))
        // It does so once.
        let returned = try await test.reminders
        await test.pass(86_400)
        #expect(try await test.reminders == returned)
        // Archived, it is seen to.
        _ = try await test.perform(.archive, on: try await test.copy("A"))
        await test.pass(10)
        #expect(try await test.reminders.isEmpty)
        #expect(message.header.subject == "A")
        await test.end()
    }

    /// ORG-69: only a person who is not the user replies.
    @Test(arguments: MemoryMailServer.Layout.allCases) func aReplyEndsIt(
        _ layout: MemoryMailServer.Layout
    ) async throws {
        let test = try await ReminderScene(layout)
        let message = try await test.sent(reminding: 3600)
        await test.pass(60)
        try await test.deliver(answering: message, "Auto-Submitted: auto-replied\r\n")
        try await test.deliver(answering: message, from: "MAILER-DAEMON@example.org")
        try await test.deliver(
            answering: message, "Content-Type: multipart/report; report-type=delivery-status\r\n")
        try await test.deliver(answering: message, from: ReminderScene.address)
        #expect(try await test.reminders.count == 1)
        try await test.deliver(answering: message, "Auto-Submitted: no\r\n")
        try await test.scene.test.wait(for: "its end") { try await test.reminders.isEmpty }
        await test.end()
    }

    /// ORG-69: a reply that comes late ends what has returned.
    @Test func aLateReplyEndsIt() async throws {
        let test = try await ReminderScene()
        let message = try await test.sent(reminding: 3600)
        await test.pass(3601)
        #expect(try await test.hasReturned)
        try await test.deliver(answering: message)
        try await test.scene.test.wait(for: "its end") { try await test.reminders.isEmpty }
        await test.end()
    }

    /// ORG-68: in folders, a message from others comes instead of the one in Sent.
    @Test func inFoldersTheSentMessageStaysWhereItIs() async throws {
        let test = try await ReminderScene(.folders)
        let message = try await test.sent(reminding: nil)
        await test.pass(60)
        try await test.deliver(answering: message, "Auto-Submitted: auto-replied\r\n")
        let answer = try #require(try await test.inbox.first)
        _ = try await test.perform(.archive, on: answer)
        _ = try await test.perform(.remind(until: test.scene.clock.now + 100), on: message)
        await test.pass(101)
        #expect(try await test.hasReturned)
        #expect(try await test.inbox.map(\.id) == [answer.id])
        #expect(try await test.copy("A").mailboxIDs == message.mailboxIDs)
        await test.end()
    }

    /// ORG-70: undoing the send, or giving up on it, ends it.
    @Test func withoutASentMessageThereIsNone() async throws {
        let test = try await ReminderScene()
        let undone = try await test.send(reminding: 3600)
        #expect(try await test.reminders.map(\.submissionID) == [undone])
        #expect(try await test.scene.kernel.outbox.cancel(undone, in: test.scene.ada) != nil)
        try await test.scene.test.wait(for: "its end") { try await test.reminders.isEmpty }
        test.scene.script.change {
            $0.submitOutcomes = [.rejected(SubmissionReply(code: 550, text: "No"), refused: [:])]
        }
        let refused = try await test.send("B", reminding: 3600)
        await test.pass(6)
        try await test.scene.wait("refused", refused) { $0.sendState == .failed }
        await test.scene.kernel.snoozing.settle()
        #expect(try await test.reminders.map(\.submissionID) == [refused])
        #expect(try await test.scene.kernel.outbox.forget(refused, in: test.scene.ada))
        try await test.scene.test.wait(for: "its end") { try await test.reminders.isEmpty }
        await test.end()
    }

    /// ORG-70: a message that was refused has its reminder still when it is sent again.
    @Test func sentAgainItBegins() async throws {
        let test = try await ReminderScene()
        test.scene.script.change {
            $0.submitOutcomes = [.rejected(SubmissionReply(code: 550, text: "No"), refused: [:])]
        }
        let id = try await test.send(reminding: 3600)
        await test.pass(6)
        try await test.scene.wait("refused", id) { $0.sendState == .failed }
        await test.scene.kernel.snoozing.settle()
        #expect(try await test.scene.kernel.outbox.retry(id, in: test.scene.ada))
        await test.pass(6)
        try await test.scene.wait("sent", id) { $0.sendState == .sent }
        #expect(try await test.reminders.first?.sentAt != nil)
        await test.end()
    }

    /// ORG-85: changed while the message waits, it comes back with the draft as it is by then.
    @Test func aReturnedDraftHasTheReminderAsItIs() async throws {
        let test = try await ReminderScene()
        let id = try await test.send(reminding: 7200, later: 3600)
        let submission = try await test.scene.submission(id)
        let stored = try #require(
            try await test.scene.test.storage.emails([submission.emailID], in: test.scene.ada).first)
        let until = test.scene.clock.now + 9000
        #expect(try await test.perform(.remind(until: until), on: stored.email).changed == 1)
        #expect(try await test.scene.kernel.outbox.cancel(id, in: test.scene.ada) != nil)
        let draft = try #require(try await test.scene.kernel.drafts.all(in: test.scene.ada).first)
        #expect(draft.submissionID == nil && draft.content.remindAt == until)
        // Removed, it is not there any more.
        let again = try await test.scene.kernel.sending.send(
            draft.id, in: test.scene.ada, isFromPage: false, at: test.scene.clock.now + 3600)
        #expect(try await test.scene.kernel.outbox.cancel(again.id, in: test.scene.ada) != nil)
        #expect(try await test.scene.saved(draft.id)?.content.remindAt == nil)
        await test.end()
    }

    /// ORG-70: the copy of a message that its service holds is from before it is sent.
    @Test func whatTheServiceHoldsIsFound() async throws {
        let test = try await ReminderScene()
        let id = try await test.send(reminding: 4 * 86_400, later: 3 * 86_400)
        test.scene.script.change { $0.holdLimits = HoldLimits(maxSeconds: 7 * 86_400) }
        #expect(try await test.scene.kernel.outbox.handOver(id, in: test.scene.ada) == .done)
        try await test.scene.wait("sent", id) { $0.sendState == .sent }
        let copy = try await test.copy("A")
        try await test.scene.test.wait(for: "its message") {
            await test.scene.kernel.snoozing.settle()
            return try await test.reminders.first?.emailID == copy.id
        }
        let sentAt = try #require(try await test.reminders.first?.sentAt)
        #expect(sentAt > copy.receivedAt + 2 * 86_400)
        await test.end()
    }

    /// ORG-71: one too many is refused; with as many as can be, each is looked at.
    @Test func anAccountHasALimit() async throws {
        let test = try await ReminderScene()
        let message = try await test.sent(reminding: nil)
        let now = test.scene.clock.now
        // Their copies have not arrived.
        let others = (0..<Reminder.most).map { number in
            var email = message
            email.id = Id("A\(number)")
            var reminder = Reminder(of: email, until: now + 86_400, chosenAt: now)
            reminder.begin(emailID: nil, messageID: nil, at: now)
            return reminder
        }
        try await test.scene.kernel.store.commit(try others.map { try $0.change() })
        let refused = try await test.perform(.remind(until: now + 900), on: message)
        #expect(refused.changed == 0 && refused.refusal == Reminder.tooMany)
        try await test.scene.kernel.store.commit([.destroyDocument(others[0].key)])
        #expect(try await test.perform(.remind(until: now + 900), on: message).changed == 1)
        await test.pass(901)
        try await test.scene.test.wait(for: "its return") {
            try await test.reminders.contains { $0.returned?.emailID == message.id }
        }
        #expect(try await test.reminders.count == Reminder.most)
        await test.end()
    }

    /// ORG-70: it begins when the message is sent. If that is later than the time, the wait is as long as meant.
    @Test func aScheduledMessageIsWaitedForFromItsSending() async throws {
        let test = try await ReminderScene()
        let id = try await test.send(reminding: 7200, later: 3600)
        await test.pass(3590)
        #expect(try await test.reminders.map(\.sentAt) == [nil])
        #expect(
            try await test.scene.kernel.outbox.reschedule(
                id, in: test.scene.ada, to: test.scene.clock.now + 7200))
        await test.pass(7100)
        #expect(try await test.reminders.map(\.sentAt) == [nil])
        await test.pass(200)
        try await test.scene.wait("sent", id) { $0.sendState == .sent }
        _ = try await test.copy("A")
        let reminder = try #require(try await test.reminders.first)
        #expect(reminder.returned == nil && reminder.until > test.scene.clock.now + 7000)
        await test.pass(7300)
        #expect(try await test.hasReturned)
        await test.end()
    }

    /// ORG-71: on a sent message, changed and removed, and each undone.
    @Test func itIsAnActionAndUndone() async throws {
        let test = try await ReminderScene()
        let message = try await test.sent(reminding: nil)
        let start = test.scene.clock.now
        let set = try await test.perform(.remind(until: start + 100), on: message)
        let changed = try await test.perform(.remind(until: start + 900), on: message)
        #expect(set.changed == 1 && changed.changed == 1)
        #expect(try await test.reminders.map(\.until) == [start + 900])
        let removed = try await test.perform(.unremind, on: message)
        #expect(try await test.reminders.isEmpty)
        for (action, until) in [(removed, 900.0), (changed, 100.0)] {
            let undone = try await test.scene.kernel.actions.undo(action.id, in: test.scene.ada)
            #expect(undone.state == .undone && undone.kept == 0)
            #expect(try await test.reminders.map(\.until) == [start + until])
        }
        #expect(try await test.scene.kernel.actions.undo(set.id, in: test.scene.ada).kept == 0)
        #expect(try await test.reminders.isEmpty)
        await #expect(throws: ActionProblem.self) {
            try await test.perform(.remind(until: start - 1), on: message)
        }
        // What has a reply, or is not from the user, is refused.
        await test.pass(60)
        try await test.deliver(answering: message)
        let late = try await test.perform(.remind(until: test.scene.clock.now + 100), on: message)
        #expect(late.changed == 0 && late.refusal == "There is already a reply.")
        let answer = try #require(try await test.inbox.first)
        let other = try await test.perform(.remind(until: test.scene.clock.now + 100), on: answer)
        #expect(other.changed == 0 && other.refused == 1)
        #expect(try await test.reminders.isEmpty)
        await test.end()
    }

    /// ORG-70: when the message is deleted for good, and when it is thrown away.
    @Test(arguments: [true, false]) func itGoesWithItsMessage(_ isDestroyed: Bool) async throws {
        let test = try await ReminderScene()
        let message = try await test.sent(reminding: 3600)
        _ = try await test.perform(isDestroyed ? .destroy : .trash, on: message)
        await test.pass(isDestroyed ? 10 : 3601)
        await test.pass(10)
        #expect(try await test.reminders.isEmpty)
        #expect(try await test.inbox.isEmpty)
        await test.end()
    }
}
