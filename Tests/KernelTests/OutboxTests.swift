import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Compose

/// FR-COMP-02, FR-SYNC-07: the states of sending.
@Suite("A message is sent after the undo delay, in order, once") struct OutboxTests {
    /// A kernel whose Ada has written a message to Grace.
    private struct Scene {
        let test: TestKernel
        let script: Script
        let emailID: Id<Email>

        init(
            lacking: AccountFeatures = [], on disk: MemoryStorage.Disk = .init(),
            clock: ManualClock = ManualClock(), server: MemoryMailServer? = nil,
            secrets: SecretDrawers = SecretDrawers(), writes: Bool = true
        ) async throws {
            let script = Script()
            self.script = script
            test = try await TestKernel(
                lacking: lacking, on: disk, clock: clock, server: server, secrets: secrets,
                wrap: { ScriptedSession($0, script) })
            guard writes else {
                emailID = Id("")
                return
            }
            let drafts = try await test.mailbox(.drafts)
            emailID = try await test.kernel.mail.add(
                Data(Self.message.utf8), to: [drafts], keywords: [.draft, .seen], receivedAt: test.clock.now,
                in: test.ada
            ).email.id
            await test.settle()
        }

        static let message = """
            From: Ada <ada@example.org>\r
            To: Grace <grace@example.org>\r
            Bcc: Secret\r
              <hidden@example.org>\r
            Subject: The engine\r
            Message-ID: <engine@example.org>\r
            \r
            Bcc: this line is text.\r

            """

        func submit() async throws -> Id<EmailSubmission> {
            let stored = try #require(try await test.storage.emails([emailID], in: test.ada).first)
            let identity = try #require(try await test.storage.identities(nil, in: test.ada).first)
            return try await test.kernel.outbox.submit(
                Data(Self.message.utf8), of: stored, as: identity,
                envelope: Envelope(mailFrom: "ada@example.org", rcptTo: ["grace@example.org"])
            ).id
        }

        func submission(_ id: Id<EmailSubmission>) async throws -> EmailSubmission {
            try #require(try await test.storage.submissions([id], in: test.ada).first)
        }

        func wait(
            for what: String, _ id: Id<EmailSubmission>,
            until isSo: @escaping @Sendable (EmailSubmission) -> Bool
        ) async throws {
            try await test.wait(for: what) { isSo(try await submission(id)) }
            // So that it waits for the clock before that is moved.
            await test.kernel.outbox.settle()
        }
    }

    @Test func itIsQueuedUntilTheDelayIsOver() async throws {
        let scene = try await Scene()
        let id = try await scene.submit()
        let queued = try await scene.submission(id)
        #expect(queued.undoStatus == .pending && queued.sendState == .queued)
        #expect(queued.sendAt == scene.test.clock.now + 5)
        scene.test.clock.advance(by: 4.5)
        await scene.test.settle()
        #expect(try await scene.submission(id).undoStatus == .pending)
        #expect(scene.script.now.submitted.isEmpty)
        scene.test.clock.advance(by: 0.6)
        try await scene.wait(for: "sent", id) { $0.sendState == .sent }
        let sent = try await scene.submission(id)
        #expect(sent.undoStatus == .final && sent.tries == 1 && sent.failure == nil)
        #expect(sent.deliveryStatus["grace@example.org"]?.smtpReply == "250 2.0.0 OK")
        #expect(scene.script.now.submitted.count == 1)
        // Its snapshot is not needed any more.
        #expect(try await scene.test.storage.blobInfo(sent.snapshotBlobID, in: scene.test.ada) == nil)
    }

    @Test func noDelaySendsAtOnce() async throws {
        let scene = try await Scene()
        try await scene.test.kernel.preferences.set(["undoSendDelaySeconds": 0])
        let id = try await scene.submit()
        try await scene.wait(for: "sent", id) { $0.sendState == .sent }
        #expect(scene.script.now.submitted.count == 1)
    }

