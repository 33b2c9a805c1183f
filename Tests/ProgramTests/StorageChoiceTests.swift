import Foundation
import TestSupport
import Testing

@Suite("Exactly one storage plugin is used") struct StorageChoiceTests {
    @Test func withoutOneItSaysSo() async throws {
        let place = try TemporaryFolder()
        let result = try await Installed(plugins: [try place.folder("empty")]).run()
        #expect(result.status == 1)
        #expect(result.errors.contains("There is no storage plugin"))
    }

    @Test func oneThatCouldNotBeLoadedIsNamed() async throws {
        let installed = try Installed()
        try installed.setSettings("{\"factory\": \"throw\"}", of: "org.mailkernel.mock.storage")
        let result = try await installed.run()
        #expect(result.status == 1)
        #expect(
            result.errors.contains("No storage plugin could be loaded (found: org.mailkernel.mock.storage)"))
    }

    @Test func ofSeveralTheUserChooses() async throws {
        let other = try TemporaryFolder()
        try copyMock("Storage", into: other, id: "org.example.second")
        let installed = try Installed(plugins: [Checkout.mockPlugins, other.url])
        let undecided = try await installed.run()
        #expect(undecided.status == 1)
        #expect(undecided.errors.contains("org.mailkernel.mock.storage, org.example.second"))
        #expect(undecided.errors.contains("--storage"))

        let unknown = try await installed.run("serve", "--storage", "org.example.third")
        #expect(unknown.status == 1)
        #expect(unknown.errors.contains("There is no storage plugin “org.example.third”"))

        let kernel = try installed.start("--storage", "org.example.second")
        #expect(await kernel.line(containing: "is ready"))
        kernel.signal(SIGTERM)
        #expect(await kernel.result().status == 0)
    }

    @Test func theDefaultIsUsedAndOthersAreNotLoaded() async throws {
        let stores = try Self.twoStores()
        let installed = try Installed(plugins: [stores.url])
        try installed.setSettings("{\"factory\": \"throw\"}", of: "org.example.second")
        let listed = try await installed.run("plugins").output
        #expect(listed.contains("org.example.first: loaded"))
        #expect(listed.contains("org.example.second: available"))
        let kernel = try installed.start()
        #expect(await kernel.line(containing: "is ready"))
        kernel.signal(SIGTERM)
        let result = await kernel.result()
        #expect(result.status == 0)
        #expect(!result.errors.contains("org.example.second"))
    }

    @Test func theSettingsChooseForEveryCommand() async throws {
        let stores = try Self.twoStores()
        let installed = try Installed(plugins: [stores.url])
        try installed.place.write(
            "{\"storage\": \"org.example.second\"}", to: "configuration/plugins.json")
        _ = try await installed.run("plugins", "--disable", "org.example.third")
        let listed = try await installed.run("plugins").output
        #expect(listed.contains("org.example.first: available"))
        #expect(listed.contains("org.example.second: loaded"))
        let once = try await installed.run("plugins", "--storage", "org.example.first").output
        #expect(once.contains("org.example.first: loaded"))
    }

    @Test func aDefaultThatCannotBeLoadedIsNotReplaced() async throws {
        let stores = try Self.twoStores()
        let installed = try Installed(plugins: [stores.url])
        try installed.setSettings("{\"factory\": \"throw\"}", of: "org.example.first")
        let result = try await installed.run()
        #expect(result.status == 1)
        #expect(result.errors.contains("No storage plugin could be loaded (found: org.example.first)"))
    }

    @Test func oneThatIsTurnedOffIsNotADefault() async throws {
        let stores = try Self.twoStores()
        let installed = try Installed(plugins: [stores.url])
        _ = try await installed.run("plugins", "--disable", "org.example.first")
        #expect(try await installed.run("plugins").output.contains("org.example.second: loaded"))
    }

    @Test func aStoreThatDoesNotOpenIsExplained() async throws {
        let installed = try Installed()
        try installed.setSettings(
            "{\"calls\": {\"open\": {\"failEvery\": 1, \"error\": \"full\"}}}",
            of: "org.mailkernel.mock.storage")
        let result = try await installed.run()
        #expect(result.status == 1)
        #expect(result.errors.contains("The disk is full."))
    }

    /// A folder with two storage plugins. The first one is a default.
    private static func twoStores() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try copyMock("Storage", into: folder, id: "org.example.first", isDefault: true)
        try copyMock("Storage", into: folder, id: "org.example.second")
        return folder
    }
}

/// Copies a mock plugin under another id.
func copyMock(
    _ name: String, into place: TemporaryFolder, id: String, isDefault: Bool = false
) throws {
    let source = Checkout.mockPlugins.appending(path: name)
    var manifest = try #require(
        try JSONSerialization.jsonObject(with: Data(contentsOf: source.appending(path: "plugin.json")))
            as? [String: Any])
    let library = try #require(manifest["library"] as? String)
    manifest["id"] = id
    manifest["default"] = isDefault
    let folder = try place.folder(id)
    try JSONSerialization.data(withJSONObject: manifest).write(to: folder.appending(path: "plugin.json"))
    try FileManager.default.copyItem(
        at: source.appending(path: library), to: folder.appending(path: library))
}
