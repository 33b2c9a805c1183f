import Foundation
import TestSupport
import Testing

@Suite("A plugin that blocks its threads blocks only itself", .serialized) struct BlockedThreadsTests {
    private static let mock = "org.mailkernel.mock.account"

    private static let models = "org.mailkernel.mock.models"
    private static let notifications = "org.mailkernel.mock.notifications"

    private func start(_ installed: Installed) async throws -> (Command, PageClient) {
        try installed.place.write("open sesame\n", to: "key")
        let key = installed.place.url.appending(path: "key")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
        let program = try installed.start(["--vault-key-file", key.path])
        #expect(await program.line(containing: "Open http://"))
        return (program, try await PageClient(program))
    }

    private func expectAnswers(_ page: PageClient) async throws {
        let answer = try await page.call("Preferences/get", ["accountId": "program", "ids": NSNull()])
        #expect((answer["list"] as? [Any])?.count == 1, "\(answer)")
    }

    /// What the page shows of plugins: it waits a moment, and names the plugin that it waited for.
    @Test(arguments: [
        (mock, #"{"end": {"setups": "block"}}"#, "AccountSetup/get", "setups"),
        (models, #"{"calls": {"models": {"error": "block"}}}"#, "Model/get", "models"),
        (models, #"{"calls": {"models": {"error": "block"}}}"#, "StorageUsage/get", "models"),
        (
            notifications, #"{"calls": {"permission": {"error": "block"}}}"#, "NotificationStatus/get",
            "permission"
        ),
    ])
    func whateverIsListedIsShownWithoutAPluginThatBlocks(
        _ id: String, _ settings: String, _ method: String, _ call: String
    ) async throws {
        let installed = try Installed()
        try installed.setSettings(settings, of: id)
        let (program, page) = try await start(installed)
        let looks = (0...ProcessInfo.processInfo.activeProcessorCount).map { _ in
            Task { try await page.call(method, ["accountId": "program", "ids": NSNull()])["list"] is [Any] }
        }
        #expect(await program.errorLine(containing: "blocks its thread"))
        try await expectAnswers(page)
        for look in looks { #expect(try await look.value) }
        let plugins = try await page.call("Plugin/get", ["accountId": "program", "ids": [id]])
        let reason = (plugins["list"] as? [[String: Any]])?.first?["reason"] as? String
        #expect(reason?.contains("not responding to “\(call)”") == true)
        program.signal(SIGTERM)
        let result = await program.result()
        #expect(!result.endedBySignal)
        #expect(result.errors.contains("did not return from “\(call)”"), "\(result.errors)")
    }

    /// The page and its API stay usable, whatever a plugin does.
    @Test func withACallForEachCoreRequestsAreAnswered() async throws {
        let installed = try Installed()
        try installed.setSettings(#"{"calls": {"authorize": {"error": "block"}}}"#, of: Self.mock)
        let (program, page) = try await start(installed)
        // More sign-ins than these are not begun at once.
        for _ in 0..<min(16, ProcessInfo.processInfo.activeProcessorCount + 1) {
            _ = try await page.beginSignIn(["setupId": "\(Self.mock)/mailbox"])
        }
        try await expectAnswers(page)

        program.signal(SIGTERM)
        let result = await program.result()
        #expect(!result.endedBySignal)
        #expect(result.errors.contains("did not return from “authorize”"), "\(result.errors)")
    }
}
