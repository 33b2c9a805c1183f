import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Synchronization
import Testing

@testable import IMAP

/// A ManageSieve server that says what a script tells it, by the first word of a command.
private final class SieveServer: ByteStream, OfflineNetwork {
    struct State {
        var answers: [String: String] = [
            "STARTTLS": "OK\r\n", "AUTHENTICATE": "OK\r\n", "LOGOUT": "OK\r\n",
        ]
        var heard: [String] = []
        var waiting = Data()
        var isSecure = false
        var saidBeforeTLS = ""
    }

    private let state = Mutex(State())
    private let greeting: String

    init(_ greeting: String? = nil, _ answers: [String: String] = [:]) {
        self.greeting =
            greeting
            ?? "\"IMPLEMENTATION\" \"x\"\r\n\"SASL\" \"\"\r\n\"SIEVE\" \"evil\"\r\n\"STARTTLS\"\r\nOK\r\n"
        state.withLock { state in
            state.answers.merge(answers) { $1 }
            state.waiting = Data(self.greeting.utf8)
        }
    }

    var heard: [String] { state.withLock { $0.heard } }

    func read(upTo count: Int) async throws(NetworkError) -> Data? {
        state.withLock { state in
            let bytes = state.waiting.isEmpty ? nil : state.waiting
            state.waiting = Data()
            return bytes
        }
    }

    func write(_ bytes: Data) async throws(NetworkError) {
        state.withLock { state in
            let text = String(decoding: bytes, as: UTF8.self)
            let word = String(text.prefix { $0 != " " && !$0.isNewline })
            state.heard.append((state.isSecure ? "" : "plain ") + text)
            state.waiting += Data((state.answers[word] ?? "NO \"what?\"\r\n").utf8)
        }
    }

    func startTLS() async throws(NetworkError) {
        state.withLock { state in
            state.isSecure = true
            state.waiting += Data(
                "\"SASL\" \"PLAIN XOAUTH2\"\r\n\"SIEVE\" \"fileinto imap4flags\"\r\nOK \"TLS\"\r\n".utf8)
        }
    }

    func close() async {}

    func connect(
        to endpoint: Endpoint, security: TransportSecurity, purpose: String
    ) async throws(NetworkError) -> any ByteStream { self }
    func session() -> IMAPAccountSession {
        let host = HostServices(
            pluginID: "test", log: PluginLog(least: .error) { _, _ in }, settings: PluginSettings(),
            secrets: FixedSecrets(), dataFolder: FileManager.default.temporaryDirectory,
            clock: ManualClock(), network: self)
        var configuration = IMAPConfiguration(
            imap: MailServer("mail.test", port: 993), submission: nil,
            login: .password(user: "ada") { () throws(AccountError) in Secret("correct horse battery") })
        configuration.scripts = MailServer("mail.test", port: 4190, security: .startTLS)
        return IMAPAccountSession(configuration, host: host)
    }
}

/// ORG-28: scripts at the service are reached over verified TLS only, and answers are bounded.
@Suite("Scripts by ManageSieve") struct SieveVisitTests {
    @Test func nothingPrivateIsSaidBeforeTLS() async throws {
        let server = SieveServer(nil, ["PUTSCRIPT": "OK (WARNINGS) \"fine\"\r\n"])
        try await server.session().putScript("keep;\r\n", named: "mail \"kernel\"")
        let heard = server.heard
        #expect(heard.filter { $0.hasPrefix("plain") } == ["plain STARTTLS\r\n"])
        #expect(heard.contains { $0.hasPrefix("AUTHENTICATE \"PLAIN\" {") })
        #expect(heard.contains("PUTSCRIPT {13+}\r\nmail \"kernel\" {7+}\r\nkeep;\r\n\r\n"))
        #expect(heard.last == "LOGOUT\r\n")
    }

