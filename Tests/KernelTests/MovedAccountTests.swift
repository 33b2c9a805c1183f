import Care
import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Store
import Synchronization
import Testing

@Suite("A moved account continues where it was") struct MovedAccountTests {
    private static let ada = "ada@example.org"

    @Test func nothingIsDownloadedAgain() async throws {
        let (clock, secrets) = (ManualClock(), SecretDrawers())
        let server = MemoryMailServer(logins: MemoryAccountPlugin.logins, clock: clock)
        server.fill(Self.ada, count: 30)
        let first = try await TestKernel(clock: clock, server: server, secrets: secrets)
        let ids = try await first.emailIDs()
        await first.kernel.stop()
        let disk = MemoryStorage.Disk()
        try await move(first.storage, to: disk)

        let script = Script()
        let received = Mutex(0)
        script.change { contents in
            contents.rewritesBatch = { batch, _ in
                let count = batch.messages.count
                received.withLock { $0 += count }
            }
        }
        let second = try await TestKernel(
            on: disk, clock: clock, server: server, secrets: secrets,
            wrap: { ScriptedSession($0, script) })
        await second.settle()
        #expect(ids.count == 30)
        #expect(try await second.emailIDs() == ids)
        #expect(received.withLock { $0 } == 0)
        server.deliver(Data("Subject: new\r\n\r\nNew.\r\n".utf8), to: Self.ada)
        try await second.wait(for: "the new message") { try await second.emailIDs().count == 31 }
        #expect(received.withLock { $0 } == 1)
    }

    private func move(_ storage: any StorageBackend, to disk: MemoryStorage.Disk) async throws {
        let destination = MailStore(MemoryStorage(on: disk))
        _ = try await destination.open()
        let move = StoreMove(
            from: .init(id: "old", name: "Old", mail: MailStore(storage)),
            to: .init(id: "new", name: "New", mail: destination))
        #expect(try await move.run { _ in }.differences == [])
        await destination.close()
    }
}
