import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Compose
@testable import Kernel

/// ORG-56, ORG-57: messages that are sent later.
@Suite("A scheduled message is sent at its time, once") struct ScheduledTests {
    private func schedule(_ scene: ComposeScene, in seconds: Double) async throws -> Id<EmailSubmission> {
        let draft = try await scene.draft("A")
        return try await scene.kernel.sending.send(
            draft.id, in: scene.ada, isFromPage: true, at: scene.clock.now + seconds
        ).id
    }

    private func pass(_ scene: ComposeScene, _ seconds: Double) async {
        scene.clock.advance(by: seconds)
        await scene.kernel.outbox.changed()
        await scene.settle()
    }

    @Test func itWaitsAlsoWhenTheProgramEnds() async throws {
        let scene = try await ComposeScene()
        let id = try await schedule(scene, in: 86_400)
        #expect(try await scene.submission(id).isScheduled)
        await pass(scene, 3600)
        try await scene.kill()
        await scene.settle()
        #expect(try await scene.submission(id).isScheduled && scene.delivered.isEmpty)
        // The clock wakes the outbox by itself.
        await scene.test.clock.waitForSleepers()
        scene.clock.advance(by: 82_801)
        try await scene.wait("sent", id) { $0.sendState == .sent }
        #expect(scene.delivered == ["A"])
        await scene.kernel.stop()
    }

    /// Days late, it is sent at the start, and has as long to be sent as any other message.
    @Test func whatIsLateIsSentAtTheStart() async throws {
        let scene = try await ComposeScene()
        let busy = SubmissionOutcome.rejected(SubmissionReply(code: 451, text: "Later"), refused: [:])
        let id = try await schedule(scene, in: 3600)
        scene.script.change { $0.submitOutcomes = [busy] }
        (scene.test.storage as? MemoryStorage)?.close()
        scene.clock.advance(by: 10 * 86_400)
        try await scene.kill()
        try await scene.wait("a try", id) { $0.tries == 1 && $0.nextTryAt != nil }
        #expect(try await !scene.submission(id).isScheduled)
        for _ in 0..<100 where scene.delivered.isEmpty { await pass(scene, 30) }
        #expect(scene.delivered == ["A"])
        await scene.kernel.stop()
    }

    @Test func itIsCanceledRescheduledAndSentNow() async throws {
        let scene = try await ComposeScene()
        let id = try await schedule(scene, in: 3600)
        #expect(try await scene.kernel.outbox.reschedule(id, in: scene.ada, to: scene.clock.now + 7200))
        await pass(scene, 3601)
        #expect(scene.delivered.isEmpty)
        #expect(try await scene.kernel.outbox.cancel(id, in: scene.ada) != nil)
        #expect(try await scene.kernel.drafts.all(in: scene.ada).map(\.submissionID) == [nil])
        #expect(try await !scene.kernel.outbox.reschedule(id, in: scene.ada, to: scene.clock.now + 7200))
        await pass(scene, 7200)
        #expect(scene.delivered.isEmpty)
        let draft = try #require(try await scene.kernel.drafts.all(in: scene.ada).first)
        let again = try await scene.kernel.sending.send(
            draft.id, in: scene.ada, isFromPage: true, at: scene.clock.now + 3600)
        #expect(try await scene.kernel.outbox.retry(again.id, in: scene.ada))
        try await scene.wait("sent", again.id) { $0.sendState == .sent }
        #expect(scene.delivered == ["A"])
        await scene.kernel.stop()
    }

    /// Signed out, it stays scheduled, and is sent once the account can send.
    @Test func itWaitsForTheAccount() async throws {
        let scene = try await ComposeScene()
        let id = try await schedule(scene, in: 3600)
        scene.test.server.setOutage(.offline)
        await pass(scene, 3700)
        #expect(scene.delivered.isEmpty)
        scene.test.server.setOutage(nil)
        for _ in 0..<100 where scene.delivered.isEmpty { await pass(scene, 61) }
        try await scene.wait("sent", id) { $0.sendState == .sent }
        #expect(scene.delivered == ["A"])
        await scene.kernel.stop()
    }

    @Test(.timeLimit(.minutes(5))) func theKernelThatLooksAfterTheAccountSendsIt() async throws {
        let pair = try await SharedKernels()
        let message = Data("From: ada@example.org\r\nTo: grace@example.org\r\nSubject: Hi\r\n\r\nHi".utf8)
        let drafts = try await pair.other.mailbox(.drafts)
        let email = try await pair.other.kernel.mail.add(
            message, to: [drafts], keywords: [.draft], receivedAt: pair.one.clock.now, in: pair.ada)
        let identity = try #require(try await pair.other.storage.identities(nil, in: pair.ada).first)
        let id = try await pair.other.kernel.outbox.submit(
            message, of: email, as: identity,
            envelope: Envelope(mailFrom: "ada@example.org", rcptTo: ["grace@example.org"]),
            at: pair.one.clock.now + 60
        ).id
        try await pair.pass(1, for: "the message") { try await pair.submission(id).sendState == .sent }
        #expect(pair.scriptOfOne.now.submitted.count == 1 && pair.scriptOfOther.now.submitted.isEmpty)
        await pair.stop()
    }
}