    @Test func aServerWithoutTLSGetsNothing() async throws {
        let server = SieveServer("\"SASL\" \"PLAIN\"\r\n\"SIEVE\" \"fileinto\"\r\nOK\r\n")
        await #expect(throws: AccountError.self) {
            try await server.session().activateScript(named: nil)
        }
        #expect(server.heard.isEmpty)
    }

    private static let failures: [(String, AccountError)] = [
        ("NO (ACTIVE) {6}\r\nin use\r\n", .refused("in use")),
        ("NO (NONEXISTENT) \"gone\"\r\n", .notFound),
        ("NO (QUOTA/MAXSCRIPTS) \"too many\"\r\n", .refused("too many")),
        ("NO (TRYLATER) \"busy\"\r\n", .throttled(until: nil)),
        ("BYE \"bye\"\r\n", .unreachable(host: "mail.test", reason: "bye")),
        ("", .unreachable(host: "mail.test", reason: "the connection on port 4190 was closed")),
    ]

    @Test(arguments: failures) func refusalsAreUnderstood(_ answer: String, _ error: AccountError) async {
        let server = SieveServer(nil, ["SETACTIVE": answer])
        await #expect(throws: error) { try await server.session().activateScript(named: "x") }
    }

    @Test func aScriptThatIsGoneIsDeleted() async throws {
        let server = SieveServer(nil, ["DELETESCRIPT": "NO (NONEXISTENT) \"gone\"\r\n"])
        try await server.session().deleteScript(named: "x")
    }

    @Test func aRefusedPasswordIsNotShown() async throws {
        let secret = Data("\0ada\0correct horse battery".utf8).base64EncodedString()
        let server = SieveServer(nil, ["AUTHENTICATE": "NO \"bad \(secret)\"\r\n"])
        do {
            _ = try await server.session().script(named: "x")
            Issue.record("it was let in")
        } catch AccountError.authenticationRequired(let reason) {
            #expect(!reason.contains(secret) && reason.hasPrefix("bad"))
        }
    }

    /// It would be replaced without a question, and a long answer would fill the memory.
    @Test func listsAreBounded() async throws {
        let long = String(repeating: "x", count: 513)
        for list in [
            "\"\(long)\" ACTIVE\r\nOK\r\n",
            String(repeating: "\"\(String(repeating: "x", count: 30_000))\"\r\n", count: 80) + "OK\r\n",
            String(repeating: "{1000000}\r\n\(String(repeating: "x", count: 1_000_000))\r\n", count: 3)
                + "OK\r\n",
        ] {
            let server = SieveServer(nil, ["LISTSCRIPTS": list])
            do {
                _ = try await server.session().scripts()
                Issue.record("it was accepted")
            } catch AccountError.badAnswer {}
        }
    }

    @Test func aTextComesAsItWasPut() async throws {
        let server = SieveServer(nil, ["GETSCRIPT": "{8}\r\n# é\r\nOK\r\n\"x\"\r\n"])
        await #expect(throws: AccountError.self) { try await server.session().script(named: "x") }
        let good = SieveServer(nil, ["GETSCRIPT": "{6}\r\n# é\r\n\r\nOK\r\n"])
        #expect(try await good.session().script(named: "x") == "# é\r\n")
    }
}

/// ORG-28: the same on a real server, with a message that its script marks and files.
@Suite("Scripts at Dovecot", .enabled(if: MailServers.hasScripts, "dovecot-managesieved is not installed"))
struct DovecotScriptTests {
    @Test func scriptsAreKeptAndRun() async throws {
        try await Turnstile.dovecot.pass {
            let servers = try await MailServers.shared()
            let address = MailServers.newAddress()
            let host = HostServices(
                pluginID: "test", log: PluginLog(least: .error) { _, _ in }, settings: PluginSettings(),
                secrets: FixedSecrets(), dataFolder: FileManager.default.temporaryDirectory,
                clock: ManualClock(), network: servers.network)
            var configuration = IMAPConfiguration(
                imap: MailServer("localhost", port: servers.ports.imaps), submission: nil,
                login: .password(user: address) { () throws(AccountError) in MailServers.password })
            configuration.scripts = MailServer(
                "127.0.0.2", port: servers.ports.sieve ?? 0, security: .startTLS)
            let session = IMAPAccountSession(configuration, host: host)

            let empty = try #require(try await session.scripts())
            #expect(empty.scripts.isEmpty && empty.keepsKeywords)
            #expect(empty.extensions.isSuperset(of: ["fileinto", "imap4flags", "vacation", "date"]))
            #expect(empty.mailboxNames[RemoteMailboxID("Archive")] == "Archive")

            let text = """
                require ["fileinto", "imap4flags"];\r
                addflag "$MailKernelRulesA";\r
                if header :contains "subject" "bill" { fileinto "Archive"; stop; }\r

                """
            try await session.putScript(text, named: "mailkernel")
            try await session.putScript("keep;\r\n", named: "other ä")
            #expect(try await session.script(named: "mailkernel") == text)
            await #expect(throws: AccountError.self) {
                try await session.putScript("fileinto 5;", named: "bad")
            }
            try await session.activateScript(named: "mailkernel")
            await #expect(throws: AccountError.self) { try await session.deleteScript(named: "mailkernel") }
            await #expect(throws: AccountError.notFound) { try await session.script(named: "nothing") }
            let scripts = try await session.scripts()?.scripts ?? []
            #expect(
                Set(scripts) == [
                    RemoteScripts.Script(name: "mailkernel", isActive: true),
                    RemoteScripts.Script(name: "other ä", isActive: false),
                ])

            try servers.deliver(Data(ServerInMemory.message(1).utf8), to: address)
            let bill = ServerInMemory.message(2).replacing("Number", with: "bill")
            try servers.deliver(Data(bill.utf8), to: address)
            for feed in ["INBOX", "Archive"] {
                var reader = FeedReader(FeedID(feed))
                try await reader.round(session)
                #expect(reader.held.values.map(\.keywords) == [[Keyword("$MailKernelRulesA")]], "\(feed)")
            }
            try await session.activateScript(named: nil)
            try await session.deleteScript(named: "mailkernel")
            try await session.deleteScript(named: "mailkernel")
            #expect(try await session.scripts()?.scripts.map(\.name) == ["other ä"])
            await session.close()
        }
    }
}
