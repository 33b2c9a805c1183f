import Foundation
import KernelSupport
import Mail
import MailKernelAPI
import MailKernelConformance
import Testing

/// FR-SYNC-08, issue 5: attachments on demand with progress, retry and cancel.
@Suite("FR-SYNC-08: what is fetched on demand says how far it is, and can be ended") struct BlobFetchTests {
    private struct Scene {
        let test: TestKernel
        let script: Script
        let blob: Id<Blob>
        let bytes: Data
        /// What is fetched waits after its first piece until this is true.
        let isOpen = Watched(false)

        init() async throws {
            let script = Script()
            self.script = script
            bytes = Data(
                ("Subject: Large\r\n\r\n" + String(repeating: "0123456789abcd\r\n", count: 12_500)).utf8)
            test = try await TestKernel(wrap: { ScriptedSession($0, script) })
            test.server.deliver(bytes, to: "ada@example.org")
            let kernel = test
            try await test.wait(for: "the message") { try await kernel.emailIDs().count == 1 }
            blob = try await test.email(try #require(try await test.emailIDs().first)).blobID
            let isOpen = isOpen
            script.change { script in
                script.duringFetch = {
                    for await _ in isOpen.changes() where isOpen.value || Task.isCancelled { break }
                    try Task.checkCancellation()
                }
            }
        }

        func fetch() -> Task<Data, any Error> {
            Task { try await test.kernel.blobs.message(blob, in: test.ada) }
        }

        func list() async throws -> [JSONValue] {
            let answer = try await test.calls([("BlobFetch/get", ["accountId": "program", "ids": nil])])
            return answer[0]["list"].arrayValue ?? []
        }
    }

    @Test func twoWhoWantTheSameShareOneFetchAndSeeHowFarItIs() async throws {
        let scene = try await Scene()
        let news = scene.test.kernel.store.news.listen()
        let fetches = [scene.fetch(), scene.fetch()]
        for await states in news where states.keys.contains(where: { $0.type == BlobFetches.dataType }) {
            if try await scene.list().first?["received"]?.intValue == 65_536 { break }
        }
        let listed = try await scene.list()
        #expect(listed.count == 1 && listed[0]["id"]?.stringValue == scene.blob.rawValue)
        #expect(listed[0]["size"]?.intValue == scene.bytes.count)
        #expect(listed[0]["mailAccountId"]?.stringValue == scene.test.ada.rawValue)
        scene.isOpen.withLock { $0 = true }
        for fetch in fetches { #expect(try await fetch.value == scene.bytes) }
        #expect(scene.script.now.fetches == 1)
        #expect(try await scene.list().isEmpty)
    }

    @Test func aFetchThatIsEndedLeavesNothingAndCanBeginAgain() async throws {
        let scene = try await Scene()
        let fetch = scene.fetch()
        try await scene.test.wait(for: "a piece") {
            try await scene.list().first?["received"]?.intValue == 65_536
        }
        let answer = try await scene.test.calls([
            ("BlobFetch/set", ["accountId": "program", "destroy": [.string(scene.blob.rawValue), "other"]])
        ])[0]
        #expect(answer["destroyed"] == [.string(scene.blob.rawValue)])
        #expect(answer["notDestroyed"]["other"]?["type"] == "notFound")
        await #expect(throws: (any Error).self) { try await fetch.value }
        #expect(try await scene.list().isEmpty)
        #expect(try await scene.test.storage.blobInfo(scene.blob, in: scene.test.ada) == nil)
        scene.isOpen.withLock { $0 = true }
        #expect(try await scene.fetch().value == scene.bytes)
    }

    /// Closing the window is enough.
    @Test func aFetchEndsWithTheLastWhoWaitsForIt() async throws {
        let scene = try await Scene()
        let fetches = [scene.fetch(), scene.fetch()]
        try await scene.test.wait(for: "a piece") {
            try await scene.list().first?["received"]?.intValue == 65_536
        }
        fetches[0].cancel()
        fetches[1].cancel()
        try await scene.test.wait(for: "the end") { try await scene.list().isEmpty }
        for fetch in fetches { _ = await fetch.result }
        #expect(try await scene.test.storage.blobInfo(scene.blob, in: scene.test.ada) == nil)
    }

    @Test func aPluginWritesNotMuchMoreThanTheMessageSays() async {
        let kept = Kept()
        let sink = FetchSink(kept, size: 1_000_000) { _ in }
        await #expect(throws: AccountError.self) {
            while true { try await sink.write(Data(count: 10_000_000)) }
        }
        #expect(await kept.count < 4_000_000)
    }

    @Test func nothingIsWrittenAfterTheEnd() async throws {
        let kept = Kept()
        let sink = FetchSink(kept, size: nil) { _ in }
        try await sink.write(Data(count: 10))
        sink.end()
        await #expect(throws: CancellationError.self) { try await sink.write(Data(count: 10)) }
        #expect(await kept.count == 10)
    }

    private actor Kept: ByteSink {
        private(set) var count = 0

        func write(_ bytes: Data) { count += bytes.count }
    }
}
