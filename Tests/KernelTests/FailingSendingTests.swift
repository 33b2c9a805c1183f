import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Kernel

/// A message that is sent goes out once, or is there to be seen, whichever call of the store fails.
@Suite(
    "A store that fails while something is sent loses nothing and sends nothing twice",
    .timeLimit(.minutes(10)))
struct FailingSendingTests {
    /// With labels the service keeps what it sends; without, the program files it.
    @Test(arguments: [true, false]) func everyCallFailsOnce(_ keepsSentCopies: Bool) async throws {
        let count = try await Sweep.calls(every: 9) { number in
            try await send(keepsSentCopies, "call \(number)") { $0.fail(at: number) } > 0
        }
        #expect(count > 30, "only \(count) calls")
    }

    @Test(arguments: [11, 13, 17, 19, 23]) func everyCallOfANumberFails(_ number: Int) async throws {
        for keepsSentCopies in [true, false] {
            let failures = try await send(keepsSentCopies, "every call \(number)") { $0.fail(every: number) }
            #expect(failures > 0)
        }
    }

    private func send(
        _ keepsSentCopies: Bool, _ failing: String, _ begin: (FailingCalls) -> Void
    ) async throws -> Int {
        let scene = try await ComposeScene(lacking: keepsSentCopies ? [] : [.savesSentCopies])
        let draft = try await scene.draft("Plans")
        begin(scene.calls)
        // As the user does who is told that it was not taken.
        var isTaken = false
        for _ in 0..<50 where !isTaken {
            do {
                _ = try await scene.send(draft)
                isTaken = true
            } catch is StorageError {}
        }
        for _ in 0..<3 {
            scene.clock.advance(by: 31)
            await scene.settle()
        }
        let failures = scene.calls.stop()
        for _ in 0..<8 {
            scene.clock.advance(by: 121)
            await scene.kernel.accounts.refresh(scene.ada)
            await scene.settle()
        }

        guard isTaken else {
            // Refused each time, and each time said to be.
            #expect(scene.delivered.isEmpty, "\(failing)")
            #expect(try await scene.saved(draft.id)?.submissionID == nil, "\(failing)")
            #expect(try await scene.test.emailIDs().count == 1, "\(failing)")
            await scene.kernel.stop()
            return failures
        }
        let submissions = try await scene.test.storage.submissions(nil, in: scene.ada)
        let delivered = scene.delivered.count { $0 == "Plans" }
        #expect(submissions.count == 1, "\(failing)")
        #expect(delivered <= 1, "\(failing): sent twice")
        let submission = try #require(submissions.first, "\(failing)")
        if submission.sendState == .sent {
            #expect(delivered == 1, "\(failing): said to be sent")
            #expect(try await scene.kernel.drafts.all(in: scene.ada).isEmpty, "\(failing)")
            let own = scene.atService(false).filter { $0.subject == "Plans" }
            #expect(own.count == 1, "\(failing): \(own.count) copies in Sent")
            #expect(scene.atService(true).isEmpty, "\(failing)")
            #expect(try await scene.test.emailIDs().count == 1, "\(failing)")
        } else {
            // Whether it went out cannot be known: the user is told so, and nothing is gone.
            #expect(submission.sendState == .failed && submission.failure != nil, "\(failing): \(submission)")
            #expect(try await scene.saved(draft.id) != nil, "\(failing)")
        }
        await scene.kernel.stop()
        return failures
    }

    /// Undo counts or is said not to have: a message that was called back never goes out.
    @Test func everyCallOfUndoFailsOnce() async throws {
        var number = 1
        while try await undo(failingAt: number) > 0 { number += 1 }
        #expect(number > 8, "only \(number) calls")
    }

    private func undo(failingAt number: Int) async throws -> Int {
        let scene = try await ComposeScene()
        let draft = try await scene.draft("Plans")
        let id = try await scene.send(draft)
        await scene.settle()
        scene.calls.fail(at: number)
        var isCanceled = false
        for _ in 0..<5 where !isCanceled {
            do {
                isCanceled = try await scene.kernel.outbox.cancel(id, in: scene.ada) != nil
            } catch is StorageError {}
        }
        let failures = scene.calls.stop()
        for _ in 0..<4 {
            scene.clock.advance(by: 61)
            await scene.kernel.accounts.refresh(scene.ada)
            await scene.settle()
        }
        let call = "call \(number)"
        #expect(isCanceled, "\(call)")
        #expect(scene.delivered.isEmpty, "\(call)")
        let saved = try #require(try await scene.saved(draft.id), "\(call)")
        #expect(saved.submissionID == nil && saved.content.body == "Text", "\(call)")
        #expect(try await scene.submission(id).undoStatus == .canceled, "\(call)")
        #expect(try await scene.test.emailIDs().count == 1, "\(call)")
        await scene.kernel.stop()
        return failures
    }
}
