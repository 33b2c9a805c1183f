import FoundationEssentials
import Glibc
import MailKernelAPI
import TestSupport

/// Plugins to load: `BenchSink` compiled under many module names, as plugins of many authors would be.
struct BenchPlugins {
    static let all = 50
    private let folder = Checkout.root.appending(path: ".build/bench-plugins")
    private let modules = Checkout.root.appending(path: ".build/release")

    /// Compiles what is not there yet for this state of the API.
    func prepare() async throws {
        let state = folder.appending(path: "api")
        if (try? String(contentsOf: state, encoding: .utf8)) == APIVersion.fingerprint { return }
        print("Compiling \(Self.all) plugins to load; this is done once.")
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        try await withThrowingTaskGroup { group in
            for half in 0..<2 {
                group.addTask {
                    for number in stride(from: half, to: Self.all, by: 2) { try await compile(number) }
                }
            }
            try await group.waitForAll()
        }
        try Data(APIVersion.fingerprint.utf8).write(to: state)
    }

    /// A folder with the first `count` of them.
    func folder(with count: Int) throws -> URL {
        let place = folder.appending(path: "first-\(count)")
        try? FileManager.default.removeItem(at: place)
        try FileManager.default.createDirectory(
            at: place, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        for number in 0..<count {
            try FileManager.default.createSymbolicLink(
                at: place.appending(path: name(number)), withDestinationURL: plugin(number))
        }
        return place
    }

    func plugin(_ number: Int) -> URL { folder.appending(path: "all/\(name(number))") }

    private func name(_ number: Int) -> String { "Bench\(number)" }

    private func compile(_ number: Int) async throws {
        let plugin = plugin(number)
        let module = name(number)
        try FileManager.default.createDirectory(
            at: plugin, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        let entry = """
            import MailKernelAPI
            struct Plugin: MailKernelPlugin {
                static func makeProvider(host: HostServices) -> Provider { .notification(BenchSink()) }
            }
            @c(mailkernel_plugin)
            public func answer(_ question: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? { Plugin.answer(question) }
            """
        let manifest = """
            {"id": "org.mailkernel.bench\(number)", "name": "\(module)", "version": "1.0.0", "api": "\(APIVersion.current)",
             "kind": "notification", "library": "lib\(module).so", "license": "Apache-2.0", "author": "A benchmark"}
            """
        let source = plugin.appending(path: "Entry.swift")
        try Data(entry.utf8).write(to: source)
        try Data(manifest.utf8).write(to: plugin.appending(path: "plugin.json"))
        let sink = Checkout.root.appending(path: "Tests/Benchmarks/BenchSink.swift").path
        let built = try await Command.run(
            "swiftc",
            [
                "-emit-library", "-O", "-swift-version", "6", "-parse-as-library", "-module-name", module,
                "-I", modules.appending(path: "Modules").path,
                "-Xcc", "-fmodule-map-file=\(modules.path)/CMailKernelPlugin.build/module.modulemap",
                "-Xcc", "-I\(Checkout.root.path)/Sources/MailKernelAPI/CMailKernelPlugin/include",
                "-L", modules.path, "-lMailKernelAPI", "-o", plugin.appending(path: "lib\(module).so").path,
                source.path, sink,
            ])
        guard built.status == 0 else { throw BenchError(description: built.errors) }
    }
}

struct BenchError: Error, CustomStringConvertible {
    let description: String
}
