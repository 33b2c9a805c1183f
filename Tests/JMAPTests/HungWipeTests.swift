import Care
import Foundation
import JMAP
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import PluginCalls
import Store
import Synchronization
import TestSupport
import Testing

/// A model plugin that hangs in one call and notices no cancellation, while everything is wiped.
@Suite("A wipe ends even if a plugin hangs") struct HungWipeTests {
    @Test(
        .timeLimit(.minutes(5)), arguments: ["embed", "models", "unload", "discardDownload", "delete"])
    func itEndsSoonAndNamesThePlugin(_ call: String) async throws {
        let place = try TemporaryFolder()
        for path in ["data/vault", "data/plugins/\(SmartKernel.plugin)/model.gguf", "config/tokens.json"] {
            _ = try place.write("x", to: path)
        }
        let restarts = Mutex(0)
        let clock = ManualClock()
        let smart = try await SmartKernel(
            clock: clock,
            program: ProgramAccess(
                folders: KernelFolders(
                    data: place.url.appending(path: "data"),
                    configuration: place.url.appending(path: "config")),
                restart: { restarts.withLock { $0 += 1 } }),
            // The deadlines of the calls themselves, of up to an hour, never come.
            calls: ProviderCalls(clock: clock, uptime: WallUptime(clock: ManualClock())))
        smart.models.script.withLock { $0.stuckIn = call }
        if call == "embed" {
            _ = try await smart.test.add(SmartKernel.message(subject: "Hello", "Are you there?"))
            try await smart.test.wait(for: "the model to begin") { smart.models.now.isStuck }
        }
        async let answer = smart.test.program("Program/wipe", ["confirmation": "Delete Everything"])
        // No time passes before the plugin hangs.
        try await smart.test.wait(for: "the call") { smart.models.now.isStuck }
        let moving = Task { await clock.keepMoving(by: 0.05) }
        let said = try await answer["notRemoved"].strings
        moving.cancel()
        #expect(
            said.contains { $0.hasPrefix("The plugin “\(SmartKernel.plugin)” did not respond.") }, "\(said)")
        #expect(restarts.withLock { $0 } == 1)
        #expect(try await smart.test.program("AccountSettings/get")["list"] == [])
        // What the plugin writes until the restart is removed by it.
        #expect(try place.files() == ["data/wiping"])
        smart.models.script.withLock { $0.stuckIn = nil }
    }
}

extension TemporaryFolder {
    /// The paths of all files.
    func files() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: url.path).filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(
                atPath: url.appending(path: path).path, isDirectory: &isFolder) && !isFolder.boolValue
        }.sorted()
    }
}
