import Foundation
import MailKernelConformance
import TestSupport
import Testing

/// A session bus of its own, with or without something on it that shows notifications.
private final class Desktop: Sendable {
    let place: TemporaryFolder
    let address: String
    private let process: Command

    init(hasNotifications: Bool = true) async throws {
        let made = try await Command.run(Checkout.root.appending(path: "Tests/Tools/python-env"), [])
        guard made.status == 0 else { throw CannotStart(description: made.errors) }
        place = try TemporaryFolder()
        process = try Command(
            TestServers.python,
            ["-B", Checkout.root.appending(path: "Tests/Servers/desktop.py").path, place.url.path]
                + (hasNotifications ? [] : ["none"]))
        guard await process.line(containing: "}\n") else {
            throw CannotStart(description: await process.result().errors)
        }
        address = try #require(Self.lines(process.outputSoFar).first?["address"] as? String)
    }

    deinit { process.signal(SIGTERM) }

    private static func lines(_ text: String) -> [[String: Any]] {
        text.split(separator: "\n").compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
    }

    /// Waits for a notification that says this.
    func shown(_ text: String) async throws -> [String: Any] {
        guard await process.line(containing: text) else {
            throw CannotStart(description: "not shown: \(text)")
        }
        let shown = Self.lines(process.outputSoFar).compactMap { $0["shown"] as? [String: Any] }
        return try #require(shown.last { "\($0)".contains(text) })
    }

    func closed(_ number: Int) async -> Bool { await process.line(containing: "{\"closed\": \(number)}") }
    func badge(_ number: Int) async -> Bool { await process.line(containing: "{\"badge\": \(number)}") }

    /// Does what a user does with a notification.
    func use(_ number: Int, _ action: String) async throws {
        let result = try await Command.run(
            URL(filePath: "/usr/bin/dbus-send"),
            [
                "--bus=\(address)", "--print-reply", "--dest=org.freedesktop.Notifications", "/",
                "org.mailkernel.Desktop.Use", "uint32:\(number)", "string:\(action)",
            ])
        guard result.status == 0 else { throw CannotStart(description: result.errors) }
    }
}

/// Two people on this machine, one of whom writes to the other while no window is open.
private struct People {
    let program: Command
    let page: PageClient
    private(set) var ids: [String: String] = [:]

