import Foundation
import TestSupport
import Testing

@Suite("mailkernel plugins and doctor") struct ListingTests {
    private struct Listing: Decodable {
        let id: String
        let kind: String?
        let name: String?
        let version: String?
        let license: String?
        let hosts: [String]
        let state: String
        let reason: String
    }

    @Test func everyPluginIsListedWithWhatItIs() async throws {
        let listings = try await list(Installed())
        #expect(Set(listings.compactMap(\.kind)) == ["storage", "account", "model", "notification"])
        for listing in listings {
            #expect(listing.state == "loaded" && listing.reason.isEmpty)
            #expect(listing.license == "Apache-2.0" && listing.version == "1.0.0" && listing.name != nil)
        }
    }

    @Test func addedPluginsAreLoadedBesideTheProgramsOwn() async throws {
        let installed = try Installed(plugins: [])
        let own = try await list(installed)
        let plugins = PluginFolder(installed.addedPlugins)
        try await plugins.add("storm", c: CLibrary.plugin())
        let both = try await list(installed)
        #expect(both.count == own.count + 1)
        #expect(both.last?.id == "org.example.storm" && both.dropLast().map(\.id) == own.map(\.id))

        let safe = try JSONDecoder().decode(
            [Listing].self,
            from: Data(try await installed.run("plugins", "--json", "--safe-mode").output.utf8))
        #expect(safe.last?.state == "skipped in safe mode")
        // A folder that is named is used instead of all others.
        let mocks = try Installed()
        try await PluginFolder(mocks.addedPlugins).add("storm", c: CLibrary.plugin())
        #expect(try await list(mocks).allSatisfy { $0.id.hasPrefix("org.mailkernel.mock.") })
    }

    @Test func aRefusedOneIsListedWithTheReasonAndTheRest() async throws {
        let place = try TemporaryFolder()
        try PluginFolder(place.url).add(
            "broken", manifest: PluginFolder.manifest(id: "x", ["kind": "calendar"]))
        let listings = try await list(Installed(plugins: [place.url, Checkout.mockPlugins]))
        #expect(listings.count == 5)
        #expect(listings.first?.state == "refused")
        #expect(listings.first?.reason.contains("“calendar”") == true)
        #expect(listings.dropFirst().allSatisfy { $0.state == "loaded" })
    }

    @Test func theTextSaysWhomAPluginMayContact() async throws {
        let place = try TemporaryFolder()
        try PluginFolder(place.url).add(
            "mail", manifest: PluginFolder.manifest(id: "org.example.mail", ["hosts": ["imap.example.org"]]))
        let result = try await Installed(plugins: [place.url]).run("plugins")
        #expect(result.output.contains("May contact: imap.example.org"))
        #expect(try await Installed().run("plugins").output.contains("May contact: no servers"))
    }

    @Test func aPluginCanBeTurnedOffAndOn() async throws {
        let installed = try Installed()
        _ = try await installed.run("plugins", "--disable", "org.mailkernel.mock.storage")
        #expect(
            try await list(installed).first { $0.id == "org.mailkernel.mock.storage" }?.state == "disabled")
        #expect(try await installed.run().errors.contains("No storage plugin could be loaded"))
        _ = try await installed.run("plugins", "--enable", "org.mailkernel.mock.storage")
        #expect(try await list(installed).allSatisfy { $0.state == "loaded" })
    }

    @Test func aThrowingFactoryIsRefusedInItsOwnWords() async throws {
        let installed = try Installed()
        try installed.setSettings("{\"factory\": \"throw\"}", of: "org.mailkernel.mock.account")
        let listing = try #require(try await list(installed).first { $0.id == "org.mailkernel.mock.account" })
        #expect(listing.state == "refused" && listing.reason.contains("could not start"))
    }

    /// In place of what the file says, and for this start only.
    @Test func aSettingOfTheCommandLine() async throws {
        let installed = try Installed()
        let plugin = "org.mailkernel.mock.account"
        try installed.setSettings("{\"factory\": \"throw\", \"factorySeconds\": 0.1}", of: plugin)
        let result = try await installed.run(
            "plugins", "--json", "--setting", "\(plugin).factory=none", "--setting=\(plugin).factorySeconds=0"
        )
        #expect(try listed(result).first { $0.id == plugin }?.state == "loaded")
        #expect(try await list(installed).first { $0.id == plugin }?.state == "refused")
    }

    @Test func doctorFindsNothingWrongWithASoundInstallation() async throws {
        let result = try await Installed().run("doctor")
        #expect(result.status == 0)
        #expect(result.output.contains("No problems found."))
        #expect(result.output.contains("one copy of the plugin API"))
    }

    @Test func doctorSaysWhatToDo() async throws {
        let place = try TemporaryFolder()
        try PluginFolder(place.url).add("empty")
        let installed = try Installed(plugins: [place.url])
        _ = try installed.place.folder("data")
        let result = try await installed.run("doctor")
        #expect(result.status == 1)
        #expect(result.output.contains("Run “chmod go-rwx \(installed.data.path)”"))
        #expect(result.output.contains("Build or reinstall the plugin."))
        #expect(result.output.contains("There is no storage plugin"))
    }

    private func list(_ installed: Installed) async throws -> [Listing] {
        try listed(try await installed.run("plugins", "--json"))
    }

    private func listed(_ result: CommandResult) throws -> [Listing] {
        #expect(result.status == 0 && result.errors.isEmpty)
        return try JSONDecoder().decode([Listing].self, from: Data(result.output.utf8))
    }
}
