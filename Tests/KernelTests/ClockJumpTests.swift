import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Compose
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
