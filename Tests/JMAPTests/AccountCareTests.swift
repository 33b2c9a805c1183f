import Foundation
import KernelSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@Suite("Accounts are looked after through the API") struct AccountCareTests {
    private func account(_ test: TestKernel) async throws -> JSONValue {
        try #require(
            try await test.program("AccountSettings/get", ["ids": [.string(test.ada.rawValue)]])["list"][0])
    }

    private func set(_ test: TestKernel, _ patch: JSONValue) async throws -> CallAnswer {
        try await test.program("AccountSettings/set", ["update": [test.ada.rawValue: patch]])
    }

    /// ACC-91
    @Test func anAccountIsPausedAndResumed() async throws {
        let test = try await TestKernel(messages: 1)
        let state = try await test.program("AccountSettings/get")["state"]
        let paused = try await set(test, ["status": "paused", "displayName": "Ada"])
        #expect(paused["updated"].keys == [test.ada.rawValue], "\(paused.arguments)")
        #expect(try await account(test)["status"] == "paused")
        #expect(try await account(test)["displayName"] == "Ada")
        let changes = try await test.program("AccountSettings/changes", ["sinceState": state])
        #expect(changes["updated"].strings == [test.ada.rawValue])
        // Nothing more to do.
        #expect(try await set(test, ["status": "paused"])["updated"].keys == [test.ada.rawValue])
        for (wanted, name) in [("inactive", "B"), ("", "B"), (true, "B")] as [(JSONValue, JSONValue)] {
            let refused = try await set(test, ["status": wanted, "displayName": name])
            #expect(refused["notUpdated"][test.ada.rawValue]?["properties"] == ["status"])
        }
        #expect(try await account(test)["displayName"] == "Ada", "a change is refused as a whole")
        #expect(try await set(test, ["status": "active"])["updated"].keys == [test.ada.rawValue])
        #expect(try await account(test)["status"] == "active")
        await test.kernel.stop()
    }

    /// ACC-90
    @Test func aProblemSaysWhatEndsIt() async throws {
        let script = Script()
        let test = try await TestKernel(messages: 1, wrap: { ScriptedSession($0, script) })
        @Sendable func status() async throws -> JSONValue {
            let list = try await test.program("SyncStatus/get", ["ids": [.string(test.ada.rawValue)]])["list"]
            return list[0] ?? .null
        }
        #expect(try await status()["syncedAt"]?.stringValue != nil)
        #expect(try await status()["remedy"] == .null)
        let errors: [(AccountError, String)] = [
            (.offline, "network"), (.throttled(until: test.clock.now + 7200), "wait"),
            (.unreachable(host: "h", reason: "r"), "retry"),
        ]
        for (error, remedy) in errors {
            script.change { $0.mailboxErrors = [error, error] }
            await test.kernel.accounts.refresh(test.ada)
            await test.kernel.accounts.refresh(test.grace)
            try await test.wait(for: "the problem") { try await status()["problem"] != .null }
            let now = try await status()
            #expect(now["remedy"] == .string(remedy) && now["retryAt"]?.stringValue != nil, "\(error)")
            #expect(now["syncedAt"]?.stringValue != nil, "what was known stays known")
            try await test.wait(for: "the end of it") {
                test.clock.advance(by: 60)
                return try await status()["phase"] == "listening"
            }
        }
        await test.kernel.stop()
    }

    /// ACC-94
    @Test func theAddressesAtTheServiceAreNamed() async throws {
        let test = try await TestKernel(messages: 1)
        #expect(try await account(test)["serviceAddresses"] == ["ada@example.org"])
        await test.kernel.stop()
    }
}
