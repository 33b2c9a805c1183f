import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Compose

/// FR-COMP-02, FR-SYNC-07: when sending fails, no message is lost, and no recipient gets one twice.
@Suite("Trouble while sending neither loses a message nor sends it twice") struct SendingTroubleTests {
    private static let taken = SubmissionReply(code: 250, text: "OK")
    private static let later = SubmissionReply(code: 451, enhancedCode: "4.7.1", text: "Greylisted")
    private static let unknownUser = SubmissionReply(code: 550, enhancedCode: "5.1.1", text: "No such user")

    /// A message to Grace and herself, submitted, with its undo time over.
    private func sent(
        _ scene: ComposeScene, outcomes: [SubmissionOutcome]
    ) async throws -> Id<EmailSubmission> {
        scene.script.change { $0.submitOutcomes = outcomes }
        var content = try await scene.content("Plans")
        content.to.append(EmailAddress(email: "ada@example.org"))
        let draft = try await scene.kernel.drafts.create(content, in: scene.ada)
        await scene.settle()
        let id = try await scene.send(draft)
        scene.clock.advance(by: 5)
        return id
    }

    private func notices(_ scene: ComposeScene) async throws -> [String] {
        try await scene.kernel.notices.all().map(\.notice.text)
    }

    // MARK: Recipients that are refused one by one

    @Test func whoIsRefusedForNowIsTriedAgainAndNobodyElse() async throws {
        let scene = try await ComposeScene()
        let id = try await sent(
            scene, outcomes: [.accepted(Self.taken, refused: ["ada@example.org": Self.later])])
        try await scene.wait("the pause", id) { $0.nextTryAt != nil }
        let waiting = try await scene.submission(id)
        #expect(waiting.failure == "Not all recipients were reached yet. ada@example.org: Greylisted")
        #expect(try await scene.kernel.outbox.cancel(id, in: scene.ada) == nil, "Grace has it")
        scene.clock.advance(by: 30)
        try await scene.wait("sent", id) { $0.sendState == .sent }
        #expect(scene.script.now.submitted.map(\.envelope.rcptTo) == [["ada@example.org"]])
        #expect(try await scene.submission(id).deliveryStatus.values.allSatisfy { $0.delivered == .unknown })
        #expect(try await notices(scene).isEmpty)
    }

