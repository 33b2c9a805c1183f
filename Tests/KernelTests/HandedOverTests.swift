import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Compose
@testable import Kernel
@testable import Store

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

    /// Returns when the service is to send it.
    private func sendByService(_ draft: Draft, _ scene: ComposeScene) async throws -> (EmailSubmission, Date)
    {
        let at = scene.clock.now + 7200
        let sent = try await scene.kernel.sending.send(
            draft.id, in: scene.ada, isFromPage: true, at: at, byService: true)
        return (sent, at)
    }

    private func pass(_ scene: ComposeScene, _ seconds: Double) async {
        scene.clock.advance(by: seconds)
        await scene.kernel.outbox.changed()
        await scene.settle()
    }

    private func notices(_ scene: ComposeScene) async throws -> [String] {
        try await Notices(store: scene.kernel.store).all().map(\.id)
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

    /// ORG-84: the user has the undo delay, as for any other message.
    @Test func aDraftWaitsForTheUndoDelayAndItsRecordStays() async throws {
        let scene = try await ComposeScene(lacking: .savesSentCopies)
        let draft = try await scene.draft("A")
        let (undone, at) = try await sendByService(draft, scene)
        #expect(undone.isHandedOver && undone.undoStatus == .pending && !undone.isScheduled)
        #expect(undone.leavesAt == at && undone.sendAt == scene.clock.now + 5)
        await pass(scene, 4)
        #expect(scene.script.now.submitted.isEmpty)
        #expect(try await scene.kernel.outbox.cancel(undone.id, in: scene.ada)?.isHandedOver == false)
        #expect(try await scene.saved(draft.id)?.submissionID == nil)
        let (sent, later) = try await sendByService(draft, scene)
        await pass(scene, 6)
        try await scene.wait("sent", sent.id) { $0.sendState == .sent }
        await scene.settle()
        try await scene.kill()
        await scene.settle()
        let kept = try await scene.submission(sent.id)
        #expect(kept.isHandedOver && kept.sendAt == later && kept.sendState == .sent)
        let copy = try #require(try await scene.test.storage.emails([kept.emailID], in: scene.ada).first)
        #expect(copy.email.header.subject == "A" && !copy.email.keywords.contains(.draft))
        #expect(scene.script.now.submitted.map(\.envelope.holdUntil) == [later])
        await scene.kernel.stop()
    }

    /// ORG-84: a kill in the undo delay makes it a draft again, which the user is told, and nothing is handed over.
    @Test func killedInItsUndoDelayItIsADraftAgain() async throws {
        let scene = try await ComposeScene()
        let draft = try await scene.draft("A")
        let (sent, _) = try await sendByService(draft, scene)
        await pass(scene, 2)
        try await scene.kill()
        await pass(scene, 10_000)
        #expect(try await scene.submission(sent.id).undoStatus == .canceled)
        #expect(try await scene.saved(draft.id)?.submissionID == nil)
        #expect(try await notices(scene).contains("not-sent-\(sent.id)"))
        #expect(scene.script.now.submitted.isEmpty && scene.delivered.isEmpty)
        await scene.kernel.stop()
    }

    /// ORG-84: killed before the service reads it or after, it is there once, or the user is told of the doubt.
    @Test(arguments: [true, false]) func killedWhileItIsHandedOverItIsNotHandedOverTwice(
        _ isRead: Bool
    ) async throws {
        let scene = try await ComposeScene()
        let (sent, at) = try await sendByService(try await scene.draft("A"), scene)
        let storage = scene.test.storage as? MemoryStorage
        scene.script.change {
            if isRead {
                $0.afterReading = { storage?.close() }
            } else {
                $0.beforeSubmit = { _ in storage?.close() }
            }
        }
        scene.clock.advance(by: 6)
        try await scene.test.wait(for: "the handing over") { scene.script.now.submitted.count == 1 }
        scene.script.change { $0.beforeSubmit = nil }
        try await scene.kill()
        try await scene.wait("the doubt", sent.id) { $0.sendState == .failed }
        let left = try await scene.submission(sent.id)
        #expect(left.failure == SendAttempt.doubt && left.sendAt == at && left.undoStatus == .final)
        await pass(scene, 10_000)
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

    /// ORG-84: the computer that looks after the account hands over what another one asks for.
    @Test(.timeLimit(.minutes(5))) func anotherComputerOfTheStoreAsksForIt() async throws {
        let pair = try await SharedKernels()
        let id = try await pair.submit(on: pair.other, at: pair.one.clock.now + 7200)
        #expect(try await pair.other.kernel.outbox.handOver(id, in: pair.ada) == .notHeld)
        pair.scriptOfOther.change { $0.holdLimits = HoldLimits(maxSeconds: 86_400) }
        let at = try await pair.submission(id).sendAt
        #expect(try await pair.other.kernel.outbox.canHold(until: at, in: pair.ada))
        #expect(try await pair.other.kernel.outbox.handOver(id, in: pair.ada) == .done)
        try await pair.pass(1, for: "the message") { try await pair.submission(id).sendState == .sent }
        #expect(pair.scriptOfOne.now.submitted.map(\.envelope.holdUntil) == [at])
        #expect(pair.scriptOfOther.now.submitted.isEmpty)
        await pair.stop()
    }

    @Test func aServiceThatHoldsNothingGetsNothing() async throws {
        let scene = try await ComposeScene()
        let scheduled = try await schedule(scene)
        #expect(try await scene.kernel.outbox.handOver(scheduled.id, in: scene.ada) == .notHeld)
        scene.script.change { $0.holdLimits = HoldLimits(maxSeconds: 60) }
        #expect(try await scene.kernel.outbox.handOver(scheduled.id, in: scene.ada) == .notHeld)
        #expect(try await !scene.kernel.outbox.canHold(until: scheduled.sendAt, in: scene.ada))
        // Not to be reached is no refusal.
        scene.script.change { $0.holdError = .offline }
        #expect(try await scene.kernel.outbox.handOver(scheduled.id, in: scene.ada) == .notAsked)
        await #expect(throws: AccountError.offline) {
            try await scene.kernel.outbox.canHold(until: scheduled.sendAt, in: scene.ada)
        }
        #expect(try await scene.submission(scheduled.id).isScheduled)
        await scene.kernel.stop()
    }
}
