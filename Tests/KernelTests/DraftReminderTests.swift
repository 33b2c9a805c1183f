import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Compose
@testable import Kernel

@Suite("A draft keeps the time of its reminder") struct DraftReminderTests {
    /// ORG-85: another program that changes a draft knows nothing of its reminder.
    @Test("The time of a reminder survives a kill, and another version from elsewhere")
    func aReminderStaysWithItsDraft() async throws {
        let scene = try await ComposeScene()
        let (draft, at) = (try await scene.draft("A"), scene.clock.now + 86_400)
        _ = try await scene.kernel.drafts.update(draft.id, in: scene.ada) { old in
            var content = old
            content.remindAt = at
            return content
        }
        try await scene.kill()
        await scene.settle()
        let kept = try #require(try await scene.saved(draft.id))
        #expect(kept.content.remindAt == at)
        let other = "From: ada@example.org\r\nTo: grace@example.org\r\nSubject: A\r\n\r\nSomething else\r\n"
        let found = try await scene.kernel.mail.add(
            Data(other.utf8), to: [try await scene.test.mailbox(.drafts)], keywords: [.draft, .seen],
            receivedAt: scene.clock.now, in: scene.ada)
        try await scene.kernel.drafts.take(found.email, as: kept)
        let taken = try #require(try await scene.saved(draft.id))
        #expect(taken.content.remindAt == at && taken.content.body.contains("Something else"))
        await scene.kernel.stop()
    }
}
