import Foundation
import TestSupport
import Testing

/// The plugin of a page, made as the page says and changed as the page shows.
struct PluginExample {
    private let name: String
    private let place: TemporaryFolder
    private let folder: URL

    /// Begins the plugin with the program.
    init(name: String, kind: String) async throws {
        self.name = name
        place = try TemporaryFolder()
        folder = place.url.appending(path: name)
        let made = try await Command.run(
            Checkout.program, ["plugins", "new", "--name", name, "--kind", kind, "--into", place.url.path])
        try #require(made.status == 0, "\(made.errors)")
    }

    /// A file of the package. Paths to the API are as in a plugin of this checkout.
    func text(of path: String) throws -> String {
        try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            .replacing("\"\(Self.sources)/", with: "\"../../Sources/")
    }

    func replace(_ path: String, with text: String) throws {
        let file = folder.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.replacing("\"../../Sources/", with: "\"\(Self.sources)/").utf8).write(to: file)
    }

    /// Builds it where all plugins of this checkout are built, and runs its tests.
    func buildAndTest() async throws {
        let scratch = Checkout.packageScratch
        let built = try await Command.run(
            "swift",
            ["build", "--build-tests", "--package-path", folder.path, "--scratch-path", scratch.path])
        try #require(built.status == 0, "\(name) does not build:\n\(built.output)\n\(built.errors)")
        let tested = try await Command.run(
            scratch.appending(path: "debug/\(name)PackageTests.xctest"),
            ["--testing-library", "swift-testing"], in: folder)
        #expect(tested.status == 0, "the tests of \(name) fail:\n\(tested.output)\n\(tested.errors)")
    }

    private static let sources = Checkout.root.appending(path: "Sources").resolvingSymlinksInPath().path
}

/// Swift that is checked and not run.
enum Snippets {
    /// Compiles a file against the API as plugins are, without making anything of it.
    static func check(_ source: String) async throws -> CommandResult {
        let place = try TemporaryFolder()
        let file = try place.write(source, to: "Snippets.swift")
        let built = Checkout.packageScratch.appending(path: "debug")
        return try await Command.run(
            "swiftc",
            [
                "-typecheck", "-parse-as-library", "-swift-version", "6", "-warnings-as-errors",
                "-I", built.appending(path: "Modules").path,
                "-Xcc", "-fmodule-map-file=\(built.path)/CMailKernelPlugin.build/module.modulemap",
                file.path,
            ])
    }
}