    init(_ installed: Installed, _ environment: [String: String]) async throws {
        program = try Command(
            Checkout.program,
            [
                "--demo", "--no-browser", "--tls-port", "none", "--data", installed.data.path, "--config",
                installed.configuration.path, "--plugins", Checkout.root.appending(path: "Plugins").path,
            ], environment: ["XDG_RUNTIME_DIR": installed.place.url.path].merging(environment) { $1 })
        guard await program.line(containing: "/start?code=") else {
            throw CannotStart(description: await program.result().errors)
        }
        page = try await PageClient(program)
        // No window is open, and nothing shall wait for one.
        try await page.call(
            "Preferences/set",
            [
                "accountId": "program",
                "update": ["singleton": ["sendWhileClosed": true, "undoSendDelaySeconds": 0]],
            ])
        let accounts = try await page.call("AccountSettings/get", ["accountId": "program"])
        for account in accounts["list"] as? [[String: Any]] ?? [] {
            ids[try #require(account["address"] as? String)] = account["id"] as? String
        }
        try await waitForMail()
    }

    private func waitForMail() async throws {
        try await polling(until: "the demo's mail is there") {
            let answer = try await page.call("SyncStatus/get", ["accountId": "program"])
            let phases = (answer["list"] as? [[String: Any]] ?? []).map { $0["phase"] as? String ?? "" }
            // An account that has not begun is idle, too.
            return !phases.isEmpty && phases.allSatisfy { $0 == "listening" }
        }
    }

    func id(_ address: String) throws -> String { try #require(ids[address], "\(ids)") }

    func write(_ subject: String) async throws {
        try await page.send(
            from: try id("jonas@demo.example"), "jonas@demo.example", to: "mira@demo.example",
            subject: subject)
    }

    func end(_ signal: Int32 = SIGTERM) async {
        program.signal(signal)
        _ = await program.result()
    }
}

@Suite("Notifications on a real session bus", .timeLimit(.minutes(20))) struct DesktopTests {
    private let folder = Checkout.root.appending(path: "Plugins/DesktopNotifications").path

    /// What is not applicable: the permission is there, so nothing can be said about its absence.
    @Test func thePluginKeepsEveryPromise() async throws {
        let desktop = try await Desktop()
        let result = try await Command.run(
            Checkout.program, ["plugins", "test", folder],
            environment: ["DBUS_SESSION_BUS_ADDRESS": desktop.address])
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.hasSuffix(" 0 broken, 1 not applicable\n"), "\(result.output)")
    }

    /// E-SO-21: where nothing shows notifications, Settings can say so.
    @Test func aDesktopWithoutNotificationsIsSaid() async throws {
        let desktop = try await Desktop(hasNotifications: false)
        let installed = try Installed()
        let people = try await People(installed, ["DBUS_SESSION_BUS_ADDRESS": desktop.address])
        let answer = try await people.page.call("NotificationStatus/get", ["accountId": "program"])
        let status = (answer["list"] as? [[String: Any]])?.first
        #expect(status?["canNotify"] as? Bool == false)
        #expect(status?["reason"] as? String == "This desktop has no notification service.")
        await people.end()
        withExtendedLifetime(installed) {}
    }

    /// E-SO-22: mail that comes while no window is open is shown, archived and opened from there, and what a killed
    /// program left is taken away by the next.
    @Test func newMailIsToldWhileNobodyLooks() async throws {
        let desktop = try await Desktop()
        let installed = try Installed()
        let opened = installed.place.url.appending(path: "opened")
        let environment = [
            "DBUS_SESSION_BUS_ADDRESS": desktop.address, "DISPLAY": ":99", "OPENED": opened.path,
            "PATH": "\(Checkout.root.appending(path: "Tests/Servers/browser").path):/usr/bin:/bin",
        ]
        let people = try await People(installed, environment)
        let mira = try people.id("mira@demo.example")

        try await people.write("Zeppelin <b>at</b> four?")
        let first = try await desktop.shown("at&lt;/b&gt; four?")
        #expect((first["title"] as? String)?.contains("onas") == true, "\(first)")
        #expect(first["body"] as? String == "Zeppelin &lt;b&gt;at&lt;/b&gt; four?")
        let actions = try #require(first["actions"] as? [String: String])
        #expect(actions == ["default": "Open", "open": "Open", "archive": "Archive"])
        let number = try #require(first["number"] as? Int)
        try await desktop.use(number, "archive")
        #expect(await desktop.closed(number))
        try await emptied(people, mira, "Zeppelin")

        try await people.write("Second thoughts")
        let second = try #require(try await desktop.shown("Second thoughts")["number"] as? Int)
        try await desktop.use(second, "default")
        let link = try await polling(for: "the browser is opened") {
            let text = try? String(contentsOf: opened, encoding: .utf8)
            return text.flatMap { $0.hasSuffix("\n") ? $0 : nil }
        }
        #expect(
            link.contains("/start?code=") && link.contains("#/mail/all/inbox/\(mira)/"),
            "\(link) \(people.program.errorsSoFar)")

        try await people.write("Left behind")
        let third = try #require(try await desktop.shown("Left behind")["number"] as? Int)
        // Killed before the desktop's answer is noted, the number would be unknown.
        let note = installed.data.appending(path: "plugins/org.mailkernel.desktop/shown.json")
        try await polling(until: "the number is noted") {
            (try? String(contentsOf: note, encoding: .utf8))?.contains(",\(third)]") == true
        }
        await people.end(SIGKILL)
        let again = try await People(installed, environment)
        #expect(await desktop.closed(third))
        await again.end()
    }

    private func emptied(_ people: People, _ account: String, _ subject: String) async throws {
        try await polling(until: "“\(subject)” leaves the inbox") {
            let filter: [String: Any] = ["inRole": "inbox", "subject": subject]
            let found = try await people.page.call("Email/query", ["accountId": account, "filter": filter])
            return (found["ids"] as? [String])?.isEmpty == true
        }
    }
}
