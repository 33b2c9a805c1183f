import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Compose
@testable import Kernel
@testable import Mail
@testable import Store

/// FR-COMP-02: the computer slept, its clock was set, or summer time began.
@Suite("FR-COMP-02: a clock that jumps neither sends early nor keeps a message for ever")
struct ClockJumpTests {
    private struct Uptime: SteadyClock {
        let clock = ManualClock()

        var uptime: Double { clock.now.timeIntervalSinceReferenceDate }
    }

    /// What is on the wall moves by this, and the undo time of 5 s goes on all the same.
    @Test(arguments: [3_600, 2_592_000, -3_600, -2_592_000] as [Double])
    func theUndoTimeIsCountedByASteadyClock(_ jump: Double) async throws {
        let uptime = Uptime()
        let scene = try await ComposeScene(uptime: uptime)
        let id = try await scene.send(try await scene.draft("A"))
        uptime.clock.advance(by: 4)
        scene.clock.advance(by: jump)
        await scene.kernel.outbox.changed()
        await scene.settle()
        #expect(scene.delivered.isEmpty)
        #expect(try await scene.submission(id).undoStatus == .pending)
        uptime.clock.advance(by: 1)
        // The system wakes sleepers by the same steady clock.
        await scene.kernel.outbox.changed()
        try await scene.wait("sent", id) { $0.sendState == .sent }
        #expect(scene.delivered == ["A"])
        await scene.kernel.stop()
    }

    /// Changes wait in the order of their names, which come from the clock.
    @Test func whatIsDoneAfterTheClockWasSetBackIsSentLater() async throws {
        let scene = try await ComposeScene()
        let text = "From: g@example.org\r\nSubject: A\r\nMessage-ID: <a@example.org>\r\n\r\nText\r\n"
        scene.test.server.deliver(Data(text.utf8), to: "ada@example.org", receivedAt: scene.clock.now)
        try await scene.test.wait(for: "mail") { try await scene.test.emailIDs().count == 1 }
        let id = try #require(try await scene.test.emailIDs().first)
        await scene.settle()
        scene.test.server.setOutage(.offline)
        _ = try await scene.kernel.actions.perform(.star, on: .emails([id]), in: scene.ada, client: "page")
        scene.clock.advance(by: -3600)
        try await scene.kill()
        _ = try await scene.kernel.actions.perform(.unstar, on: .emails([id]), in: scene.ada, client: "page")
        scene.test.server.setOutage(nil)
        scene.clock.advance(by: 3600)
        let queue = PendingChanges(store: scene.kernel.store, accountID: scene.ada)
        try await scene.test.wait(for: "the service") { try await queue.isEmpty }
        await scene.settle()
        #expect(scene.atService(false).allSatisfy { !$0.keywords.contains(.flagged) })
        #expect(try await !scene.test.email(id).keywords.contains(.flagged))
        await scene.kernel.stop()
    }

    @Test func aTryIsNotPutOffByAClockThatWasSetBack() async throws {
        let scene = try await ComposeScene()
        let busy = SubmissionOutcome.rejected(SubmissionReply(code: 451, text: "Later"), refused: [:])
        scene.script.change { $0.submitOutcomes = [busy] }
        let id = try await scene.send(try await scene.draft("A"))
        scene.clock.advance(by: 5)
        try await scene.wait("a try", id) { $0.tries == 1 && $0.nextTryAt != nil }
        scene.clock.advance(by: -86_400)
        await scene.kernel.outbox.changed()
        try await scene.wait("sent", id) { $0.sendState == .sent }
        #expect(scene.delivered == ["A"])
        await scene.kernel.stop()
    }

    /// What counts until an account is asked again is the time that has gone, whatever the clock says.
    @Test func anAccountThatWasToldToWaitWaitsNoLongerWhenTheClockIsSetBack() async throws {
        let uptime = Uptime()
        let scene = try await ComposeScene(uptime: uptime)
        scene.script.change { script in
            script.submitErrors = [.throttled(until: scene.clock.now.addingTimeInterval(605))]
        }
        let id = try await scene.send(try await scene.draft("A"))
        uptime.clock.advance(by: 5)
        scene.clock.advance(by: 5)
        await scene.kernel.outbox.changed()
        try await scene.wait("told to wait", id) { $0.failure != nil }
        scene.clock.advance(by: -2_592_000)
        uptime.clock.advance(by: 590)
        await scene.kernel.outbox.changed()
        await scene.settle()
        #expect(scene.delivered.isEmpty)
        uptime.clock.advance(by: 11)
        await scene.kernel.outbox.changed()
        try await scene.wait("sent", id) { $0.sendState == .sent }
        #expect(scene.delivered == ["A"])
        await scene.kernel.stop()
    }
}
