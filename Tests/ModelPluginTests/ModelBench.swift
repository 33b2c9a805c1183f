import Foundation
import MailKernelAPI
import MailKernelConformance
import Network
import PluginHost
import TestSupport

/// The plugin as it was built for release, with a folder of its own and the real network.
struct ModelBench {
    static let folder = Checkout.root.appending(path: "Plugins/LocalModels")
    static let isBuilt = FileManager.default.fileExists(
        atPath: folder.appending(path: "libLocalModels.so").path)
    static let isNotBuilt = "the plugin of models is not built; `make plugins` says why"

    /// Two small real models; nil where they cannot be fetched.
    static let models = Task { () -> URL? in
        let fetched = try await Command.run(folder.appending(path: "Tests/Models/fetch"), [])
        return fetched.status == 0 ? Checkout.root.appending(path: ".build/test-models") : nil
    }

    let servers: TestServers
    let place: TemporaryFolder
    let network: Network
    private static let plugin = Result { try OpenedPlugin(at: folder) }

    init(in place: TemporaryFolder? = nil) async throws {
        servers = try await TestServers.shared.value
        self.place = try place ?? TemporaryFolder()
        let ledger = ConnectionLedger(folder: self.place.url.appending(path: "connections")) { Date() }
        network = Network(
            NetworkSettings(version: "1.2.3", moreCertificates: servers.authority), ledger: ledger)
    }

    var access: any PluginNetwork {
        network.access(for: "org.mailkernel.models", hosts: ["localhost"])
    }

    static func make(_ host: HostServices) throws -> Provider { try plugin.get().makeProvider(host: host) }

    func provider(_ entries: JSONValue...) throws -> any AIModelProvider {
        let host = HostServices(
            pluginID: "org.mailkernel.models", log: PluginLog(least: .error) { _, _ in },
            settings: Self.settings(entries), secrets: MemorySecrets(), dataFolder: place.url,
            clock: ManualClock(), network: access)
        guard case .model(let provider) = try Self.make(host) else {
            throw CannotStart(description: "the plugin is of another kind")
        }
        return provider
    }

    static func settings(_ entries: [JSONValue]) -> PluginSettings {
        PluginSettings(["bundled": false, "models": .array(entries)])
    }

    static func entry(
        _ id: String, _ file: URL, abilities: [String] = ["embed", "classify"], sources: [URL]
    ) async throws -> JSONValue {
        let sum = try await Command.run("sha256sum", [file.path]).output.prefix(64)
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
        return [
            "id": .string(id), "name": "A model", "purpose": "For tests.",
            "abilities": .array(abilities.map { .string($0) }),
            "sources": .array(sources.map { .string($0.absoluteString) }), "size": .number(Double(size)),
            "sha256": .string(String(sum)), "license": "MIT", "licenseText": "Do as you like.",
            "memoryNeeded": 100_000_000,
        ]
    }

    /// Something that has the form of a model, and a few million bytes.
    static func smallModel() -> Data {
        func bytes(_ number: some FixedWidthInteger) -> Data {
            withUnsafeBytes(of: number.littleEndian) { Data($0) }
        }
        func text(_ text: String) -> Data { bytes(UInt64(text.utf8.count)) + Data(text.utf8) }
        var file = Data("GGUF".utf8) + bytes(UInt32(3)) + bytes(UInt64(1)) + bytes(UInt64(1))
        file += text("general.architecture") + bytes(UInt32(8)) + text("bert")
        file += text("a") + bytes(UInt32(1)) + bytes(UInt64(32)) + bytes(UInt32(0)) + bytes(UInt64(0))
        file += Data((0..<6_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 9) })
        return file
    }
}
