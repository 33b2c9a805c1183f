import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Compose
@testable import Kernel

/// FR-ACCT-04: a service may let an account read and not let it send.
@Suite("FR-ACCT-04: mail that an account is not let send waits, and the user is asked")
struct RefusedSendingTests {
    private static let refused = AccountError.authenticationRequired(reason: "535 Bad password")

    private func account(_ scene: ComposeScene) async throws -> Account {
        try #require(try await scene.test.storage.accounts().first { $0.id == scene.ada })
    }

    /// A message whose undo time is over, and whose tries end so.
    private func send(
        _ subject: String, _ scene: ComposeScene, errors: [AccountError]
    ) async throws -> Id<EmailSubmission> {
        let draft = try await scene.draft(subject)
        scene.script.change { $0.submitErrors = errors }
        let id = try await scene.send(draft)
        scene.clock.advance(by: 5)
        return id
    }

    private func isRefusedForGood(_ scene: ComposeScene) async throws -> Id<EmailSubmission> {
        let script = scene.script
        let id = try await send("A", scene, errors: Array(repeating: Self.refused, count: 10))
        for (number, pause) in [5.0, 15, 45].enumerated() {
            try await scene.wait("refusal \(number + 1)", id) {
                script.now.submitErrors.count == 9 - number && $0.sendState == .queued
                    && $0.failure == Self.refused.sentence
            }
            #expect(try await account(scene).status == .active)
            scene.clock.advance(by: pause - 1)
            await scene.kernel.outbox.settle()
            #expect(script.now.submitErrors.count == 9 - number, "it was tried too early")
            scene.clock.advance(by: 1)
        }
        try await scene.test.wait(for: "the account to become inactive") {
            try await account(scene).status == .inactive
        }
        #expect(script.now.submitErrors.count == 6)
        return id
    }

    @Test func itIsTriedThreeTimesMoreAndThenTheUserIsAsked() async throws {
        let scene = try await ComposeScene()
        let id = try await isRefusedForGood(scene)
        try await scene.test.wait(for: "the status") {
            scene.kernel.accounts.status.all.statuses[scene.ada]?.problem == Self.refused.sentence
        }
        let notices = try await scene.kernel.notices.all().map(\.notice.text)
        #expect(notices.contains { $0.contains("Sign in to ") && $0.contains("535 Bad password") })
        for _ in 0..<30 {
            scene.clock.advance(by: 3600)
            await scene.kernel.outbox.settle()
        }
        #expect(scene.script.now.submitErrors.count == 6, "it was tried again")
        let waiting = try await scene.submission(id)
        #expect(waiting.sendState == .queued && waiting.failure == Self.refused.sentence)
    }

    @Test func whatWaitedIsSentOnceTheUserHasSignedInAgain() async throws {
        let scene = try await ComposeScene()
        let id = try await isRefusedForGood(scene)
        scene.clock.advance(by: 90_000)
        scene.script.change { $0.submitErrors = [] }
        try await scene.kernel.accounts.reauthenticate(
            scene.ada,
            with: [
                AccountCandidate(
                    settings: ["address": "ada@example.org"], secrets: ["password": Secret("lovelace")])
            ])
        try await scene.test.wait(for: "the message to be sent") {
            scene.clock.advance(by: 6)
            return try await scene.submission(id).sendState == .sent
        }
        #expect(try await scene.submission(id).failure == nil)
        #expect(scene.script.now.submitted.count == 1)
    }

    @Test func refusalsNowAndThenDoNotAddUp() async throws {
        let scene = try await ComposeScene()
        for number in 0..<5 {
            let id = try await send("\(number)", scene, errors: [Self.refused])
            try await scene.wait("the refusal", id) { $0.failure != nil }
            scene.clock.advance(by: 5)
            try await scene.wait("the message to be sent", id) { $0.sendState == .sent }
        }
        #expect(try await account(scene).status == .active)
    }

    /// Each try asks the user to unlock the store.
    @Test func aLockedStoreOfSecretsIsAskedForOnce() async throws {
        let scene = try await ComposeScene()
        let (script, locked) = (scene.script, AccountError.secrets(.locked))
        let id = try await send("A", scene, errors: Array(repeating: locked, count: 10))
        try await scene.wait("the first try", id) {
            $0.failure == locked.sentence && script.now.submitErrors.count == 9
        }
        for pause in [5.0, 30, 120, 1200, 2000] {
            scene.clock.advance(by: pause)
            await scene.kernel.outbox.changed()
            await scene.settle()
        }
        #expect(script.now.submitErrors.count == 9, "the user was asked again")
        await scene.kernel.accounts.tryAgain()
        try await scene.test.wait(for: "a try") { script.now.submitErrors.count == 8 }
        await scene.kernel.outbox.settle()
        let second = try await scene.send(try await scene.draft("B"))
        try await scene.test.wait(for: "one after more was sent") {
            script.now.submitErrors.count == 7
        }
        await scene.kernel.outbox.settle()
        scene.clock.advance(by: 5)
        // It can wait as well, and is not a draft again should the program end.
        try await scene.wait("the second to be queued", second) { $0.undoStatus == .final }
        #expect(script.now.submitErrors.count == 7)
        scene.script.change { $0.submitErrors = [] }
        await scene.kernel.accounts.refresh(scene.ada)
        for sent in [id, second] { try await scene.wait("sent", sent) { $0.sendState == .sent } }
    }

    @Test func whatTimedOutStillSaysWhyItCouldNotBeSent() async throws {
        let scene = try await ComposeScene()
        let locked = AccountError.secrets(.locked)
        let id = try await send("A", scene, errors: Array(repeating: locked, count: 10))
        try await scene.wait("the first try", id) { $0.failure == locked.sentence }
        scene.clock.advance(by: 90_000)
        try await scene.wait("the end", id) { $0.sendState == .failed }
        #expect(try await scene.submission(id).failure == "send timeout. " + locked.sentence)
    }
}
