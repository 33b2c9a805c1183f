import Foundation
import TestSupport
import Testing

@Suite("A plugin that ends the running program is named, and skipped at the next start", .serialized)
struct RunningCrashTests {
    private static let account = "org.mailkernel.mock.account"
    private static let storage = "org.mailkernel.mock.storage"

    private let installed: Installed
    private let demo: [String]
    private let mail: [String]

    init() throws {
        installed = try Installed()
        try installed.place.write("open sesame\n", to: "key")
        let key = installed.place.url.appending(path: "key")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
        mail = ["--vault-key-file", key.path]
        demo = ["--demo"] + mail
    }

    @Test(arguments: ["trap", "abort", "exit", "overflow", "nowhere"])
    func inACall(_ end: String) async throws {
        try installed.setSettings(#"{"end": {"changes": "\#(end)"}}"#, of: Self.account)
        let ended = try await installed.start(demo).result()
        #expect(ended.endedBySignal == (end != "exit"))
        #expect(ended.errors.contains("the plugin “\(Self.account)” in "), "\(ended.errors)")
        #expect(ended.errors.contains(" ended the program in “changes”. Start again"), "\(ended.errors)")
        try await expectSkipped("in “changes”")
    }

    /// What it changed about signals is put back between two calls.
    @Test func afterItChangedTheSignals() async throws {
        try installed.setSettings(#"{"end": {"changes": "unhandledTrap"}}"#, of: Self.account)
        let ended = try await installed.start(demo).result()
        #expect(ended.endedBySignal)
        #expect(ended.errors.contains(" ended the program in “changes”. Start again"), "\(ended.errors)")
        try await expectSkipped("in “changes”")
    }

    /// It would otherwise happen at each start, half a second after that.
    @Test func onAThreadOfItsOwn() async throws {
        try installed.setSettings(#"{"end": {"session": "laterTrap"}}"#, of: Self.account)
        let ended = try await installed.start(demo).result()
        #expect(ended.endedBySignal && ended.output.contains("is ready"))
        #expect(ended.errors.contains("the plugin “\(Self.account)” in "), "\(ended.errors)")
        try await expectSkipped("It ended the program on ")

        #expect(try await installed.run("plugins", "--retry", Self.account).status == 0)
        #expect(try await installed.run("plugins").output.contains("\(Self.account): loaded"))
        #expect(try await installed.start(demo).result().endedBySignal)
    }

    @Test(arguments: ["taskOverflow", "threadOverflow"])
    func withoutRoomOnAnyOtherThread(_ end: String) async throws {
        try installed.setSettings(#"{"end": {"session": "\#(end)"}}"#, of: Self.account)
        let ended = try await installed.start(demo).result()
        #expect(ended.endedBySignal)
        #expect(ended.errors.contains("the plugin “\(Self.account)” in "), "\(ended.errors)")
        try await expectSkipped("It ended the program on ")
    }

    /// Code that the plugin and the program share leaves only the call to tell whose it was.
    @Test func inSharedCode() async throws {
        try installed.setSettings(#"{"calls": {"changes": {"error": "crash"}}}"#, of: Self.account)
        let ended = try await installed.start(demo).result()
        #expect(ended.endedBySignal)
        #expect(ended.errors.contains("ended the program in “changes”"), "\(ended.errors)")
        try await expectSkipped("in “changes”")
    }

    /// Without it there is no mail.
    @Test func aStoreIsNamedAndLoadedAllTheSame() async throws {
        try installed.setSettings(#"{"end": {"commit": "trap"}}"#, of: Self.storage)
        let ended = try await installed.start(demo).result()
        #expect(ended.endedBySignal)
        #expect(ended.errors.contains("the plugin “\(Self.storage)” in "), "\(ended.errors)")
        #expect(ended.errors.contains("It will be loaded again at the next start"), "\(ended.errors)")

        try installed.setSettings("{}", of: Self.storage)
        let next = try await stopped(try installed.start(demo))
        #expect(next.errors.contains("loaded anyway"), "\(next.errors)")
        let listing = try await installed.run("plugins")
        #expect(listing.output.contains("\(Self.storage): loaded\n    It ended the program on "))
        #expect(
            try await installed.run("doctor").output.contains(
                "\(Self.storage): loaded. It ended the program on "))

        #expect(try await installed.run("plugins", "--retry", Self.storage).status == 0)
        #expect(try await !installed.run("plugins").output.contains("ended the program"))
    }

    /// A user, the system or a power cut ended it, and not the plugin that was at work.
    @Test(arguments: [SIGKILL, SIGSEGV, SIGABRT])
    func aSignalFromOutsideIsNoPluginsDoing(_ signal: Int32) async throws {
        try installed.setSettings(#"{"calls": {"changes": {"error": "block"}}}"#, of: Self.account)
        let program = try installed.start(demo)
        #expect(await program.errorLine(containing: "blocks its thread"))
        program.signal(signal)
        let ended = await program.result()
        #expect(ended.endedBySignal && ended.status == signal)
        #expect(!ended.errors.contains("ended the program"), "\(ended.errors)")
        try await expectNothingRemembered()
    }

    @Test func theRegularEndIsNoPluginsDoing() async throws {
        _ = try await stopped(try installed.start(demo))
        let memory = installed.data.appending(path: "plugin-loading").path
        let left = try FileManager.default.contentsOfDirectory(atPath: memory)
        #expect(left.allSatisfy { !$0.hasPrefix("loading-") }, "\(left)")
        // With an error, by exit(1).
        let program = try installed.start(demo)
        #expect(await program.line(containing: "is ready"))
        #expect(try await installed.start(demo).result().status == 1)
        _ = try await stopped(program)
        try await expectNothingRemembered()
    }

    private func expectNothingRemembered() async throws {
        let listing = try await installed.run("plugins")
        #expect(!listing.output.contains("ended the program"), "\(listing.output)")
        #expect(listing.output.contains("\(Self.account): loaded\n"))
    }

    private func expectSkipped(_ doing: String) async throws {
        for command in ["plugins", "doctor"] {
            let told = try await installed.run(command).output
            #expect(told.contains("\(Self.account): skipped after a crash"), "\(told)")
            #expect(told.contains("It ended the program on ") && told.contains(doing), "\(told)")
            #expect(told.contains("mailkernel plugins --retry \(Self.account)"), "\(told)")
        }
        let next = try await stopped(try installed.start(mail))
        #expect(next.errors.contains("so it was skipped"), "\(next.errors)")
    }

    /// Started, ready and stopped.
    private func stopped(_ program: Command) async throws -> CommandResult {
        #expect(await program.line(containing: "is ready"))
        program.signal(SIGTERM)
        let result = await program.result()
        #expect(result.status == 0 && !result.endedBySignal, "\(result.errors)")
        return result
    }
}
