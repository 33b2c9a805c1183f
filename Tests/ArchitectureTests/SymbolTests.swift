import Foundation
import TestSupport
import Testing

@Suite("A plugin library shows one symbol of ours") struct SymbolTests {
    /// What a linker adds to every library.
    private static let linkers: Set<Substring> = ["__bss_start", "_edata", "_end", "_init", "_fini"]

    @Test func everyBundledPluginExportsItsEntryPointAlone() async throws {
        let plugins = Checkout.root.appending(path: "Plugins")
        var seen = 0
        for plugin in try FileManager.default.contentsOfDirectory(atPath: plugins.path) {
            let folder = plugins.appending(path: plugin)
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            for name in names where name.hasSuffix(".so") {
                #expect(try await symbols(folder.appending(path: name)) == ["mailkernel_plugin"])
                seen += 1
            }
        }
        #expect(seen > 0, "no plugin has been built")
    }

    private func symbols(_ library: URL) async throws -> Set<Substring> {
        let listing = try await Command.run("nm", ["-D", "--defined-only", "--extern-only", library.path])
        try #require(listing.status == 0)
        let names = listing.output.split(separator: "\n").compactMap { $0.split(separator: " ").last }
        return Set(names).subtracting(Self.linkers)
    }
}
