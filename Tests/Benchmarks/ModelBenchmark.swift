import Foundation
import MailKernelAPI
import MailKernelConformance
import Network
import PluginHost
import TestSupport

/// Downloading a model beside curl and sha256sum, and running small real ones.
enum ModelBenchmark {
    private static let plugin = Checkout.root.appending(path: "Plugins/LocalModels")
    private static let size = 1_000_000_000

    static let parts = ["models.download", "models.first-token", "models."]

    static func run(_ report: inout Report, only: String?) async throws {
        guard FileManager.default.fileExists(atPath: plugin.appending(path: "libLocalModels.so").path) else {
            return report.leaveOut("models.", "the plugin of models is not built")
        }
        let opened = try OpenedPlugin(at: plugin)
        if only?.hasPrefix(parts[1]) != true { try await download(opened, &report) }
        if only?.hasPrefix(parts[0]) == true { return }
        guard SmallModels.areThere else { return report.leaveOut("models.tokens", SmallModels.missing) }
        let models = try await RunningModels(opened)
        if only?.hasPrefix(parts[1]) == true { return try await models.measureFirst(&report) }
        try await models.measure(&report)
    }

    static func provider(
        _ opened: OpenedPlugin, _ place: TemporaryFolder, _ network: any PluginNetwork,
        _ models: [JSONValue] = [], clock: ManualClock = ManualClock()
    ) throws -> any AIModelProvider {
        let host = HostServices(
            pluginID: opened.manifest.id, log: PluginLog(least: .error) { _, _ in },
            settings: PluginSettings(["bundled": false, "models": .array(models)]), secrets: MemorySecrets(),
            dataFolder: place.url, clock: clock, network: network)
        guard case .model(let provider) = try opened.makeProvider(host: host) else {
            throw BenchError(description: "The plugin of models is of another kind.")
        }
        return provider
    }

    // MARK: Downloading

    private static func download(_ opened: OpenedPlugin, _ report: inout Report) async throws {
        let servers = try await TestServers.shared.value
        let nginx = try await Nginx(servers, files: [:])
        let file = nginx.folder.url.appending(path: "www/large.gguf")
        try header().write(to: file)
        let filled = try await Command.run(
            "sh", ["-c", "head -c \(size) /dev/urandom >> '\(file.path)'"])
        guard filled.status == 0 else { throw BenchError(description: filled.errors) }
        let address = "https://localhost:\(nginx.port)/large.gguf"
        let sum = String(try await Command.run("sha256sum", [file.path]).output.prefix(64))
        let bytes = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
        let entry: JSONValue = [
            "id": "large", "name": "Large", "purpose": "Large.", "abilities": ["embed"],
            "sources": [.string(address)], "size": .number(Double(bytes)), "sha256": .string(sum),
            "license": "MIT", "licenseText": "MIT", "memoryNeeded": 1,
        ]
        let place = try TemporaryFolder()
        let ledger = ConnectionLedger(folder: place.url.appending(path: "connections")) { Date() }
        let network = Network(
            NetworkSettings(version: "1", moreCertificates: servers.authority), ledger: ledger)
        let models = try provider(
            opened, place, network.access(for: opened.manifest.id, hosts: ["localhost"]), [entry])

        let copy = place.url.appending(path: "copy").path
        var (ours, curls, sums): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<3 {
            ours.append(
                try await seconds { try await models.download(Id("large")) { _ in } })
            try await models.delete(Id("large"))
            curls.append(
                try await seconds {
                    let options = ["-sS", "--cacert", servers.authority.path, "-o", copy, address]
                    let done = try await Command.run("curl", options)
                    guard done.status == 0 else { throw BenchError(description: done.errors) }
                })
            sums.append(try await seconds { _ = try await Command.run("sha256sum", [copy]) })
            try FileManager.default.removeItem(atPath: copy)
        }
        let (own, curl, sum2) = (ours.sorted()[1], curls.sorted()[1], sums.sorted()[1])
        report.add(
            Figure(
                "models.download", "download and verify 1 GB over TLS on loopback", own, "s",
                against: "curl, then sha256sum (\(rounded(curl)) + \(rounded(sum2)) s)", curl + sum2,
                goal: 0.5))
        report.add(
            Figure(
                "models.download-alone", "the same", own, "s", against: "curl alone, which verifies nothing",
                curl, goal: 1.4))
    }

    /// The beginning of a model file, so that what follows is taken for one.
    private static func header() -> Data {
        func bytes(_ number: some FixedWidthInteger) -> Data {
            withUnsafeBytes(of: number.littleEndian) { Data($0) }
        }
        func text(_ text: String) -> Data { bytes(UInt64(text.utf8.count)) + Data(text.utf8) }
        return Data("GGUF".utf8) + bytes(UInt32(3)) + bytes(UInt64(1)) + bytes(UInt64(1))
            + text("general.architecture") + bytes(UInt32(8)) + text("bert") + text("a") + bytes(UInt32(1))
            + bytes(UInt64(32)) + bytes(UInt32(0)) + bytes(UInt64(0))
    }

    private static func seconds(_ body: () async throws -> Void) async throws -> Double {
        let began = ContinuousClock.now
        try await body()
        return began.duration(to: .now) / .seconds(1)
    }

    private static func rounded(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}

/// The real models that `make bench` fetches: one that writes and one that makes vectors.
enum SmallModels {
    static let missing = "the small models are missing; make bench fetches them"
    static let writer = folder.appending(path: "writer.gguf")
    static let reader = folder.appending(path: "reader.gguf")
    private static let folder = Checkout.root.appending(path: ".build/test-models")

    static var areThere: Bool {
        [writer, reader].allSatisfy { FileManager.default.fileExists(atPath: $0.path) }
    }
}
