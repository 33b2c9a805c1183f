import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Compose
@testable import Kernel

/// ORG-57: the service sends a scheduled message where it can, and the user wants that.
@Suite("A scheduled message is handed over to its service") struct HandedOverTests {
    private func schedule(_ scene: ComposeScene) async throws -> EmailSubmission {
        let draft = try await scene.draft("A")
        return try await scene.kernel.sending.send(
            draft.id, in: scene.ada, isFromPage: true, at: scene.clock.now + 7200)
    }

    private func handOver(_ scene: ComposeScene, answer: [SubmissionOutcome] = []) async throws
        -> EmailSubmission
    {
        let scheduled = try await schedule(scene)
        scene.script.change {
            $0.submitOutcomes = answer
            $0.holdLimits = HoldLimits(maxSeconds: 86_400)
        }
        #expect(try await scene.kernel.outbox.handOver(scheduled.id, in: scene.ada) == .done)
        return scheduled
    }

    @Test func theServiceGetsItOnceWithItsTime() async throws {
        let scene = try await ComposeScene()
        let scheduled = try await handOver(scene)
        try await scene.wait("sent", scheduled.id) { $0.sendState == .sent && $0.isHandedOver }
        #expect(scene.script.now.submitted.map(\.envelope.holdUntil) == [scheduled.sendAt])
        #expect(try await scene.kernel.outbox.cancel(scheduled.id, in: scene.ada) == nil)
        #expect(try await scene.kernel.outbox.handOver(scheduled.id, in: scene.ada) == .notScheduled)
        scene.clock.advance(by: 7300)
        await scene.kernel.outbox.changed()
        await scene.settle()
        #expect(scene.script.now.submitted.count == 1)
        await scene.kernel.stop()
    }

    /// What the service refuses is sent from here, at its time.
    @Test(arguments: [451, 555]) func whatIsRefusedStaysScheduledHere(_ code: Int) async throws {
        let scene = try await ComposeScene()
        let no = SubmissionOutcome.rejected(SubmissionReply(code: code, text: "Too far ahead."), refused: [:])
        let id = try await handOver(scene, answer: [no]).id
        try await scene.wait("its return", id) { $0.isScheduled && $0.failure != nil }
        let kept = try await scene.submission(id)
        #expect(kept.failure == "The service did not accept it: Too far ahead.")
        #expect(scene.delivered.isEmpty && kept.envelope.holdUntil == nil)
        scene.clock.advance(by: 7300)
        try await scene.wait("sent", id) { $0.sendState == .sent }
        #expect(scene.script.now.submitted.map(\.envelope.holdUntil) == [nil])
        await scene.kernel.stop()
    }

    /// ORG-84: in one step, so that no kill leaves it scheduled here. Its record stays, with the copy in Sent.
    @Test func aDraftIsHandedOverAtOnceAndItsRecordStays() async throws {
        let scene = try await ComposeScene(lacking: .savesSentCopies)
        scene.script.change { $0.holdLimits = HoldLimits(maxSeconds: 86_400) }
        let draft = try await scene.draft("A")
        let at = scene.clock.now + 7200
        #expect(await scene.kernel.outbox.canHold(until: at, in: scene.ada))
        #expect(await !scene.kernel.outbox.canHold(until: at + 86_400, in: scene.ada))
        let sent = try await scene.kernel.sending.send(
            draft.id, in: scene.ada, isFromPage: true, at: at, byService: true)
        #expect(sent.isHandedOver && !sent.isScheduled && sent.sendAt == at)
        try await scene.wait("sent", sent.id) { $0.sendState == .sent }
        await scene.settle()
        try await scene.kill()
        await scene.settle()
        let kept = try await scene.submission(sent.id)
        #expect(kept.isHandedOver && kept.sendAt == at && kept.sendState == .sent)
        let copy = try #require(try await scene.test.storage.emails([kept.emailID], in: scene.ada).first)
        #expect(copy.email.header.subject == "A" && !copy.email.keywords.contains(.draft))
        #expect(scene.script.now.submitted.map(\.envelope.holdUntil) == [at])
        await scene.kernel.stop()
    }

    /// Where it is cannot be known, so it is not sent a second time.
    @Test func aLostAnswerIsToldAndNothingIsSentTwice() async throws {
        let scene = try await ComposeScene()
        let id = try await handOver(scene, answer: [.unknown]).id
        try await scene.wait("the doubt", id) { $0.sendState == .failed }
        #expect(try await scene.submission(id).failure == SendAttempt.doubt)
        scene.clock.advance(by: 7300)
        await scene.kernel.outbox.changed()
        await scene.settle()
        #expect(scene.delivered.isEmpty)
        // The user has asked the recipients, and takes the risk.
        #expect(try await scene.kernel.outbox.retry(id, in: scene.ada))
        try await scene.wait("sent", id) { $0.sendState == .sent }
        await scene.kernel.stop()
    }

    @Test func aServiceThatHoldsNothingGetsNothing() async throws {
        let scene = try await ComposeScene()
        let scheduled = try await schedule(scene)
        #expect(try await scene.kernel.outbox.handOver(scheduled.id, in: scene.ada) == .notHeld)
        scene.script.change { $0.holdLimits = HoldLimits(maxSeconds: 60) }
        #expect(try await scene.kernel.outbox.handOver(scheduled.id, in: scene.ada) == .notHeld)
        #expect(try await scene.submission(scheduled.id).isScheduled)
        await scene.kernel.stop()
    }
}
