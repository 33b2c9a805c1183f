import FoundationEssentials
import Glibc
import TestSupport

/// What Settings and onboarding take, of the whole program: PV-SO-02 to PV-SO-05.
enum SettingsBenchmark {
    static func run(_ report: inout Report, sizes: [Int]) async throws {
        for size in sizes where size <= 50_000 {
            let folder = try TemporaryFolder()
            let store = folder.url.appending(path: "data/plugins/org.mailkernel.sqlite")
            try FileManager.default.createDirectory(
                at: store, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try await MailGenerator.fill(store, size)
            let run = try await SettingsRun(folder)
            try await run.measure(&report, size)
            await run.end()
        }
        try await measureUnlocking(&report)
        try await measureOnboarding(&report)
    }

    /// With a PAM that answers at once: what is left is the program's own.
    private static func measureUnlocking(_ report: inout Report) async throws {
        let folder = try TemporaryFolder()
        guard let environment = try wrappedPAM(folder) else {
            return report.leaveOut("settings.unlock", "libpam-wrapper is not installed.")
        }
        let first = try await SettingsRun(folder, environment)
        try first.page.call(
            """
            ["AppLock/set",{"accountId":"program","update":
            {"singleton":{"isEnabled":true,"password":"open sesame"}}},"0"]
            """)
        await first.end()
        let time = try await median(of: 7) {
            let run = try await SettingsRun(folder, environment)
            let time = try await milliseconds {
                try run.page.post("/unlock", "{\"password\":\"open sesame\"}")
                _ = try run.page.answer()
            }
            await run.end()
            return time
        }
        report.add(
            Figure("settings.unlock", "unlocking, on top of PAM", time, "ms", against: "500 ms", 500))
    }

    private static func wrappedPAM(_ folder: TemporaryFolder) throws -> [String: String]? {
        let places = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? []
        let libraries = places.map { "/usr/lib/\($0)/libpam_wrapper.so" }
        guard let library = libraries.first(where: { access($0, R_OK) == 0 }), let user = getpwuid(getuid())
        else {
            return nil
        }
        let module = library.replacing("libpam_wrapper.so", with: "pam_wrapper/pam_matrix.so")
        let name = String(cString: user.pointee.pw_name)
        let passwords = try folder.write("\(name):open sesame:mailkernel\n", to: "passdb")
        let lines = ["auth", "account", "password", "session"].map {
            "\($0) required \(module) passdb=\(passwords.path)\n"
        }
        let service = try folder.write(lines.joined(), to: "services/mailkernel")
        return [
            "LD_PRELOAD": library, "PAM_WRAPPER": "1",
            "PAM_WRAPPER_SERVICE_DIR": service.deletingLastPathComponent().path,
        ]
    }

    /// In a browser, with the servers of the tests.
    private static func measureOnboarding(_ report: inout Report) async throws {
        let python = Checkout.root.appending(path: ".build/python/bin/python")
        let needed = [python.path, "/usr/bin/chromium", "/usr/sbin/dovecot"]
        guard needed.allSatisfy({ access($0, X_OK) == 0 }) else {
            return report.leaveOut(
                "settings.onboarding", "It needs Chromium, Dovecot and the Python of the tests (`make test`)."
            )
        }
        let result = try await Command.run(
            python, ["-B", Checkout.root.appending(path: "Tests/Page/onboard.py").path])
        let times = result.output.matches(of: /"seconds": ([0-9.]+)/).compactMap { Double($0.1) }.sorted()
        let readable = result.output.matches(of: /"readable": ([0-9.]+)/).compactMap { Double($0.1) }.sorted()
        guard result.status == 0, !times.isEmpty, !readable.isEmpty else {
            throw BenchError(description: result.errors)
        }
        report.add(
            Figure(
                "settings.onboarding", "onboarding with a Gmail account, driven, to the first message",
                times[times.count / 2], "s", against: "10 s", 10))
        // ACC-106.
        report.add(
            Figure(
                "settings.readable", "address to first readable message, driven, with an app password",
                readable[readable.count / 2], "s", against: "5 s", 5))
    }
}

/// The program on a folder, and its page.
private struct SettingsRun {
    let page: HTTPConnection
    private let program: Command

    init(_ folder: TemporaryFolder, _ environment: [String: String] = [:]) async throws {
        let place = folder.url.path
        program = try Command(
            Checkout.root.appending(path: ".build/release/mailkernel"),
            [
                "--no-browser", "--tls-port", "none", "--data", place + "/data", "--config",
                place + "/config",
                "--plugins", Checkout.root.appending(path: "Plugins").path,
            ],
            environment: ["DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": place].merging(environment) {
                $1
            })
        guard await program.line(containing: "/start?code="),
            let link = program.outputSoFar.firstMatch(of: /Open (http:\S+)/)
        else { throw BenchError(description: "The program does not say where its page is.") }
        page = try HTTPConnection(startLink: String(link.1))
    }

    func end() async {
        program.signal(SIGTERM)
        _ = await program.result()
    }

    func measure(_ report: inout Report, _ size: Int) async throws {
        var themes = ["dark", "light"]
        let saved = try await p95(over: 0..<100) { _ in
            themes.reverse()
            try page.call(
                """
                ["Preferences/set",{"accountId":"program","update":{"singleton":{"appTheme":"\(themes[0])"}}},"0"]
                """)
        }
        report.add(
            Figure(
                "settings.saved-\(size)", "p95 from a change to its being on disk, over HTTP", saved, "ms",
                against: "10 ms", 10))
        let usage = try await p95(over: 0..<50) { _ in
            try page.call("[\"StorageUsage/get\",{\"accountId\":\"program\"},\"0\"]")
        }
        report.add(
            Figure(
                "settings.storage-\(size)", "p95 of what everything takes, over HTTP", usage, "ms",
                against: "200 ms", 200))
    }
}
