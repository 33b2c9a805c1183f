import Foundation
import MailKernelConformance
import TestSupport
import Testing

/// Two computers with one mailbox: two programs on a real PostgreSQL, a real mail service, and a crash.
@Suite(
    "Two programs on one PostgreSQL store",
    .enabled(if: PostgreSQLProcess.isInstalled, "postgresql-15 is not installed"),
    .enabled(if: MailServiceProcess.isInstalled, "dovecot-imapd is not installed"), .timeLimit(.minutes(10)))
struct SharedStoreTests {
    static let bob = "bob@example.test"

    /// One of the computers.
    struct Computer {
        let installed: Installed
        private let key: URL

        /// - Parameters:
        ///   - connection: to the server.
        ///   - storage: the folders of its storage plugins.
        init(
            _ connection: String, _ service: MailServiceProcess, storage: [String] = ["PostgreSQLStorage"]
        ) throws {
            let plugins = Checkout.root.appending(path: "Plugins")
            installed = try Installed(
                plugins: (["IMAPAccount"] + storage).map { plugins.appending(path: $0) })
            key = try installed.place.write("the passphrase of a vault", to: "key")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
            try installed.place.write(
                try String(contentsOfFile: service.place.certificate, encoding: .utf8),
                to: "configuration/certificates.pem")
            try installed.setSettings(
                #"{"connection": "\#(connection)"}"#, of: "org.mailkernel.postgresql")
        }

        func start() async throws -> (program: Command, page: PageClient) {
            let program = try installed.start("--vault-key-file", key.path)
            guard await program.line(containing: "Open http") else {
                throw CannotStart(description: await program.result().errors)
            }
            return (program, try await PageClient(program))
        }
    }

    static func signIn(
        _ page: PageClient, _ start: [String: Any], _ service: MailServiceProcess
    ) async throws -> [String: Any] {
        let id = try await page.beginSignIn(start)
        _ = try await page.signIn(id, comesTo: "form")
        try await page.answer(id, ["address": bob, "password": MailServiceProcess.password])
        let next = try await page.signIn(id, comesTo: "form", "done")
        if next["state"] as? String == "form" {
            try await page.answer(
                id,
                [
                    "user": bob, "imapHost": "localhost", "imapPort": "\(service.place.imaps)",
                    "imapSecurity": "tls", "smtpHost": "localhost",
                    "smtpPort": "\(service.place.submissions)",
                    "smtpSecurity": "tls",
                ])
        }
        return try await page.signIn(id, comesTo: "done")
    }

    private func turn(_ page: PageClient, _ account: String) async throws -> String? {
        let answer = try await page.call("SyncStatus/get", ["accountId": "program", "ids": [account]])
        return (answer["list"] as? [[String: Any]])?.first?["turn"] as? String
    }

    private func wait(for wanted: String, on page: PageClient, _ account: String) async throws -> Duration {
        let began = ContinuousClock.now
        try await polling(until: "the turn is “\(wanted)”") { try await turn(page, account) == wanted }
        return ContinuousClock.now - began
    }

    /// How many messages with this subject the server has delivered.
    private func delivered(_ subject: String, _ page: PageClient, _ account: String) async throws -> Int {
        let mailboxes = try await page.call("Mailbox/get", ["accountId": account])
        let inbox = (mailboxes["list"] as? [[String: Any]])?.first { $0["role"] as? String == "inbox" }
        let filter = ["inMailbox": try #require(inbox?["id"] as? String), "subject": subject]
        let found = try await page.call("Email/query", ["accountId": account, "filter": filter])
        return (found["ids"] as? [String])?.count ?? 0
    }

    @Test func anotherOneTakesOverAfterACrash() async throws {
        let service = try await MailServiceProcess()
        let server = try await PostgreSQLProcess()
        let (first, second) = (
            try Computer(server.connection, service), try Computer(server.connection, service)
        )
        let (one, pageOfOne) = try await first.start()
        let added = try await Self.signIn(pageOfOne, ["setupId": "org.mailkernel.imap/imap"], service)
        let bob = try #require((added["addedAccountIds"] as? [String])?.first, "\(added)")
        _ = try await pageOfOne.call(
            "Preferences/set",
            ["accountId": "program", "update": ["singleton": ["isOnboardingComplete": true]]])
        _ = try await wait(for: "here", on: pageOfOne, bob)

        let (other, page) = try await second.start()
        #expect(try await turn(page, bob) == "signInNeeded")
        _ = try await Self.signIn(page, ["accountId": bob], service)
        _ = try await wait(for: "elsewhere", on: page, bob)

        // What is sent on one computer is sent by the other, once.
        try await page.send(from: bob, Self.bob, to: Self.bob, subject: "By the first")
        #expect(try await page.isInInbox(of: bob, subject: "By the first"))

        // The computer that looks after the account ends while the undo delay of another message runs.
        let id = try await page.send(from: bob, Self.bob, to: Self.bob, subject: "By the second")
        one.signal(SIGKILL)
        let time = try await wait(for: "here", on: page, bob)
        print("takeover: \(time)")
        #expect(time < .seconds(20))
        #expect(try await page.isSent(id, of: bob))
        #expect(try await page.isInInbox(of: bob, subject: "By the second"))

        // Back again, it sends nothing a second time.
        let (again, pageAgain) = try await first.start()
        #expect(try await turn(pageAgain, bob) == "elsewhere")
        try await pageAgain.send(from: bob, Self.bob, to: Self.bob, subject: "By the second again")
        #expect(try await page.isInInbox(of: bob, subject: "By the second again"))
        #expect(try await delivered("By the first", page, bob) == 1)
        #expect(try await delivered("By the second", page, bob) == 2)

        other.signal(SIGTERM)
        #expect(await other.result().status == 0)
        // Its turn was released.
        #expect(try await wait(for: "here", on: pageAgain, bob) < .seconds(10))
        again.signal(SIGTERM)
        _ = await again.result()
        await service.stop()
    }
}
