import Foundation
import TestSupport
import Testing

@Suite("A plugin that blocks its threads blocks only itself", .serialized) struct BlockedThreadsTests {
    private static let mock = "org.mailkernel.mock.account"

    /// The page and its API stay usable, whatever a plugin does.
    @Test func withACallForEachCoreRequestsAreAnswered() async throws {
        let installed = try Installed()
        try installed.setSettings(#"{"calls": {"authorize": {"error": "block"}}}"#, of: Self.mock)
        try installed.place.write("open sesame\n", to: "key")
        let key = installed.place.url.appending(path: "key")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
        let program = try installed.start(["--vault-key-file", key.path])
        #expect(await program.line(containing: "Open http://"))
        let page = try await PageClient(program)
        // More sign-ins than these are not begun at once.
        for _ in 0..<min(16, ProcessInfo.processInfo.activeProcessorCount + 1) {
            _ = try await page.beginSignIn(["setupId": "\(Self.mock)/mailbox"])
        }
        let answer = try await page.call("Preferences/get", ["accountId": "program", "ids": NSNull()])
        #expect((answer["list"] as? [Any])?.count == 1, "\(answer)")

        program.signal(SIGTERM)
        let result = await program.result()
        #expect(!result.endedBySignal)
        #expect(result.errors.contains("did not return from “authorize”"), "\(result.errors)")
    }
}
