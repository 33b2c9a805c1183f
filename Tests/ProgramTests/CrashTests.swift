import Foundation
import TestSupport
import Testing

@Suite("A plugin that crashes the program is skipped at the next start") struct CrashTests {
    private let place: TemporaryFolder
    private let installed: Installed
    private let crasher: URL

    init() async throws {
        place = try TemporaryFolder()
        let plugins = PluginFolder(try place.folder("plugins"))
        crasher = try plugins.add("crasher")
        try await CLibrary.build(Self.crash("int *nowhere = 0; *(volatile int *)nowhere = 1;"), to: crasher)
        installed = try Installed(plugins: [Checkout.mockPlugins, plugins.url])
    }

    @Test func itIsNamedWhenItHappensAndSkippedAfterwards() async throws {
        let crashed = try await installed.run()
        #expect(crashed.endedBySignal)
        #expect(crashed.errors.contains("the plugin “org.example.crasher”"))

        try await expectReady("skipped")
        let listing = try await installed.run("plugins")
        #expect(listing.output.contains("org.example.crasher: skipped after a crash"))
        #expect(listing.output.contains("mailkernel plugins --retry org.example.crasher"))
    }

    @Test func retryTriesItAgain() async throws {
        _ = try await installed.run()
        #expect(try await installed.run("plugins", "--retry", "org.example.crasher").status == 0)
        #expect(try await installed.run().endedBySignal)
        try await expectReady("skipped")
    }

    @Test func retryOfWhatNeverCrashedSaysSo() async throws {
        let result = try await installed.run("plugins", "--retry", "org.example.other")
        #expect(result.status == 1)
        #expect(result.errors.contains("The plugin “org.example.other” was not skipped"))
    }

    @Test func aNewLibraryIsTriedAgainByItself() async throws {
        _ = try await installed.run()
        try await CLibrary.build("int nothing;", to: crasher)
        try await expectReady("does not have the function mailkernel_plugin")
    }

    @Test(arguments: ["abort();", "exit(3);", "_exit(4);", "__builtin_trap();"])
    func everyWayToEndTheProgramCounts(_ statement: String) async throws {
        try await CLibrary.build(Self.crash(statement), to: crasher)
        let ended = try await installed.run()
        #expect(ended.endedBySignal || ended.status != 0)
        try await expectReady("skipped")
    }

    @Test func aCrashInTheFactoryCountsToo() async throws {
        try installed.setSettings("{\"factory\": \"crash\"}", of: "org.mailkernel.mock.notifications")
        _ = try await installed.run("plugins", "--disable", "org.example.crasher")
        let crashed = try await installed.run()
        #expect(crashed.endedBySignal)
        #expect(crashed.errors.contains("the plugin “org.mailkernel.mock.notifications”"))
        try await expectReady("org.mailkernel.mock.notifications")
    }

    @Test func safeModeLoadsTheProgramsOwnAlone() async throws {
        _ = try await installed.run("plugins", "--safe-mode")
        let listing = try await installed.run("plugins", "--safe-mode")
        #expect(listing.status == 0)
        #expect(listing.output.contains("org.example.crasher: skipped in safe mode"))
        #expect(listing.output.contains("org.mailkernel.mock.storage: skipped in safe mode"))
    }

    @Test func safeModeIsOfferedAfterwards() async throws {
        _ = try await installed.run()
        try await expectReady("mailkernel --safe-mode")
    }

    /// Stopping a start that hangs is not a crash.
    @Test func stoppingAStartIsNotHeldAgainstAPlugin() async throws {
        _ = try await installed.run("plugins", "--disable", "org.example.crasher")
        try installed.setSettings("{\"factory\": \"hang\"}", of: "org.mailkernel.mock.storage")
        let kernel = try installed.start("--log-level", "info")
        #expect(await kernel.errorLine(containing: "loading org.mailkernel.mock.storage"))
        kernel.signal(SIGTERM)
        let stopped = await kernel.result()
        #expect(stopped.status == 0 && !stopped.endedBySignal)
        try installed.setSettings("{}", of: "org.mailkernel.mock.storage")
        try await expectReady("")
    }

    @Test func neitherIsStoppingAListing() async throws {
        _ = try await installed.run("plugins", "--disable", "org.example.crasher")
        try installed.setSettings("{\"factory\": \"hang\"}", of: "org.mailkernel.mock.storage")
        let listing = try installed.start("plugins", "--log-level", "info")
        #expect(await listing.errorLine(containing: "loading org.mailkernel.mock.storage"))
        listing.signal(SIGTERM)
        #expect(await !listing.result().endedBySignal)
        try installed.setSettings("{}", of: "org.mailkernel.mock.storage")
        try await expectReady("")
    }

    private func expectReady(_ warning: String) async throws {
        let kernel = try installed.start()
        #expect(await kernel.line(containing: "is ready"))
        kernel.signal(SIGTERM)
        let result = await kernel.result()
        #expect(result.status == 0)
        #expect(warning.isEmpty || result.errors.contains(warning))
    }

    private static func crash(_ statement: String) -> String {
        """
        #include <stdlib.h>
        #include <unistd.h>
        __attribute__((constructor)) static void loaded(void) { \(statement) }
        void *mailkernel_plugin(void *question) { return 0; }
        """
    }
}
