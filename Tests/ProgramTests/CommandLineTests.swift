import Foundation
import TestSupport
import Testing

@Suite("The command line") struct CommandLineTests {
    @Test(arguments: ["--help", "-h", "help"])
    func helpNamesTheCommands(_ word: String) async throws {
        let result = try await Command.run(Checkout.program, [word])
        #expect(result.status == 0)
        for command in ["serve", "plugins", "doctor", "--safe-mode"] {
            #expect(result.output.contains(command))
        }
    }

    @Test func versionIsOneLine() async throws {
        let result = try await Command.run(Checkout.program, ["--version"])
        #expect(result.output.hasPrefix("mailkernel ") && result.status == 0)
    }

    /// What cannot be understood gets one line on standard error and exit code 64.
    @Test(arguments: [
        ["--color"], ["serve", "--plugins"], ["frobnicate"], ["storage"], ["--port", "seventy"],
        ["--port", "65536"],
        ["--log-level", "loud"], ["plugins", "frob"], ["plugins", "--json", "extra"], ["doctor", "extra"],
        ["plugins", "test"], ["plugins", "new"], ["plugins", "new", "--name", "lower", "--kind", "storage"],
        ["plugins", "new", "--name", "Weather", "--kind", "calendar"], ["--storage="],
        ["--safe-mode=false"], ["plugins", "--disable", "a", "--enable", "b"],
        ["--setting", "clientId=x"], ["--setting", "org.mailkernel.gmail.clientId"], ["storage", "tidy"],
    ])
    func whatIsNotUnderstood(_ arguments: [String]) async throws {
        let place = try TemporaryFolder()
        let result = try await Command.run(Checkout.program, arguments, environment: ["HOME": place.url.path])
        #expect(result.status == 64)
        #expect(result.errors.hasPrefix("mailkernel: ") && result.errors.split(separator: "\n").count == 1)
        #expect(result.output.isEmpty)
    }

    @Test func aMissingFolderOfPlugins() async throws {
        let installed = try Installed(plugins: [URL(filePath: "/nowhere/plugins")])
        let result = try await installed.run()
        #expect(result.status == 1)
        #expect(
            result.errors
                == "mailkernel: The plugin folder /nowhere/plugins cannot be read: it does not exist.\n")
    }

    @Test func aDataFolderThatCannotBeMade() async throws {
        let place = try TemporaryFolder()
        let file = try place.write("", to: "file")
        let result = try await Command.run(Checkout.program, ["--data", file.path + "/data"])
        #expect(result.status == 1)
        #expect(result.errors.split(separator: "\n").count == 1)
        #expect(result.errors.contains("\(file.path)/data cannot be made."))
    }

    @Test(arguments: ["plugins.json", "plugins/org.mailkernel.mock.storage.json"])
    func aConfigurationFileThatIsBroken(_ name: String) async throws {
        let installed = try Installed()
        try installed.place.write("{ not json", to: "configuration/\(name)")
        let result = try await installed.run()
        #expect(result.status == 1)
        #expect(result.errors.contains("configuration/\(name)"))
    }

    @Test func settingsOfAPluginThatAreAFolder() async throws {
        let installed = try Installed()
        _ = try installed.place.folder("configuration/plugins/org.mailkernel.mock.storage.json")
        let result = try await installed.run()
        #expect(result.status == 1)
        #expect(result.errors.contains("cannot be read"))
    }
}
