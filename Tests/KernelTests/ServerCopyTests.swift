import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Synchronization
import Testing

@testable import Compose
@testable import Mail

/// FR-COMP-04: of a draft there is one version at the service, and none once it is gone, on a service that does
/// not say what it calls the messages that it takes.
@Suite("FR-COMP-04: what is destroyed on its way to the service stays gone") struct ServerCopyTests {
    private func scene() async throws -> ComposeScene { try await ComposeScene(layout: .folders) }

    /// Runs something once the service has taken a message, and before it is read from there.
    private func beforeItIsRead(_ scene: ComposeScene, _ action: @escaping @Sendable () async -> Void) {
        let calls = Mutex(0)
        scene.script.change {
            $0.beforeBatch = { _ in
                guard !scene.test.server.messages(of: "ada@example.org").isEmpty else { return }
                let call = calls.withLock { count in
                    count += 1
                    return count
                }
                guard call == 1 else { return }
                await action()
            }
        }
    }

    /// Lets time pass until nothing is noted any more, here is nothing, and there is only this.
    private func comeToRest(_ scene: ComposeScene, _ there: [String] = []) async throws {
        let store = scene.test.storage
        try await scene.test.wait(for: "rest, with \(there) at the service") {
            scene.clock.advance(by: 400)
            await scene.settle()
            let notes = [UnnamedEmail.collection, ServerCopy.collection]
            for collection in notes + [PendingChanges.collection] {
                let left = try await store.documents(
                    in: collection, accountID: scene.ada, after: nil, limit: 1)
                guard left.isEmpty else { return false }
            }
            let places = scene.test.server.messages(of: "ada@example.org").flatMap(\.mailboxIDs)
            let here = try await scene.test.emailIDs().count
            return places.map(\.rawValue) == there && here == there.count
        }
        await scene.kernel.stop()
    }

    @Test func aDraftThatIsDestroyedBeforeItsCopyIsNamed() async throws {
        let scene = try await scene()
        let draft = try await scene.kernel.drafts.create(try await scene.content("Gone"), in: scene.ada)
        beforeItIsRead(scene) { _ = try? await scene.kernel.drafts.destroy(draft.id, in: scene.ada) }
        await scene.settle()
        try await comeToRest(scene)
    }

    @Test func aDraftThatIsDestroyedWhenTheAnswerIsLost() async throws {
        let scene = try await scene()
        scene.script.change { $0.losesAppendAnswer = true }
        let draft = try await scene.draft("Gone")
        try #require(scene.atService(true).count == 1)
        #expect(try await scene.kernel.drafts.destroy(draft.id, in: scene.ada))
        try await comeToRest(scene)
    }

    /// The message that was imported, and another copy of it that comes elsewhere: that one stays.
    @Test func anImportedMessageThatIsDestroyedBeforeItIsNamed() async throws {
        let scene = try await scene()
        let message = "Subject: Mine\r\nMessage-ID: <mine@example.org>\r\n\r\nText\r\n"
        let archive = try await scene.test.mailbox(.archive)
        beforeItIsRead(scene) {
            let ids = (try? await scene.test.emailIDs()) ?? []
            try? await scene.kernel.mail.destroy(ids, in: scene.ada)
            scene.test.server.deliver(.init(message.utf8), to: "ada@example.org")
        }
        _ = try await scene.kernel.mail.add(
            .init(message.utf8), to: [archive], keywords: [.seen], receivedAt: scene.clock.now, in: scene.ada)
        try await comeToRest(scene, ["inbox"])
    }

    @Test func whatDependsOnNamesIsMadeAnewWhenTheyChange() async throws {
        let scene = try await scene()
        let store = scene.kernel.store
        let tries = Mutex(0)
        let (ada, name) = (scene.ada, DocumentKey("test", "what", accountID: scene.ada))
        try await store.commitNamed(in: ada) {
            let number = tries.withLock {
                $0 += 1
                return $0
            }
            // A reading stores its cursor with the names that it brings.
            let reading = DocumentKey(RemoteMap.cursors, "inbox", accountID: ada)
            if number == 1 {
                try await store.commit([.putDocument(Document(reading, value: ["cursor": "x"]))])
            }
            return [.putDocument(Document(name, value: .string("\(number)")))]
        }
        #expect(try await store.read.document(name)?.value == "2")
        await scene.kernel.stop()
    }
}
