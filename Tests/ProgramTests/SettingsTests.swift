import Foundation
import MailKernelConformance
import TestSupport
import Testing

/// What Settings promises, of the real program on the real store.
@Suite("Settings of the running program", .timeLimit(.minutes(10))) struct SettingsTests {
    private let installed: Installed

    init() throws {
        installed = try Installed(plugins: [Checkout.root.appending(path: "Plugins")])
    }

    private func start(_ arguments: String...) async throws -> (Command, PageClient) {
        let program = try installed.start("--port", "0", "--tls-port", "none")
        try #require(await program.line(containing: "/start?code="))
        return (program, try await PageClient(program))
    }

    private func preferences(_ page: PageClient) async throws -> [String: Any] {
        let list =
            try await page.call("Preferences/get", ["accountId": "program"])["list"] as? [[String: Any]]
        return try #require(list?.first)
    }

    private func set(_ page: PageClient, _ values: [String: Any]) async throws {
        let answer = try await page.call(
            "Preferences/set", ["accountId": "program", "update": ["singleton": values]])
        try #require((answer["updated"] as? [String: Any])?["singleton"] != nil, "\(answer)")
    }

    /// PV-SO-01, NFR-SET-01: nothing that was confirmed reverts when the program is killed the moment after.
    @Test func noSettingRevertsAfterAKill() async throws {
        let delays = [0, 10, 15, 30]
        let themes = ["light", "dark", "system"]
        for round in 0..<8 {
            let (program, page) = try await start()
            if round > 0 {
                let kept = try await preferences(page)
                #expect(kept["undoSendDelaySeconds"] as? Int == delays[(round - 1) % 4])
                #expect(kept["appTheme"] as? String == themes[(round - 1) % 3])
                let tabs = kept["categoryTabVisibility"] as? [String: Bool]
                #expect(tabs?["social"] == (round % 2 == 0))
            }
            // The last of several in a row counts as much as the first.
            try await set(page, ["undoSendDelaySeconds": delays[round % 4]])
            try await set(page, ["appTheme": themes[round % 3]])
            let tabs = ["primary": true, "social": round % 2 == 1, "promotions": true, "updates": true]
            try await set(page, ["categoryTabVisibility": tabs])
            program.signal(SIGKILL)
            _ = await program.result()
        }
    }

    /// PV-SO-03, NFR-SET-04: never three changes in a row that take more than 500 ms to be on disk.
    @Test func aSettingIsSavedSoon() async throws {
        let (program, page) = try await start()
        var times: [Duration] = []
        // A machine that is busy with other tests has its moments: it is told again until it was quiet.
        for round in 0..<200 where times.count < 15 || Limits.isMissed(times.suffix(15), .milliseconds(500)) {
            let began = ContinuousClock.now
            try await set(page, ["appTheme": ["light", "dark"][round % 2]])
            times.append(ContinuousClock.now - began)
        }
        #expect(!Limits.isMissed(times.suffix(15), .milliseconds(500)), "\(times)")
        program.signal(SIGTERM)
        _ = await program.result()
    }

    /// E-SO-09: after a wipe the same process begins again at the same address, with nothing in it, whatever port
    /// was asked for.
    @Test func aWipeBeginsTheProgramAnew() async throws {
        let (program, page) = try await start()
        try await set(page, ["appTheme": "dark"])
        let store = installed.data.appending(path: "plugins/org.mailkernel.sqlite")
        #expect(try FileManager.default.subpathsOfDirectory(atPath: store.path).isEmpty == false)
        let wiped = try await page.call(
            "Program/wipe", ["accountId": "program", "confirmation": "Delete Everything"])
        #expect((wiped["notRemoved"] as? [String])?.isEmpty == true, "\(wiped)")
        #expect(await program.line(containing: "mailkernel has stopped."))
        // The same cookie at the same address, as soon as it listens again.
        let after = try await polling(for: "it listens again") { try? await preferences(page) }
        #expect(after["appTheme"] as? String == "system" && after["isOnboardingComplete"] as? Bool == false)
        #expect(kill(program.processID, 0) == 0, "it is the same process")
        #expect(!FileManager.default.fileExists(atPath: installed.data.appending(path: "wiping").path))
        program.signal(SIGTERM)
        _ = await program.result()
    }
}

/// The limits of the specifications: missed by so many in a row that it was no accident.
enum Limits {
    static func isMissed(_ times: [Duration], _ limit: Duration, inARow count: Int = 3) -> Bool {
        var run = 0
        for time in times {
            run = time > limit ? run + 1 : 0
            if run == count { return true }
        }
        return false
    }
}