    @Test func nobodyWhoGetsItReadsTheBcc() async throws {
        let scene = try await Scene()
        let id = try await scene.submit()
        scene.test.clock.advance(by: 6)
        try await scene.wait(for: "sent", id) { $0.sendState == .sent }
        let text = String(decoding: try #require(scene.script.now.submitted.first).message, as: UTF8.self)
        #expect(!text.contains("hidden@example.org") && !text.contains("Bcc: Secret"))
        #expect(text.contains("Bcc: this line is text.") && text.contains("Subject: The engine"))
    }

    @Test func whatIsCalledBackInTimeIsNotSent() async throws {
        let scene = try await Scene()
        let id = try await scene.submit()
        #expect(try await scene.test.kernel.outbox.cancel(id, in: scene.test.ada)?.undoStatus == .canceled)
        scene.test.clock.advance(by: 3600)
        let later = try await scene.submit()
        scene.test.clock.advance(by: 6)
        try await scene.wait(for: "the later one", later) { $0.sendState == .sent }
        #expect(scene.script.now.submitted.count == 1)
        #expect(try await scene.submission(id).sendState == .none)
        #expect(try await scene.test.kernel.outbox.cancel(later, in: scene.test.ada) == nil)
    }

    @Test func whatIsCalledBackIsThereAgainThoughItsEmailWasDestroyed() async throws {
        let scene = try await Scene()
        let id = try await scene.submit()
        try await scene.test.kernel.mail.destroy([scene.emailID], in: scene.test.ada)
        _ = try await scene.test.kernel.outbox.cancel(id, in: scene.test.ada)
        let drafts = try await scene.test.mailbox(.drafts)
        let left = try #require(try await scene.test.emailIDs().first)
        let email = try await scene.test.email(left)
        #expect(email.keywords.contains(.draft) && email.mailboxIDs == [drafts])
        #expect(email.header.subject == "The engine")
    }

    /// Retries after 30 seconds, 2 minutes and 8 minutes, then it has failed.
    @Test func triesHaveGrowingPauses() async throws {
        let scene = try await Scene()
        scene.script.change {
            $0.submitErrors = Array(repeating: .unreachable(host: "h", reason: "r"), count: 4)
        }
        let id = try await scene.submit()
        scene.test.clock.advance(by: 5)
        for (number, pause) in [30.0, 120, 480].enumerated() {
            try await scene.wait(for: "try \(number + 1)", id) {
                $0.tries == number + 1 && $0.nextTryAt != nil
            }
            let waiting = try await scene.submission(id)
            #expect(waiting.sendState == .queued)
            #expect(waiting.nextTryAt == scene.test.clock.now + pause)
            scene.test.clock.advance(by: pause)
        }
        try await scene.wait(for: "failure", id) { $0.sendState == .failed }
        #expect(try await scene.submission(id).failure == "h does not respond: r.")
        #expect(try await scene.test.kernel.outbox.retry(id, in: scene.test.ada))
        try await scene.wait(for: "sent", id) { $0.sendState == .sent }
        #expect(scene.script.now.submitted.count == 1)
    }

    /// A message that the server has refused for good.
    private func refused() async throws -> (Scene, Id<EmailSubmission>) {
        let scene = try await Scene()
        let reply = SubmissionReply(code: 550, enhancedCode: "5.1.1", text: "No such user here")
        scene.script.change { $0.submitOutcomes = [.rejected(reply, refused: [:])] }
        let id = try await scene.submit()
        scene.test.clock.advance(by: 5)
        try await scene.wait(for: "failure", id) { $0.sendState == .failed }
        return (scene, id)
    }

    @Test func whatTheServerRejectsIsNotTriedAgain() async throws {
        let (scene, id) = try await refused()
        let failed = try await scene.submission(id)
        #expect(failed.failure == "No such user here" && failed.tries == 1)
        #expect(failed.deliveryStatus["grace@example.org"]?.delivered == .no)
    }

    /// FR-SYNC-07: a page shows the server's words beside the draft that is edited after a refusal.
    @Test func theServersWordsStayWhenARefusedMessageIsCalledBack() async throws {
        let (scene, id) = try await refused()
        #expect(try await scene.test.kernel.outbox.cancel(id, in: scene.test.ada) != nil)
        let canceled = try await scene.submission(id)
        #expect(canceled.undoStatus == .canceled && canceled.failure == "No such user here")
    }

    @Test func withoutANetworkItWaitsAndIsSentInOrder() async throws {
        let scene = try await Scene()
        scene.test.server.setOutage(.offline)
        let first = try await scene.submit()
        scene.test.clock.advance(by: 1)
        let second = try await scene.submit()
        scene.test.clock.advance(by: 10)
        try await scene.wait(for: "a try", first) { $0.failure != nil }
        // Longer than all tries of a message would take.
        for _ in 0..<100 {
            scene.test.clock.advance(by: 30)
            await Task.yield()
        }
        #expect(try await scene.submission(first).sendState != .failed)
        #expect(try await scene.submission(first).tries == 0)
        scene.test.server.setOutage(nil)
        try await scene.test.wait(for: "both") {
            scene.test.clock.advance(by: 30)
            return try await scene.submission(second).sendState == .sent
        }
        let subjects = scene.script.now.submitted.count
        #expect(subjects >= 2)
        #expect(try await scene.submission(first).sendState == .sent)
    }

    @Test func afterADayItHasFailed() async throws {
        let scene = try await Scene()
        scene.test.server.setOutage(.offline)
        let id = try await scene.submit()
        scene.test.clock.advance(by: 5)
        try await scene.wait(for: "a try", id) { $0.failure != nil && $0.sendState == .queued }
        scene.test.clock.advance(by: 86_401)
        try await scene.wait(for: "failure", id) { $0.sendState == .failed }
        #expect(try await scene.submission(id).failure == "send timeout")
    }

    @Test func anAnswerThatWasLostSendsNothingTwice() async throws {
        let scene = try await Scene()
        scene.script.change { $0.losesAnswer = true }
        let id = try await scene.submit()
        scene.test.clock.advance(by: 5)
        try await scene.wait(for: "the loss", id) { $0.sendState == .queued && $0.tries == 1 }
        #expect(try await scene.submission(id).mayHaveBeenSent)
        scene.test.clock.advance(by: 30)
        try await scene.wait(for: "sent", id) { $0.sendState == .sent }
        #expect(scene.script.now.submitted.count == 1 && scene.script.now.searches == 1)
        await scene.test.settle()
        #expect(try await scene.test.emailIDs(of: scene.test.grace).count == 1)
    }

    @Test func anAnswerThatWasLostBeforeTheMessageArrivedSendsItAgain() async throws {
        let scene = try await Scene()
        scene.script.change { $0.submitOutcomes = [.unknown] }
        let id = try await scene.submit()
        scene.test.clock.advance(by: 5)
        try await scene.wait(for: "the loss", id) { $0.sendState == .queued && $0.tries == 1 }
        scene.test.clock.advance(by: 30)
        try await scene.wait(for: "sent", id) { $0.sendState == .sent }
        #expect(scene.script.now.submitted.count == 1 && scene.script.now.searches == 1)
    }

    /// FR-COMP-02: what was in its undo window when the program ended is a draft afterwards.
    @Test func aRestartInTheUndoWindowSendsNothing() async throws {
        let disk = MemoryStorage.Disk()
        let (clock, secrets) = (ManualClock(), SecretDrawers())
        let scene = try await Scene(on: disk, clock: clock, secrets: secrets)
        let id = try await scene.submit()
        // As a client does that moves it to Sent in the same request.
        let drafts = try await scene.test.mailbox(.drafts)
        let sentBox = try await scene.test.mailbox(.sent)
        try await scene.test.kernel.mail.update(
            [
                EmailUpdate(
                    scene.emailID, in: scene.test.ada, removeKeywords: [.draft], addMailboxes: [sentBox],
                    removeMailboxes: [drafts])
            ], in: scene.test.ada)
        await scene.test.kernel.stop()
        clock.advance(by: 3600)
        let again = try await Scene(
            on: disk, clock: clock, server: scene.test.server, secrets: secrets, writes: false)
        try await again.wait(for: "cancellation", id) { $0.undoStatus == .canceled && $0.sendState == .none }
        clock.advance(by: 3600)
        await again.test.settle()
        #expect(again.script.now.submitted.isEmpty && scene.script.now.submitted.isEmpty)
        let email = try await again.test.email(scene.emailID)
        #expect(email.keywords.contains(.draft) && email.mailboxIDs == [drafts])
    }

    @Test func whatWasQueuedIsSentAfterARestart() async throws {
        let disk = MemoryStorage.Disk()
        let (clock, secrets) = (ManualClock(), SecretDrawers())
        let scene = try await Scene(on: disk, clock: clock, secrets: secrets)
        scene.test.server.setOutage(.offline)
        let id = try await scene.submit()
        clock.advance(by: 5)
        try await scene.wait(for: "a try", id) { $0.failure != nil }
        await scene.test.kernel.stop()
        scene.test.server.setOutage(nil)
        let again = try await Scene(
            on: disk, clock: clock, server: scene.test.server, secrets: secrets, writes: false)
        try await again.wait(for: "sent", id) { $0.sendState == .sent }
        #expect(scene.test.server.messages(of: "grace@example.org").count == 1)
    }

    @Test func stoppingDoesNotWaitForTheDelay() async throws {
        let scene = try await Scene()
        _ = try await scene.submit()
        await scene.test.kernel.stop()
        #expect(scene.script.now.submitted.isEmpty)
    }

    /// Two loops would send one message twice, and one of them could not be stopped.
    @Test func startedTwiceItRunsOnceAndEnds() async throws {
        weak var outbox: Outbox?
        do {
            let test = try await TestKernel()
            try await test.start()
            outbox = test.kernel.outbox
            await test.kernel.outbox.settle()
            await test.kernel.stop()
        }
        // What was cancelled may be about to end.
        try await polling(until: "nothing refers to it") { outbox == nil }
    }

    @Test("A message that was due while it was being changed goes out afterwards")
    func dueDuringAChange() async throws {
        let scene = try await ComposeScene()
        let id = try await scene.send(try await scene.draft("A"))
        let outbox = scene.kernel.outbox
        let isDone: Bool? = try await outbox.holding(id) {
            scene.clock.advance(by: 5)
            try await scene.test.wait(for: "a round that passes it over") {
                await outbox.submissions[id]?.wasPassedOver == true
            }
            return true
        }
        #expect(isDone == true)
        try await scene.wait("sent", id) { $0.sendState == .sent }
    }
}
