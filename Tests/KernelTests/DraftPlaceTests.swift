import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Synchronization
import Testing

@testable import Compose
@testable import Mail
@testable import Store
@testable import Sync

@Suite("FR-COMP-02: where drafts are shown, whatever the service has") struct DraftPlaceTests {
    private func place(_ draft: Draft, in scene: ComposeScene) async throws -> [Mailbox] {
        let saved = try #require(try await scene.saved(draft.id))
        let email = try await scene.test.email(try #require(saved.emailID))
        return try await scene.test.storage.mailboxes(Array(email.mailboxIDs), in: scene.ada).map(\.mailbox)
    }

    private func refresh(_ scene: ComposeScene) async throws {
        await scene.kernel.accounts.refresh(scene.ada)
        await scene.settle()
    }

    @Test func withoutDraftsAtTheServiceThereAreDraftsHere() async throws {
        let scene = try await ComposeScene(lacking: .mailboxChanges)
        scene.script.change { $0.hiddenMailboxes = [Id("drafts")] }
        try await refresh(scene)
        let draft = try await scene.draft("Here")
        try await refresh(scene)
        let here = try await place(draft, in: scene)
        #expect(here.map(\.role) == [.drafts])
        // What the service has later takes its place, and the draft is brought there.
        scene.script.change { $0.hiddenMailboxes = [] }
        try await refresh(scene)
        scene.clock.advance(by: 61)
        try await refresh(scene)
        #expect(try await place(draft, in: scene).map(\.id) == here.map(\.id))
        let all = try await scene.test.storage.mailboxes(nil, in: scene.ada).map(\.mailbox)
        #expect(all.count { $0.role == .drafts } == 1)
        #expect(scene.atService(true).map(\.subject) == ["Here"])
        await scene.kernel.stop()
    }

    @Test func aRefusedMailboxForDraftsIsKeptHere() async throws {
        let scene = try await ComposeScene(layout: .folders)
        let server = try await scene.test.storage.mailboxes(nil, in: scene.ada).map(\.mailbox)
        let refused = try #require(server.first { $0.role == .drafts })
        let draft = try await scene.draft("Kept")
        let account = try #require(scene.test.accounts.first)
        let undone = UndoneChange(
            PendingChange(.createMailbox(refused.id)), account: account, store: scene.kernel.store)
        try await scene.kernel.store.commit(try await undone.changes())
        #expect(try await place(draft, in: scene).map(\.id) == [OwnDrafts.id(scene.ada)])
        await scene.kernel.stop()
    }

    /// The store ends what is under way with an error of its own.
    @Test func stoppingWhileADraftIsShownWarnsOfNothing() async throws {
        let lines = Mutex<[String]>([])
        let isArmed = Watched(false)
        let (reached, reach) = AsyncStream.makeStream(of: Void.self)
        let test = try await TestKernel(
            log: LogOutput(least: .warning) { line in lines.withLock { $0.append(line) } },
            wrapStorage: { storage in
                InterceptedStorage(storage) { (call) async throws(StorageError) in
                    guard isArmed.value, call == "identities" else { return }
                    reach.yield()
                    // Until the task is cancelled.
                    let (forever, end) = AsyncStream.makeStream(of: Never.self)
                    for await _ in forever {}
                    withExtendedLifetime(end) {}
                    throw .cancelled
                }
            })
        let identity = try #require(try await test.storage.identities(nil, in: test.ada).first)
        isArmed.withLock { $0 = true }
        let content = DraftContent(identityID: identity.id, to: [], subject: "Stopped", body: "Text")
        _ = try await test.kernel.drafts.create(content, in: test.ada)
        for await _ in reached { break }
        await test.kernel.stop()
        #expect(lines.withLock { $0 }.isEmpty)
    }
}