    @Test func whoIsRefusedForGoodIsNamedInTheServersWords() async throws {
        let scene = try await ComposeScene()
        let id = try await sent(
            scene, outcomes: [.accepted(Self.taken, refused: ["ada@example.org": Self.unknownUser])])
        try await scene.wait("sent", id) { $0.sendState == .sent }
        #expect(
            try await notices(scene) == [
                "“Plans” was sent. It did not reach ada@example.org: 550 5.1.1 No such user"
            ])
        #expect(try await scene.submission(id).deliveryStatus["ada@example.org"]?.delivered == .no)
    }

    @Test func whoIsRefusedEachTimeIsNamedAndTheOthersHaveIt() async throws {
        let scene = try await ComposeScene()
        let partly = SubmissionOutcome.accepted(Self.taken, refused: ["ada@example.org": Self.later])
        let refused = SubmissionOutcome.rejected(Self.later, refused: [:])
        let id = try await sent(scene, outcomes: [partly, refused, refused, refused])
        for (number, pause) in [30.0, 120, 480].enumerated() {
            try await scene.wait("try \(number + 1)", id) { $0.tries == number + 1 && $0.nextTryAt != nil }
            scene.clock.advance(by: pause)
        }
        try await scene.wait("the end", id) { $0.sendState == .sent }
        #expect(try await notices(scene).first?.contains("ada@example.org: 451 4.7.1 Greylisted") == true)
        #expect(try await scene.submission(id).deliveryStatus["grace@example.org"]?.delivered == .unknown)
    }

    // MARK: What may be out already

    @Test func afterADayItIsLookedForBeforeItIsGivenUp() async throws {
        let scene = try await ComposeScene()
        scene.script.change { $0.losesAnswer = true }
        let id = try await scene.send(try await scene.draft("A"))
        scene.clock.advance(by: 5)
        try await scene.wait("the loss", id) { $0.mayHaveBeenSent && $0.nextTryAt != nil }
        scene.clock.advance(by: 90_000)
        try await scene.wait("sent", id) { $0.sendState == .sent }
        #expect(scene.script.now.submitted.count == 1 && scene.delivered == ["A"])
    }

    @Test func afterADayWhatIsNotFoundIsNotSentAnyMore() async throws {
        let scene = try await ComposeScene()
        scene.script.change { $0.submitOutcomes = [.unknown] }
        let id = try await scene.send(try await scene.draft("A"))
        scene.clock.advance(by: 5)
        try await scene.wait("the loss", id) { $0.mayHaveBeenSent && $0.nextTryAt != nil }
        scene.clock.advance(by: 90_000)
        try await scene.wait("failure", id) { $0.sendState == .failed && $0.failure == "send timeout" }
        #expect(scene.script.now.submitted.isEmpty)
    }

    /// The store was full when the end of a try was to be noted.
    @Test func aTryWhoseEndWasNotNotedIsNotRepeatedBlindly() async throws {
        let scene = try await ComposeScene(lacking: .savesSentCopies)
        let id = try await scene.send(try await scene.draft("A"))
        let submission = try await scene.submission(id)
        let session = try #require(await scene.kernel.accounts.session(scene.ada))
        let message = DataSource(Data("Message-ID: <a@example.org>\r\n\r\nText".utf8))
        let marked = Watched<EmailSubmission?>(nil)
        let attempt = SendAttempt(session: session, now: .distantPast)
        _ = try await attempt.carryOut(submission, message) { state in marked.withLock { $0 = state } }
        let left = try #require(marked.value)
        let (again, _) = try await attempt.carryOut(left, message) { _ in }
        #expect(again.sendState == .failed && again.failure == SendAttempt.doubt)
        #expect(scene.script.now.submitted.count == 1)
    }

    /// What an earlier run left in its undo time, and could not be made a draft again.
    @Test func whatNobodyCountsNeverGoesOutByItself() async throws {
        let scene = try await ComposeScene()
        let id = try await scene.send(try await scene.draft("A"))
        var left = try await scene.submission(id)
        _ = try await scene.kernel.outbox.cancel(id, in: scene.ada)
        left.id = Id("left")
        try await scene.kernel.store.commit([.putSubmission(left)])
        await scene.kernel.outbox.changed()
        scene.clock.advance(by: 90_000)
        await scene.settle()
        #expect(try await scene.submission(left.id).undoStatus == .pending)
        #expect(scene.script.now.submitted.isEmpty)
    }

    // MARK: Accounts

    @Test func withoutASentMailboxWhatWasSentIsKeptElsewhere() async throws {
        let scene = try await ComposeScene(lacking: .savesSentCopies)
        let sentBox = try await scene.test.mailbox(.sent)
        try await scene.kernel.store.commit([.destroyMailbox(sentBox, in: scene.ada)])
        let id = try await scene.send(try await scene.draft("A"))
        scene.clock.advance(by: 5)
        try await scene.wait("sent", id) { $0.sendState == .sent }
        let copies = try await scene.test.emailIDs()
        #expect(copies.count == 1)
        #expect(try await scene.test.email(try #require(copies.first)).header.subject == "A")
    }

    @Test func whatCannotBeCalledBackKeepsItsPlaceWhileTheAccountIsSignedOut() async throws {
        let scene = try await ComposeScene()
        var account = scene.test.accounts[0]
        account.status = .inactive
        try await scene.kernel.store.commit([.putAccount(account)])
        let id = try await scene.send(try await scene.draft("A"))
        scene.clock.advance(by: 5)
        try await scene.wait("its place", id) { $0.undoStatus == .final && $0.sendState == .queued }
        try await scene.kill()
        await scene.settle()
        #expect(try await scene.submission(id).undoStatus == .final)
        account.status = .active
        try await scene.kernel.store.commit([.putAccount(account)])
        try await scene.kill()
        try await scene.test.wait(for: "sent") {
            scene.clock.advance(by: 30)
            return try await scene.submission(id).sendState == .sent
        }
    }

    @Test func oneAccountsTroubleDoesNotHoldUpAnother() async throws {
        let scene = try await ComposeScene()
        let gate = Watched(false)
        scene.script.change {
            $0.beforeSubmit = { envelope in
                guard envelope.mailFrom == "ada@example.org" else { return }
                for await _ in gate.changes() where gate.value { return }
            }
        }
        let slow = try await scene.send(try await scene.draft("Slow"))
        let grace = scene.test.grace
        let identity = try #require(try await scene.test.storage.identities(nil, in: grace).first)
        let content = DraftContent(
            identityID: identity.id, to: [EmailAddress(email: "ada@example.org")], subject: "Quick", body: "")
        let draft = try await scene.kernel.drafts.create(content, in: grace)
        let quick = try await scene.kernel.sending.send(draft.id, in: grace, isFromPage: false).id
        scene.clock.advance(by: 5)
        try await scene.test.wait(for: "the quick one") {
            try await scene.test.storage.submissions([quick], in: grace).first?.sendState == .sent
        }
        #expect(try await scene.submission(slow).sendState == .sending)
        gate.withLock { $0 = true }
        try await scene.wait("the slow one", slow) { $0.sendState == .sent }
    }
}
