import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Compose

/// What the user writes is saved or reported as not saved, whichever call of the store fails.
@Suite("A store that fails while the user writes loses nothing", .timeLimit(.minutes(10)))
struct FailingComposeTests {
    private enum Failing: CustomStringConvertible {
        case at(Int)
        case every(Int)

        func begin(_ calls: FailingCalls) {
            switch self {
            case .at(let number): calls.fail(at: number)
            case .every(let number): calls.fail(every: number)
            }
        }

        var description: String {
            switch self {
            case .at(let number): "call \(number)"
            case .every(let number): "every call \(number)"
            }
        }
    }

    @Test(arguments: MemoryMailServer.Layout.allCases)
    func everyCallFailsOnce(_ layout: MemoryMailServer.Layout) async throws {
        let count = try await Sweep.calls(every: 9) { try await write(.at($0), layout) > 0 }
        #expect(count > 30, "only \(count) calls")
    }

    @Test(arguments: [11, 13, 17, 19, 23]) func everyCallOfANumberFails(_ number: Int) async throws {
        let failures = try await write(.every(number), .labels)
        #expect(failures > 0)
    }

    /// Writes, saves and changes a draft with an attachment. Returns how many calls have failed.
    private func write(_ failing: Failing, _ layout: MemoryMailServer.Layout) async throws -> Int {
        let scene = try await ComposeScene(layout: layout)
        let upload = try await scene.kernel.blobs.upload(type: "text/plain", to: scene.ada)
        try await upload.write(Data("A file".utf8))
        try await upload.finish()
        var content = try await scene.content("Plans", "First")
        content.attachments = [DraftAttachment(blobID: upload.id, name: "a.txt", type: "text/plain", size: 6)]

        failing.begin(scene.calls)
        let draft = try await create(content, scene, failing)
        for text in ["Second", "Third"] {
            try await update(draft.id, scene, failing) { old in
                var new = old
                new.body = text
                return new
            }
            scene.clock.advance(by: 2)
            await scene.settle()
        }
        let failures = scene.calls.stop()

        for _ in 0..<4 {
            scene.clock.advance(by: 61)
            await scene.kernel.accounts.refresh(scene.ada)
            await scene.settle()
        }
        let saved = try #require(try await scene.saved(draft.id), "\(failing)")
        #expect(saved.content.body == "Third", "\(failing)")
        #expect(try await scene.kernel.drafts.all(in: scene.ada).count == 1, "\(failing)")
        let kept = try #require(saved.content.attachments.first?.keptAs, "\(failing)")
        #expect(try await scene.test.storage.blobInfo(kept, in: scene.ada) != nil, "\(failing)")
        // It is in Drafts once, as it is, here and at the service.
        let ids = try await scene.test.emailIDs()
        #expect(ids.count == 1, "\(failing)")
        #expect(saved.emailID == ids.first && saved.shownVersion == saved.version, "\(failing)")
        let texts = scene.atService(true).map { String(decoding: $0.bytes, as: UTF8.self) }
        #expect(texts.count == 1 && texts.allSatisfy { $0.contains("Third") }, "\(failing): \(texts.count)")
        await scene.kernel.stop()
        return failures
    }

    /// As a page does: what was refused is tried again, and what was not is there.
    private func create(
        _ content: DraftContent, _ scene: ComposeScene, _ failing: Failing
    ) async throws -> Draft {
        for _ in 0..<200 {
            do {
                return try await scene.kernel.drafts.create(content, in: scene.ada)
            } catch is StorageError {
                let there = try await scene.test.storage.documents(
                    in: Draft.collection, accountID: scene.ada, after: nil, limit: 10)
                try #require(there.isEmpty, "\(failing): refused, and saved all the same")
            }
        }
        throw Missing("a draft that is saved")
    }

    private func update(
        _ id: Id<Draft>, _ scene: ComposeScene, _ failing: Failing,
        _ change: @escaping @Sendable (DraftContent) -> DraftContent
    ) async throws {
        for _ in 0..<200 {
            do {
                _ = try await scene.kernel.drafts.update(id, in: scene.ada, change)
                return
            } catch is StorageError {}
        }
        throw Missing("a change that is saved")
    }
}
