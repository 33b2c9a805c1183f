import Foundation
import MailKernelConformance
import TestSupport
import Testing

/// The same promises that providers are held to when they are linked, on really loaded libraries.
@Suite("mailkernel plugins test") struct PluginTestTests {
    @Test(arguments: ["Storage", "Account", "Models", "Notifications"])
    func theMocksKeepEveryPromise(_ mock: String) async throws {
        let place = try TemporaryFolder()
        let answers = try place.write(
            "{\"address\": \"ada@example.org\", \"password\": \"lovelace\"}", to: "answers.json")
        let result = try await test(mock, "--answers", answers.path)
        #expect(result.status == 0, "\(result.output)")
        let tally = try #require(result.output.split(separator: "\n").last)
        let kept = try #require(tally.split(separator: " ").first.flatMap { Int($0) })
        #expect(kept > 10 && tally.contains(" 0 broken"))
    }

    /// The plugin that `make` builds, as a start loads it.
    @Test func mailOnThisDeviceKeepsEveryPromise() async throws {
        let place = try TemporaryFolder()
        let answers = try place.write("{\"name\": \"Ada Lovelace\"}", to: "answers.json")
        let folder = Checkout.root.appending(path: "Plugins/LocalFolders").path
        let result = try await Command.run(
            Checkout.program, ["plugins", "test", "--answers", answers.path, folder])
        #expect(result.status == 0, "\(result.output)")
        // Which cases do not apply is checked with the plugin; here, every listed case has a result.
        let kept = Set(names(in: result.output, after: "kept"))
        let notApplicable = Set(names(in: result.output, after: "not applicable"))
        #expect(kept.union(notApplicable) == Set(ConformanceCase.all(.account).map(\.name)))
        #expect(notApplicable.isSuperset(of: ConformanceCase.forAccountsThatTakeNoMail))
        #expect(
            result.output.hasSuffix(
                "\(kept.count) kept, 0 broken, \(notApplicable.count) not applicable\n"))
    }

    @Test func aBrokenPromiseIsNamedAndExplained() async throws {
        let place = try TemporaryFolder()
        let settings = try place.write(
            "{\"calls\": {\"accounts\": {\"garbage\": true}, \"commit\": {\"failEvery\": 2, \"error\": \"full\"}}}",
            to: "settings.json")
        let result = try await test("Storage", "--settings", settings.path)
        #expect(result.status == 1)
        #expect(result.output.contains("broken           "))
        #expect(!result.output.contains(" 0 broken"))
    }

    @Test func aCrashNamesThePromiseThatWasTried() async throws {
        let place = try TemporaryFolder()
        let settings = try place.write("{\"calls\": {\"post\": {\"error\": \"crash\"}}}", to: "settings.json")
        let result = try await test("Notifications", "--settings", settings.path)
        #expect(result.endedBySignal)
        #expect(result.errors.contains("the plugin crashed while testing “"))
    }

    @Test func oneCaseCanBeTriedAlone() async throws {
        let result = try await test("Storage", "--case", "nothingIsAnsweredBeforeOpening")
        #expect(result.output.hasSuffix("1 kept, 0 broken, 0 not applicable\n"))
        let unknown = try await test("Storage", "--case", "flies")
        #expect(unknown.status == 1 && unknown.errors.contains("There is no test “flies”"))
    }

    @Test func whatCannotBeLoadedIsRefusedAsAtAStart() async throws {
        let place = try TemporaryFolder()
        try PluginFolder(place.url).add("empty")
        let folder = place.url.appending(path: "empty").path
        let result = try await Command.run(Checkout.program, ["plugins", "test", folder])
        #expect(result.status == 1)
        #expect(result.errors.contains("The library libplugin.so is not in the folder."))
    }

    private func test(_ mock: String, _ options: String...) async throws -> CommandResult {
        let folder = Checkout.mockPlugins.appending(path: mock).path
        return try await Command.run(Checkout.program, ["plugins", "test"] + options + [folder])
    }

    /// The cases with this verdict, as the command lists them.
    private func names(in output: String, after verdict: String) -> [String] {
        output.split(separator: "\n").filter { $0.hasPrefix(verdict + " ") }.compactMap { line in
            line.dropFirst(verdict.count).split(separator: " ").first.map { $0.filter { $0 != ":" } }
        }
    }
}
