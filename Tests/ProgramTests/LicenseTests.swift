import Foundation
import TestSupport
import Testing

@Suite("FR-SET-05: every included component is listed with its license", .serialized) struct LicenseTests {
    private struct Entry {
        let name: String
        let license: String
        let text: String
    }

    private let place: TemporaryFolder
    private let binaries: [URL]
    private let entries: [Entry]

    init() async throws {
        place = try TemporaryFolder()
        binaries = try Self.binaries()
        let list = place.url.appending(path: "about")
        let made = try await Command.run(
            Checkout.root.appending(path: "Tests/Tools/about"), [list.path, ""] + binaries.map(\.path))
        try #require(made.status == 0, "\(made.errors)")
        #expect(made.errors.isEmpty)
        entries = try String(contentsOf: list.appending(path: "list"), encoding: .utf8)
            .split(separator: "\n").map { line in
                let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
                try #require(fields.count == 4)
                let text = try String(contentsOf: list.appending(path: "texts/" + fields[3]), encoding: .utf8)
                return Entry(name: fields[0], license: fields[2], text: text)
            }
    }

    /// The program, its libraries, and the libraries and programs of all plugins that were built.
    private static func binaries() throws -> [URL] {
        let debug = Checkout.root.appending(path: ".build/debug")
        let libraries = try FileManager.default.contentsOfDirectory(atPath: debug.path)
            .filter { $0.hasPrefix("libMailKernel") && $0.hasSuffix(".so") }.map { debug.appending(path: $0) }
        let plugins = Checkout.root.appending(path: "Plugins")
        let built = try FileManager.default.contentsOfDirectory(atPath: plugins.path).flatMap { plugin in
            let folder = plugins.appending(path: plugin)
            let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            return files.filter {
                $0.hasPrefix("lib") && $0.hasSuffix(".so") || $0.hasPrefix("mailkernel-")
            }.map { folder.appending(path: $0) }
        }
        return [Checkout.program] + libraries + built
    }

    @Test func everyEntryHasALicenseNameAndItsText() {
        #expect(entries.filter(\.license.isEmpty).map(\.name) == [])
        #expect(entries.filter { $0.text.count < 100 }.map(\.name) == [])
        #expect(Set(entries.map(\.name)).count == entries.count)
    }

    @Test func everyLinkedLibraryOfTheSystemIsListed() async throws {
        let names = Set(entries.map(\.name))
        var files: Set<String> = []
        for binary in binaries {
            let linked = try await Command.run("ldd", [binary.path])
            files.formUnion(linked.output.split(separator: "\n").compactMap { Self.library(in: $0) })
        }
        let paths = files.filter { !$0.contains("/swift/linux/") && !$0.contains("libMailKernel") }
            .map { URL(filePath: $0).resolvingSymlinksInPath().path }.sorted()
        try #require(paths.count > 10)
        // Where /lib is /usr/lib, a package may know its file by either name.
        let owners = try await Command.run(
            "dpkg-query", ["-S"] + paths.map { "*" + $0.replacing(/^\/usr/, with: "") })
        for path in paths {
            let line = owners.output.split(separator: "\n").first {
                $0.hasSuffix(path.replacing(/^\/usr/, with: ""))
            }
            let package = try #require(line?.split(separator: ":").first.map(String.init), "\(path)")
            #expect(names.contains(package), "\(path) is of \(package)")
        }
    }

    @Test func whatIsLinkedIntoProgramsOrBundledIntoThePageIsListed() throws {
        let names = Set(entries.map(\.name))
        #expect(names.isSuperset(of: ["mailkernel", "swift", "publicsuffix", "prosemirror"]))
        #expect(names.isSuperset(of: try Self.bundled().map { "node-" + $0 }))
        let inference = binaries.filter { $0.lastPathComponent.hasPrefix("mailkernel-inference") }
        guard !inference.isEmpty else {
            try Test.cancel("The engine of the local models could not be built here.")
        }
        #expect(names.isSuperset(of: ["llama.cpp", "ggml"]))
    }

    /// The modules that the page was bundled from, besides its own.
    private static func bundled() throws -> Set<String> {
        let inputs = Checkout.root.appending(path: ".build/page-inputs.json")
        let text = try String(contentsOf: inputs, encoding: .utf8)
        let modules = text.matches(of: /(?:nodejs|node_modules)\/(@?[a-z-]+)\//).map { String($0.1) }
        try #require(modules.contains("react"))
        return Set(modules)
    }

    private static func library(in line: Substring) -> String? {
        line.split(separator: " ").first { $0.hasPrefix("/") }.map(String.init)
    }
}
