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

    /// The language mode of a plugin says nothing about the compiler that built it.
    @Test func inTheLanguageModeOfSwift5() async throws {
        let place = try TemporaryFolder()
        let made = try await Command.run(
            Checkout.program,
            ["plugins", "new", "--name", "Former", "--kind", "notification", "--into", place.url.path])
        try #require(made.status == 0, "\(made.errors)")
        let plugin = place.url.appending(path: "Former")
        let package = plugin.appending(path: "Package.swift")
        let text = try String(contentsOf: package, encoding: .utf8)
        let lastParenthesis = try #require(text.lastIndex(of: ")"))
        try
            (text[..<lastParenthesis].trimmingCharacters(in: .newlines)
            + ",\n    swiftLanguageModes: [.v5]\n)\n")
            .write(to: package, atomically: true, encoding: .utf8)

        let scratch = Checkout.packageScratch
        let built = try await Command.run(
            "swift",
            [
                "build", "--product", "Former", "--package-path", plugin.path, "--scratch-path", scratch.path,
            ])
        try #require(built.status == 0, "\(built.output)\(built.errors)")
        try FileManager.default.copyItem(
            at: scratch.appending(path: "debug/libFormer.so"), to: plugin.appending(path: "libFormer.so"))
        let listing = try await Installed(plugins: [plugin]).run("plugins")
        #expect(listing.output.hasPrefix("org.example.former: loaded"))
    }

    /// The commands that “plugins new” prints make a plugin that the next start loads beside the program's own.
    @Test func thePrintedCommandsAddIt() async throws {
        let installed = try Installed(plugins: [])
        let made = try await Command.run(
            Checkout.program,
            [
                "plugins", "new", "--name", "Printed", "--kind", "notification", "--into",
                installed.place.url.path,
            ],
            environment: ["XDG_DATA_HOME": installed.place.url.path])
        let plugin = installed.place.url.appending(path: "Printed")
        let commands = made.output.split(separator: "\n").filter { $0.hasPrefix("    ") }
            .map { $0.drop { $0 == " " } }
        let install = commands.filter { $0.hasPrefix("install ") }
        #expect(install.count == 2, "\(made.output)")
        #expect(commands.contains { $0.contains("swift build -c release --product Printed") })
        // Building is the other tests' matter: these commands only place what was built.
        let built = plugin.appending(path: ".build/release/libPrinted.so")
        try FileManager.default.createDirectory(
            at: built.deletingLastPathComponent(), withIntermediateDirectories: true)
        try await CLibrary.build(CLibrary.plugin(), to: built)
        let placed = try await Command.run(
            "sh", ["-ec", install.joined(separator: "\n")], in: plugin)
        #expect(placed.status == 0, "\(placed.errors)")
        let listing = try await installed.run("plugins")
        #expect(listing.output.contains("org.example.printed: "), "\(listing.output)")
        #expect(listing.output.contains(installed.addedPlugins.path + "/Printed"))
    }

    @Test func aFolderThatIsThereIsLeftAlone() async throws {
        let place = try TemporaryFolder()
        try place.write("mine", to: "Weather/notes.txt")
        let result = try await Command.run(
            Checkout.program,
            ["plugins", "new", "--name", "Weather", "--kind", "account", "--into", place.url.path])
        #expect(result.status == 1)
        #expect(result.errors.contains("already exists"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: place.url.path + "/Weather") == ["notes.txt"])
    }
}
