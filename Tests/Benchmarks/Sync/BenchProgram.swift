import FoundationEssentials
import Glibc
import MailKernelAPI
import TestSupport

/// The whole program as it is installed, with an account on a mail service, used as the page uses it.
final class BenchProgram {
    let page: HTTPConnection
    private(set) var account = ""
    private let program: Command
    private let installed: Installed

    /// - Parameters:
    ///   - postgreSQL: the settings of the PostgreSQL store; nil for SQLite.
    ///   - given: the plugins that it has; nil for IMAP accounts and the store.
    ///   - tlsPort: where other programs may read its mail.
    ///   - certificates: further authorities that it trusts.
    init(
        _ service: BenchMailService, postgreSQL: PluginSettings? = nil, plugins given: [String]? = nil,
        tlsPort: String = "none", trusting certificates: [URL] = []
    ) async throws {
        let plugins = Checkout.root.appending(path: "Plugins")
        let storage = postgreSQL == nil ? "SQLiteStorage" : "PostgreSQLStorage"
        installed = try Installed(
            plugins: (given ?? ["IMAPAccount", storage]).map { plugins.appending(path: $0) },
            program: Checkout.root.appending(path: ".build/release/mailkernel"))
        if let postgreSQL {
            let values = try JSONEncoder().encode(postgreSQL.values)
            try installed.setSettings(
                String(decoding: values, as: UTF8.self), of: "org.mailkernel.postgresql")
        }
        let key = try installed.place.write("a passphrase", to: "key")
        chmod(key.path, 0o600)
        try installed.place.write(
            try ([service.certificate] + certificates).map { try String(contentsOf: $0, encoding: .utf8) }
                .joined(separator: "\n"),
            to: "configuration/certificates.pem")
        program = try installed.start("--vault-key-file", key.path, "--tls-port", tlsPort)
        guard await program.line(containing: "Open http://"),
            let link = program.outputSoFar.firstMatch(of: /Open (http:\S+)/)?.1
        else { throw BenchError(description: await program.result().errors) }
        page = try HTTPConnection(startLink: String(link))
    }

    func end() async {
        program.signal(SIGTERM)
        _ = await program.result()
    }

    /// Where other programs read its mail, and what admits them.
    struct Access {
        let port: Int
        let token: String
        let certificate: URL
    }

    func access() async throws -> Access {
        let made = try await installed.run("token", "create", "reader", loadsPlugins: false)
        guard made.status == 0, let token = made.output.split(separator: "\n").first,
            let port = made.output.firstMatch(of: /https:\/\/localhost:([0-9]+)\//).flatMap({ Int($0.1) })
        else { throw BenchError(description: made.output + made.errors) }
        return Access(
            port: port, token: String(token),
            certificate: installed.data.appending(path: "server/tls/mailkernel-ca.pem"))
    }

    /// Signs in. No mail is read before `begin`.
    ///
    /// - Parameter port: where the IMAP server is, if not at its own port.
    func signIn(_ service: BenchMailService, through port: Int? = nil) async throws {
        let forms: [JSONValue] = [
            [
                "address": .string(BenchMailService.address), "password": .string(BenchMailService.password),
            ],
            [
                "user": .string(BenchMailService.address), "imapHost": "localhost",
                "imapPort": .string("\(port ?? service.imaps)"), "imapSecurity": "tls",
                "smtpHost": "localhost",
                "smtpPort": .string("\(service.submissions)"), "smtpSecurity": "tls",
            ],
        ]
        try await signIn("org.mailkernel.imap/imap", forms)
    }

    /// Signs in to another installation, to read its mail.
    func signIn(at port: Int, token: String) async throws {
        try await signIn(
            "org.mailkernel.jmap/jmap",
            [
                [
                    "address": .string(BenchMailService.address), "service": "other", "signIn": "token",
                    "password": .string(token),
                ],
                ["server": "localhost", "port": .string("\(port)")],
            ])
    }

    private func signIn(_ setup: String, _ forms: [JSONValue]) async throws {
        var signIn = try call(
            "SignIn/set", ["accountId": "program", "create": ["s": ["setupId": .string(setup)]]])
        let id = signIn["created"]?["s"]?["id"]?.stringValue ?? ""
        for form in forms {
            _ = try await wait(for: "a form") {
                let shown = try call("SignIn/get", ["accountId": "program", "ids": [.string(id)]])
                return shown["list"]?.arrayValue?.first?["state"] == "form"
            }
            try call("SignIn/set", ["accountId": "program", "update": .object([id: ["form": form]])])
        }
        try await wait(for: "the end of the sign-in") {
            signIn = try call("SignIn/get", ["accountId": "program", "ids": [.string(id)]])
            return signIn["list"]?.arrayValue?.first?["state"] == "done"
        }
        let added = signIn["list"]?.arrayValue?.first?["addedAccountIds"]?.arrayValue?.first
        account = added?.stringValue ?? ""
        try call(
            "AccountSettings/set",
            ["accountId": "program", "update": .object([account: ["syncWindowDays": 90]])])
    }

    /// Ends the onboarding: from here on mail is read.
    func begin() throws {
        try call(
            "Preferences/set",
            [
                "accountId": "program",
                "update": ["singleton": ["isOnboardingComplete": true, "undoSendDelaySeconds": 0]],
            ])
    }

    /// The seconds until the first 50 can be read, and until there is nothing more to read.
    func firstSync(of size: Int) async throws -> (first: Double, all: Double) {
        let began = ContinuousClock.now
        try begin()
        let enough = min(50, size)
        try await wait(for: "the first messages", every: 10) { try count([:]) >= enough }
        let first = ContinuousClock.now - began
        try await wait(for: "the first sync", every: 50) { try isListening() && count([:]) == size }
        return (first / .seconds(1), (ContinuousClock.now - began) / .seconds(1))
    }

    /// One call; its arguments' account is this one, unless they name another.
    @discardableResult func call(_ method: String, _ arguments: JSONValue) throws -> JSONValue {
        try page.call(method, arguments, in: account)
    }

    /// How many emails are found.
    func count(_ filter: JSONValue) throws -> Int {
        try call("Email/query", ["filter": filter, "calculateTotal": true, "limit": 1])["total"]?.intValue
            ?? 0
    }

    func isListening() throws -> Bool {
        try call("SyncStatus/get", ["accountId": "program"])["list"]?.arrayValue?.first?["phase"]
            == "listening"
    }

    /// Looks again and again, so closely that it makes no difference to what is measured.
    func wait(for what: String, every pause: Int = 5, _ isSo: () throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(900)
        while try !isSo() {
            guard ContinuousClock.now < end else { throw BenchError(description: "It did not come: \(what)") }
            try await Task.sleep(for: .milliseconds(pause))
        }
    }

    /// The most memory that it has taken so far, in megabytes.
    func peak() throws -> Double {
        let status = try String(contentsOfFile: "/proc/\(program.processID)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split(separator: " ").dropLast().last.flatMap { Double($0) } ?? .nan) / 1_024
    }

    func forgetPeak() throws {
        try Data("5".utf8).write(to: URL(filePath: "/proc/\(program.processID)/clear_refs"))
    }
}
