import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Compose
@testable import Kernel
@testable import Store

/// ORG-84: what becomes of a message that its service is to send later and cannot be given.
@Suite("A service that does not take a message", .timeLimit(.minutes(10))) struct HandedOverTroubleTests {
    /// Hands a message over that is to be sent in two hours.
    private func handOver(
        _ scene: ComposeScene, outcomes: [SubmissionOutcome] = [], errors: [AccountError] = []
    ) async throws -> EmailSubmission {
        let draft = try await scene.draft("A")
        let scheduled = try await scene.kernel.sending.send(
            draft.id, in: scene.ada, isFromPage: true, at: scene.clock.now + 7200)
        scene.script.change {
            ($0.submitOutcomes, $0.submitErrors) = (outcomes, errors)
            $0.holdLimits = HoldLimits(maxSeconds: 86_400)
        }
        #expect(try await scene.kernel.outbox.handOver(scheduled.id, in: scene.ada) == .done)
        return scheduled
    }

    private func no(_ code: Int, _ text: String = "Too far ahead.") -> SubmissionOutcome {
        .rejected(SubmissionReply(code: code, text: text), refused: [:])
    }

    private func pass(_ scene: ComposeScene, _ seconds: Double) async {
        scene.clock.advance(by: seconds)
        await scene.kernel.outbox.changed()
        await scene.settle()
    }

    private func notices(_ scene: ComposeScene) async throws -> [String: String] {
        let all = try await Notices(store: scene.kernel.store).all()
        return Dictionary(all.map { ($0.id, $0.notice.text) }) { first, _ in first }
    }

    private func waitUntilKeptHere(_ id: Id<EmailSubmission>, _ scene: ComposeScene) async throws {
        for _ in 0..<60 {
            await scene.settle()
            if try await scene.submission(id).isScheduled { return }
            await pass(scene, 30)
        }
        #expect(try await scene.submission(id).isScheduled)
    }

    /// A user who is away finds a notice. What the service refuses is sent from here, at its time.
    @Test func aRefusalKeepsItHere() async throws {
        let scene = try await ComposeScene()
        let id = try await handOver(scene, outcomes: [no(555)]).id
        try await scene.wait("its return", id) { $0.isScheduled && $0.failure != nil }
        let kept = try await scene.submission(id)
        #expect(kept.failure == "The service did not accept it: Too far ahead.")
        #expect(scene.delivered.isEmpty && kept.envelope.holdUntil == nil)
        let expected =
            "“A” will be sent later from this computer, which must be on then. "
            + "The service did not accept it: Too far ahead."
        #expect(try await notices(scene)["kept-here-\(id)"] == expected)
        scene.clock.advance(by: 7300)
        try await scene.wait("sent", id) { $0.sendState == .sent }
        #expect(scene.script.now.submitted.map(\.envelope.holdUntil) == [nil])
        await scene.kernel.stop()
    }

    /// The user counts on the service until it is certain that it does not take the message.
    @Test func aPassingRefusalIsTriedAgain() async throws {
        let scene = try await ComposeScene()
        let scheduled = try await handOver(scene, outcomes: [no(451), no(451)])
        try await scene.wait("a try", scheduled.id) { $0.tries == 1 && $0.nextTryAt != nil }
        #expect(try await scene.submission(scheduled.id).isHandedOver)
        for _ in 0..<10 where scene.script.now.submitted.isEmpty { await pass(scene, 30) }
        try await scene.wait("sent", scheduled.id) { $0.sendState == .sent }
        #expect(scene.script.now.submitted.map(\.envelope.holdUntil) == [scheduled.sendAt])
        #expect(try await notices(scene).isEmpty)
        await scene.kernel.stop()
    }

    /// Only what the service itself said is told as its words.
    @Test(arguments: [true, false]) func afterTheLastTryItIsKeptHere(_ isAnswered: Bool) async throws {
        let scene = try await ComposeScene()
        let lost = AccountError.unreachable(host: "mail.example.org", reason: "The connection was lost.")
        let id = try await handOver(
            scene, outcomes: isAnswered ? Array(repeating: no(451, "Busy."), count: 4) : [],
            errors: isAnswered ? [] : Array(repeating: lost, count: 4)
        ).id
        try await waitUntilKeptHere(id, scene)
        let failure = try await scene.submission(id).failure
        #expect(
            failure
                == (isAnswered
                    ? "The service did not accept it: Busy."
                    : "The message could not be handed to the service. \(lost.sentence)"))
        #expect(try await notices(scene)["kept-here-\(id)"]?.hasSuffix(failure ?? "?") == true)
        #expect(scene.script.now.submitOutcomes.isEmpty && scene.script.now.submitErrors.isEmpty)
        await scene.kernel.stop()
    }

    /// Without a connection, and while the passwords are locked, it waits as any other message does.
    @Test(arguments: [AccountError.offline, .secrets(.locked)])
    func anAccountThatCannotSendWaits(_ error: AccountError) async throws {
        let scene = try await ComposeScene()
        let scheduled = try await handOver(scene, errors: [error])
        try await scene.wait("a try", scheduled.id) { $0.failure != nil }
        let waiting = try await scene.submission(scheduled.id)
        #expect(waiting.isHandedOver && waiting.sendState == .queued && waiting.undoStatus == .final)
        for _ in 0..<20 where scene.script.now.submitted.isEmpty {
            await scene.kernel.outbox.goOn(scene.ada)
            await pass(scene, 60)
        }
        try await scene.wait("sent", scheduled.id) { $0.sendState == .sent }
        #expect(scene.script.now.submitted.map(\.envelope.holdUntil) == [scheduled.sendAt])
        #expect(try await notices(scene).isEmpty)
        await scene.kernel.stop()
    }

    /// It has a day from its time on, as it would have if it were sent from here.
    @Test func aDayWithoutAConnectionIsNotItsEnd() async throws {
        let scene = try await ComposeScene()
        let scheduled = try await handOver(scene, errors: Array(repeating: .offline, count: 3))
        try await scene.wait("a try", scheduled.id) { $0.failure != nil }
        await pass(scene, 86_400 + 3600)
        #expect(try await scene.submission(scheduled.id).sendState != .failed)
        for _ in 0..<20 where scene.delivered.isEmpty { await pass(scene, 61) }
        try await scene.wait("sent", scheduled.id) { $0.sendState == .sent }
        #expect(scene.delivered == ["A"])
        await scene.kernel.stop()
    }
}
