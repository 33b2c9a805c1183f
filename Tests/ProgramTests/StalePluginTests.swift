import Foundation
import MailKernelAPI
import TestSupport
import Testing

/// Loaded all the same, the first of these would crash and the second would read wrong values.
@Suite("A plugin built against another state of the API is refused", .serialized) struct StalePluginTests {
    struct Change: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let file: String
        let before: String
        let after: String
    }

    static let changes = [
        Change(
            testDescription: "one more requirement of a protocol",
            file: "Notifications/NotificationSink.swift",
            before: "    func permission() async -> NotificationPermission\n",
            after: """
                    func permission() async -> NotificationPermission
                    func tomorrow() async -> Int

                """),
        Change(
            testDescription: "one more field of a struct",
            file: "Notifications/NotificationSink.swift",
            before: "    public var group: String?\n",
            after: "    public var urgency: Int = 0\n    public var group: String?\n"),
    ]

    @Test(arguments: changes) func itIsRefusedWithBothStates(_ change: Change) async throws {
        let place = try TemporaryFolder()
        let api = try copyAPI(into: place, with: change)
        let plugin = try await buildPlugin(in: place, against: api)
        let installed = try Installed(plugins: [plugin, Checkout.mockPlugins])

        let listing = try await installed.run("plugins")
        #expect(listing.status == 0)
        #expect(listing.output.contains("org.example.stale: refused"))
        #expect(listing.output.contains("was built against a different build of the plugin API"))
        #expect(listing.output.contains("this program has \(APIVersion.fingerprint)"))
        #expect(listing.output.contains("Rebuild the plugin with this program's API"))

        let kernel = try installed.start()
        #expect(await kernel.line(containing: "with 4 plugins"))
        kernel.signal(SIGTERM)
        #expect(await kernel.result().status == 0)
    }

    /// The digest leaves comments out, so better documentation makes no plugin stale.
    @Test func anotherCommentChangesNothing() async throws {
        let place = try TemporaryFolder()
        let change = Change(
            testDescription: "", file: "Notifications/NotificationSink.swift",
            before: "    public var group: String?\n",
            after: "    /// More words.\n    public var group: String?\n")
        let api = try copyAPI(into: place, with: change)
        let plugin = try await buildPlugin(in: place, against: api)
        let listing = try await Installed(plugins: [plugin]).run("plugins")
        #expect(listing.output.contains("org.example.stale: loaded"))
    }

    private func copyAPI(into place: TemporaryFolder, with change: Change) throws -> URL {
        let copy = place.url.appending(path: "MailKernelAPI")
        try FileManager.default.copyItem(
            at: Checkout.root.appending(path: "Sources/MailKernelAPI"), to: copy)
        let file = copy.appending(path: "API/\(change.file)")
        let text = try String(contentsOf: file, encoding: .utf8)
        var changed = text.replacing(change.before, with: change.after)
        if change.after.contains("tomorrow") {
            changed += "extension NotificationSink {\n    public func tomorrow() async -> Int { 1 }\n}\n"
        }
        try #require(changed != text)
        try Data(changed.utf8).write(to: file)
        return copy
    }

    private func buildPlugin(in place: TemporaryFolder, against api: URL) async throws -> URL {
        let made = try await Command.run(
            Checkout.program,
            ["plugins", "new", "--name", "Stale", "--kind", "notification", "--into", place.url.path])
        try #require(made.status == 0, "\(made.errors)")
        let plugin = place.url.appending(path: "Stale")
        let manifest = """
            // swift-tools-version: 6.3
            import PackageDescription
            let package = Package(
                name: "Stale",
                products: [.library(name: "Stale", type: .dynamic, targets: ["Stale"])],
                dependencies: [.package(path: "\(api.path)")],
                targets: [
                    .target(name: "Stale", dependencies: [.product(name: "MailKernelAPI", package: "MailKernelAPI")])
                ]
            )
            """
        try Data(manifest.utf8).write(to: plugin.appending(path: "Package.swift"))
        let built = try await Command.run(
            "swift", ["build", "--disable-index-store", "--package-path", plugin.path])
        try #require(built.status == 0, "\(built.output)\(built.errors)")
        try FileManager.default.copyItem(
            at: plugin.appending(path: ".build/debug/libStale.so"), to: plugin.appending(path: "libStale.so"))
        return plugin
    }
}
