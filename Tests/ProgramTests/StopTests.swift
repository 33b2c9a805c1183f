import Foundation
import MailKernelConformance
import TestSupport
import Testing

@Suite("The program stops when it is told to", .serialized) struct StopTests {
    private let installed: Installed

    init() throws {
        installed = try Installed()
    }

    private func vault() throws -> [String] {
        try installed.place.write("open sesame\n", to: "key")
        let key = installed.place.url.appending(path: "key")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
        return ["--vault-key-file", key.path]
    }

    /// Two accounts whose plugin takes a thread each and never gives it back.
    @Test func aPluginThatNeverReturnsIsNamedAndLeft() async throws {
        try installed.setSettings(
            #"{"calls": {"changes": {"error": "block"}}}"#, of: "org.mailkernel.mock.account")
        let options = ["--demo"] + (try vault())
        let program = try installed.start(options)
        #expect(await program.errorLine(containing: "blocks its thread"))
        program.signal(SIGTERM)
        let result = await program.result()
        #expect(result.status == 1 && !result.endedBySignal)
        #expect(result.errors.contains("org.mailkernel.mock.account"), "\(result.errors)")
        #expect(result.errors.contains("did not return from “changes”"), "\(result.errors)")

        // What was stored is whole.
        try installed.setSettings("{}", of: "org.mailkernel.mock.account")
        let next = try installed.start(options)
        #expect(await next.line(containing: "is ready"))
        next.signal(SIGTERM)
        #expect(await next.result().status == 0)
    }

    /// Of any kind, and wherever the program calls it.
    @Test(arguments: [
        ("notifications", "features"), ("notifications", "setBadge"), ("models", "models"),
        ("storage", "usage"),
        ("storage", "close"), ("storage", "open"),
    ])
    func pluginsOfOtherKindsAreLeftToo(_ kind: String, _ call: String) async throws {
        let id = "org.mailkernel.mock.\(kind)"
        try installed.setSettings(#"{"calls": {"\#(call)": {"error": "block"}}}"#, of: id)
        let program = try installed.start(["--demo"] + (try vault()))
        if kind == "storage", call == "usage" {
            #expect(await program.line(containing: "/start?code="))
            let page = try await PageClient(program)
            // Answered with 503 at the end.
            Task {
                _ = try? await page.request("StorageUsage/get", ["accountId": "program", "ids": NSNull()])
            }
        }
        if call == "close" {
            #expect(await program.line(containing: "is ready"))
        } else {
            #expect(await program.errorLine(containing: "blocks its thread"))
        }
        let began = ContinuousClock.now
        program.signal(SIGTERM)
        let result = await program.result()
        #expect(ContinuousClock.now - began < .seconds(9))
        // Nothing waits for a list of models, or for an answer that no client gets any more.
        let isWaitedFor = !["models", "usage"].contains(call)
        #expect(result.status == (isWaitedFor ? 1 : 0) && !result.endedBySignal)
        #expect(result.errors.contains("\(id): The plugin did not return from “\(call)”"), "\(result.errors)")
    }

    /// The page asks for a restart when a plugin shall be tried again. One that hangs must not keep it waiting.
    @Test func aRestartLeavesItToo() async throws {
        let tried = "org.mailkernel.mock.notifications"
        #expect(try await installed.run("plugins", "--disable", tried).status == 0)
        try installed.setSettings(
            #"{"calls": {"changes": {"error": "block", "failFirst": 1}}}"#, of: "org.mailkernel.mock.account")
        let program = try installed.start(["--demo"] + (try vault()))
        #expect(await program.line(containing: "/start?code="))
        #expect(await program.errorLine(containing: "blocks its thread"))
        let page = try await PageClient(program)
        try installed.setSettings("{}", of: "org.mailkernel.mock.account")
        _ = try await page.call(
            "Plugin/set", ["accountId": "program", "update": [tried: ["state": "loaded"]]])
        #expect(await program.errorLine(containing: "did not return from “changes”"))
        try await polling(until: "it begins again, with the plugin") {
            let answer = try? await page.call("Plugin/get", ["accountId": "program", "ids": [tried]])
            return (answer?["list"] as? [[String: Any]])?.first?["state"] as? String == "loaded"
        }
        #expect(kill(program.processID, 0) == 0, "it is the same process")
        program.signal(SIGTERM)
        _ = await program.result()
    }
}
