import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Mail

/// Ada's account, which moves from one server to another with the same mail.
struct PlaceScene {
    static let ada = "ada@example.org"

    let test: TestKernel
    let old: MemoryMailServer
    let new: MemoryMailServer
    /// Of the sessions at the new server.
    let script: Script

    /// - Parameter messages: how many are in Ada's inbox, at both servers.
    init(
        _ layout: MemoryMailServer.Layout, to other: MemoryMailServer.Layout, messages: Int = 12,
        on disk: MemoryStorage.Disk = MemoryStorage.Disk(), secrets: SecretDrawers = SecretDrawers()
    ) async throws {
        let clock = ManualClock()
        old = MemoryMailServer(logins: MemoryAccountPlugin.logins, layout: layout, clock: clock)
        new = MemoryMailServer(logins: MemoryAccountPlugin.logins, layout: other, batchSize: 5, clock: clock)
        old.fill(Self.ada, count: messages)
        new.take(old.messages(of: Self.ada), to: Self.ada)
        script = Script()
        test = try await TestKernel(
            on: disk, clock: clock, server: old, secrets: secrets,
            providers: [PlacesProvider.pluginID: PlacesProvider(["new": new], script)])
    }

    private init(_ test: TestKernel, of scene: PlaceScene) {
        (self.test, old, new, script) = (test, scene.old, scene.new, scene.script)
    }

    /// The program starts again.
    func again(on disk: MemoryStorage.Disk, _ secrets: SecretDrawers) async throws -> PlaceScene {
        let test = try await TestKernel(
            on: disk, clock: test.clock, server: old, secrets: secrets,
            providers: [PlacesProvider.pluginID: PlacesProvider(["new": new], script)])
        return PlaceScene(test, of: self)
    }

    func move() async throws {
        try await test.kernel.accounts.reauthenticate(
            test.ada, with: [PlacesProvider.candidate("new")], of: PlacesProvider.pluginID)
        await test.settle()
    }

    func moveBack() async throws {
        try await test.kernel.accounts.reauthenticate(
            test.ada, with: [PlacesProvider.candidate("old")], of: TestKernel.pluginID)
        await test.settle()
    }

    var account: Account {
        get async throws {
            try #require(try await test.storage.accounts().first { $0.id == test.ada })
        }
    }

    func place() async throws -> FormerPlace? {
        try await FormerPlace.load(test.ada, from: test.kernel.store)
    }

    func id(of messageID: String) async throws -> Id<Email>? {
        for id in try await test.emailIDs() where try await test.email(id).header.messageID == [messageID] {
            return id
        }
        return nil
    }

    /// At the server.
    static func message(_ messageID: String, at server: MemoryMailServer) -> MemoryMessage? {
        server.messages(of: ada).first { $0.messageID == messageID }
    }

    static func made(_ name: String, body: String = "Text") -> Data {
        Data(
            "From: x@example.org\r\nSubject: \(name)\r\nMessage-ID: <\(name)@example.org>\r\n\r\n\(body)\r\n"
                .utf8)
    }
}
