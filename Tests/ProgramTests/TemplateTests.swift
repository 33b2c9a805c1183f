import Foundation
import MailKernelAPI
import TestSupport
import Testing

@Suite("A new plugin builds, passes its tests, loads and is listed", .serialized) struct TemplateTests {
    @Test(arguments: PluginKind.allCases) func ofEachKind(_ kind: PluginKind) async throws {
        let place = try TemporaryFolder()
        let name = "Fresh\(kind.rawValue.capitalized)"
        let made = try await Command.run(
            Checkout.program,
            ["plugins", "new", "--name", name, "--kind", kind.rawValue, "--into", place.url.path])
        try #require(made.status == 0, "\(made.errors)")
        let plugin = place.url.appending(path: name)

        // A plugin's author has no shared folder to build in, but these tests have not all day.
        let scratch = Checkout.packageScratch
        let built = try await Command.run(
            "swift",
            ["build", "--build-tests", "--package-path", plugin.path, "--scratch-path", scratch.path])
        try #require(built.status == 0, "\(built.output)\(built.errors)")
        #expect(!built.output.contains("warning:"))
        let tested = try await Command.run(
            scratch.appending(path: "debug/\(name)PackageTests.xctest"),
            ["--testing-library", "swift-testing"])
        #expect(tested.status == 0, "\(tested.output)\(tested.errors)")
        #expect((tested.output + tested.errors).contains("2 tests"))

        try FileManager.default.copyItem(
            at: scratch.appending(path: "debug/lib\(name).so"), to: plugin.appending(path: "lib\(name).so"))
        let listing = try await Installed(plugins: [plugin]).run("plugins")
        #expect(listing.output.hasPrefix("org.example.\(name.lowercased()): loaded"))

        let config = Checkout.root.appending(path: ".swift-format").path
        let lint = try await Command.run(
            "swift", ["format", "lint", "--strict", "--configuration", config, "-r", plugin.path])
        #expect(lint.status == 0, "\(lint.errors)")
    }

    @Test func aFolderThatIsThereIsLeftAlone() async throws {
        let place = try TemporaryFolder()
        try place.write("mine", to: "Weather/notes.txt")
        let result = try await Command.run(
            Checkout.program,
            ["plugins", "new", "--name", "Weather", "--kind", "account", "--into", place.url.path])
        #expect(result.status == 1)
        #expect(result.errors.contains("is there already"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: place.url.path + "/Weather") == ["notes.txt"])
    }
}
