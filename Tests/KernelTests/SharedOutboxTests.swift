import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

/// FR-COMP-02 on a store that several kernels share.
@Suite("Several kernels send a message once", .timeLimit(.minutes(5))) struct SharedOutboxTests {
    private func sent(_ pair: SharedKernels) -> [Int] {
        [pair.scriptOfOne.now.submitted.count, pair.scriptOfOther.now.submitted.count]
    }

    private func wait(for id: Id<EmailSubmission>, in pair: SharedKernels) async throws {
        try await pair.pass(1, for: "the message") { try await pair.submission(id).sendState == .sent }
    }

    @Test func whatIsQueuedElsewhereIsSentByTheHolder() async throws {
        let pair = try await SharedKernels()
        let id = try await pair.submit(on: pair.other)
        #expect(try await pair.submission(id).sendAt == pair.one.clock.now + 5)
        pair.one.clock.advance(by: 4)
        await pair.one.kernel.outbox.settle()
        #expect(try await pair.submission(id).undoStatus == .pending)
        try await wait(for: id, in: pair)
        #expect(sent(pair) == [1, 0])
        await pair.stop()
    }

    @Test(arguments: [false, true]) func itIsCalledBackOnAnotherKernel(isQueuedOnHolder: Bool) async throws {
        let pair = try await SharedKernels()
        let (here, there) = isQueuedOnHolder ? (pair.one, pair.other) : (pair.other, pair.one)
        let id = try await pair.submit(on: here)
        let canceled = try await there.kernel.outbox.cancel(id, in: pair.ada)
        #expect(canceled?.undoStatus == .canceled)
        for _ in 0..<10 {
            pair.one.clock.advance(by: 1)
            await pair.one.kernel.outbox.settle()
            await pair.other.kernel.outbox.settle()
        }
        #expect(try await pair.submission(id).undoStatus == .canceled && sent(pair) == [0, 0])
        await pair.stop()
    }

    @Test func itIsTooLateOnAnotherKernel() async throws {
        let pair = try await SharedKernels()
        let id = try await pair.submit(on: pair.one)
        try await wait(for: id, in: pair)
        #expect(try await pair.other.kernel.outbox.cancel(id, in: pair.ada) == nil)
        #expect(sent(pair) == [1, 0])
        await pair.stop()
    }

    @Test func aKernelThatLostItsTurnDoesNotSend() async throws {
        let pair = try await SharedKernels { one, _ in
            try await one.kernel.preferences.set(["undoSendDelaySeconds": 0])
            try await SharedKernels.loseLeases(of: one)
        }
        #expect(pair.one.kernel.store.looksAfter(pair.ada), "it does not know yet")
        let id = try await pair.submit(on: pair.one)
        try await wait(for: id, in: pair)
        #expect(sent(pair) == [0, 1])
        await pair.stop()
    }

    @Test func aSecondKernelRecoversNothingOfTheFirst() async throws {
        let pair = try await SharedKernels()
        let id = try await pair.submit(on: pair.one)
        await pair.other.kernel.stop()
        try await pair.other.start()
        #expect(try await pair.submission(id).undoStatus == .pending)
        try await wait(for: id, in: pair)
        #expect(sent(pair) == [1, 0])
        await pair.stop()
    }

    @Test func aHolderThatDiesAfterHandingOverIsFoundInSent() async throws {
        let pair = try await SharedKernels()
        // The clock stands still until it is handed over, so that no kernel takes the lease before.
        try await pair.one.kernel.preferences.set(["undoSendDelaySeconds": 0])
        pair.scriptOfOne.change { $0.afterReading = { SharedKernels.kill(pair.one) } }
        let id = try await pair.submit(on: pair.one)
        try await pair.other.wait(for: "the handing over") { sent(pair) == [1, 0] }
        try await wait(for: id, in: pair)
        #expect(sent(pair) == [1, 0])
        let reply = try await pair.submission(id).deliveryStatus["grace@example.org"]?.smtpReply
        #expect(reply?.contains("Found in Sent") == true)
        await pair.stop()
    }

    @Test func aMessageWhoseKernelIsGoneIsADraftAgain() async throws {
        let pair = try await SharedKernels()
        let id = try await pair.submit(on: pair.other)
        SharedKernels.kill(pair.other)
        try await pair.one.wait(for: "the draft") {
            let found = try await pair.one.storage.submissions([id], in: pair.ada).first
            if found?.undoStatus == .canceled { return true }
            pair.one.clock.advance(by: 5)
            return false
        }
        #expect(sent(pair) == [0, 0])
        await pair.stop()
    }
}
