import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Compose
@testable import Kernel
@testable import Store

/// ACC-52: the service's own undo for messages that it holds.
@Suite("A message that the service holds is taken back") struct TakingBackTests {
    /// A message that the service has, and how to find it.
    private func held(_ scene: ComposeScene, canCancel: Bool = true) async throws -> EmailSubmission {
        scene.script.change { $0.holdLimits = HoldLimits(maxSeconds: 86_400, canCancel: canCancel) }
        let draft = try await scene.draft("A")
        let scheduled = try await scene.kernel.sending.send(
            draft.id, in: scene.ada, isFromPage: true, at: scene.clock.now + 7200)
        #expect(try await scene.kernel.outbox.handOver(scheduled.id, in: scene.ada) == .done)
        try await scene.wait("sent", scheduled.id) { $0.sendState == .sent }
        await scene.settle()
        return try await scene.submission(scheduled.id)
    }

    /// Whether the service was asked for the message that was sent, and for no other.
    private func isAskedFor(_ scene: ComposeScene) throws -> Bool {
        let message = String(decoding: try #require(scene.script.now.submitted.first).message, as: UTF8.self)
        let ids = Set(scene.script.now.canceledHeld)
        return ids.count == 1 && ids.allSatisfy { !$0.isEmpty && message.contains("<\($0)>") }
    }

    private func pass(_ scene: ComposeScene, _ seconds: Double) async {
        scene.clock.advance(by: seconds)
        await scene.kernel.outbox.changed()
        await scene.settle()
    }

    @Test func theServiceForgetsItAndNothingIsSent() async throws {
        let scene = try await ComposeScene()
        let held = try await held(scene)
        let canceled = try #require(try await scene.kernel.outbox.cancel(held.id, in: scene.ada))
        #expect(canceled.undoStatus == .canceled && canceled.sendState == .none)
        #expect(try isAskedFor(scene))
        // It is no message that could be canceled any more.
        #expect(try await scene.kernel.outbox.cancel(held.id, in: scene.ada) == nil)
        await pass(scene, 10_000)
        #expect(scene.script.now.canceledHeld.count == 1 && scene.script.now.submitted.count == 1)
        await scene.kernel.stop()
    }

    @Test func whatCannotBeStoppedStaysAsItIs() async throws {
        let scene = try await ComposeScene()
        let held = try await held(scene, canCancel: false)
        #expect(try await scene.kernel.outbox.cancel(held.id, in: scene.ada) == nil)
        #expect(scene.script.now.canceledHeld.isEmpty)
        scene.script.change {
            $0.holdLimits = HoldLimits(maxSeconds: 86_400, canCancel: true)
            $0.cancelOutcomes = [.failure(.refused("Not now.")), .success(false)]
        }
        await #expect(throws: AccountError.refused("Not now.")) {
            try await scene.kernel.outbox.cancel(held.id, in: scene.ada)
        }
        // The service has sent it.
        #expect(try await scene.kernel.outbox.cancel(held.id, in: scene.ada) == nil)
        #expect(try await scene.submission(held.id).sendState == .sent)
        // It is not asked again.
        #expect(try await scene.kernel.outbox.cancel(held.id, in: scene.ada) == nil)
        #expect(scene.script.now.canceledHeld.count == 2)
        await scene.kernel.stop()
    }

    /// The answer is lost, and later the same is asked again.
    @Test func aLostAnswerIsAskedForAgain() async throws {
        let scene = try await ComposeScene()
        let held = try await held(scene)
        let lost = AccountError.unreachable(host: "mail.example.org", reason: "The connection was lost.")
        scene.script.change { $0.cancelOutcomes = [.failure(lost), .failure(lost)] }
        await #expect(throws: lost) { try await scene.kernel.outbox.cancel(held.id, in: scene.ada) }
        #expect(try await scene.submission(held.id).undoStatus == .final)
        for _ in 0..<3 { await pass(scene, Outbox.lookAgain + 1) }
        #expect(try await scene.submission(held.id).undoStatus == .canceled)
        #expect(scene.script.now.canceledHeld.count == 3)
        await scene.kernel.stop()
    }

    /// Killed before the service is asked, and before its answer is noted.
    @Test(arguments: [true, false]) func killedInBetweenItIsCarriedThrough(_ isAsked: Bool) async throws {
        let scene = try await ComposeScene()
        let held = try await held(scene)
        let storage = scene.test.storage as? MemoryStorage
        scene.script.change { script in
            script.beforeCancelHeld = { storage?.close() }
            if !isAsked { script.cancelOutcomes = [.failure(.cancelled)] }
        }
        _ = try? await scene.kernel.outbox.cancel(held.id, in: scene.ada)
        scene.script.change { $0.beforeCancelHeld = nil }
        try await scene.kill()
        await pass(scene, 10)
        try await scene.wait("canceled", held.id) { $0.undoStatus == .canceled }
        #expect(try isAskedFor(scene))
        await pass(scene, 10_000)
        #expect(scene.script.now.submitted.count == 1)
        await scene.kernel.stop()
    }
}
