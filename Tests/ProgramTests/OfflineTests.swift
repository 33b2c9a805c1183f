import Foundation
import MailKernelConformance
import TestSupport
import Testing

/// A laptop with a real PostgreSQL that it reaches through a link, which can be taken away, and with a real mail service.
@Suite(
    "A laptop works without its PostgreSQL server",
    .enabled(if: PostgreSQLProcess.isInstalled, "postgresql-15 is not installed"),
    .enabled(if: MailServiceProcess.isInstalled, "dovecot-imapd is not installed"), .timeLimit(.minutes(10)))
struct OfflineTests {
    private typealias Computer = SharedStoreTests.Computer

    private func store(_ page: PageClient) async throws -> [String: Any] {
        let answer = try await page.call("Store/get", ["accountId": "program"])
        return try #require((answer["list"] as? [[String: Any]])?.first)
    }

    private func wait(for property: String, toBe wanted: Bool, on page: PageClient) async throws {
        // While the program restarts, it does not answer.
        try await polling(until: "\(property) is \(wanted)") {
            await (try? store(page))?[property] as? Bool == wanted
        }
    }

    private func subjects(of drafts: String, _ page: PageClient) async throws -> [String] {
        let answer = try await page.call("Draft/get", ["accountId": drafts])
        let list = answer["list"] as? [[String: Any]] ?? []
        return list.compactMap { draft in
            (draft["subject"] as? String).map { "\($0): \(draft["body"] as? String ?? "")" }
        }.sorted()
    }

    private func write(_ subject: String, _ body: String, in account: String, _ page: PageClient) async throws
    {
        let identities = try await page.call("Identity/get", ["accountId": account])
        let identity = try #require((identities["list"] as? [[String: Any]])?.first?["id"] as? String)
        let draft = ["identityId": identity, "subject": subject, "body": body]
        let made = try await page.call("Draft/set", ["accountId": account, "create": ["d": draft]])
        #expect((made["created"] as? [String: Any])?["d"] != nil, "\(made)")
    }

    /// Whether the first mail was fetched.
    private func hasDrafts(_ page: PageClient, _ account: String) async throws -> Bool {
        let answer = try await page.call("Mailbox/get", ["accountId": account])
        let mailboxes = answer["list"] as? [[String: Any]] ?? []
        return mailboxes.contains { $0["role"] as? String == "drafts" }
    }

    private func found(_ page: PageClient, of account: String, _ subject: String) async throws -> [String] {
        let found = try await page.call(
            "Email/query", ["accountId": account, "filter": ["subject": subject]])
        return found["ids"] as? [String] ?? []
    }

    @Test func whatIsWrittenWithoutTheServerComesBack() async throws {
        let service = try await MailServiceProcess()
        let server = try await PostgreSQLProcess()
        let folder = try #require(server.connection.firstMatch(of: /host=(\S+)/)).output.1
        let place = try TemporaryFolder()
        let link = place.url.appending(path: "pg")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: String(folder))
        let connection = server.connection.replacing(folder, with: link.path)
        let laptop = try Computer(connection, service, storage: ["PostgreSQLStorage", "SQLiteStorage"])
        try laptop.installed.place.write(
            #"{"storage": "org.mailkernel.postgresql"}"#, to: "configuration/plugins.json")

        let (first, page) = try await laptop.start()
        let added = try await SharedStoreTests.signIn(
            page, ["setupId": "org.mailkernel.imap/imap"], service)
        let bob = try #require((added["addedAccountIds"] as? [String])?.first, "\(added)")
        _ = try await page.call(
            "Preferences/set",
            ["accountId": "program", "update": ["singleton": ["isOnboardingComplete": true]]])
        try await polling(until: "the account has drafts") { try await hasDrafts(page, bob) }
        try await page.send(from: bob, SharedStoreTests.bob, to: SharedStoreTests.bob, subject: "Engine")
        #expect(try await page.isInInbox(of: bob, subject: "Engine"))
        try await wait(for: "hasCopy", toBe: true, on: page)
        // The copy has it when the program has stopped.
        try await write("Both", "Old", in: bob, page)
        first.signal(SIGTERM)
        _ = await first.result()

        // Without the server, it reads the copy, and a draft outlives a crash.
        try FileManager.default.removeItem(at: link)
        let (second, offline) = try await laptop.start()
        try await wait(for: "isOffline", toBe: true, on: offline)
        let found = try await self.found(offline, of: bob, "Engine")
        #expect(!found.isEmpty)
        try await write("Written offline", "Laptop", in: bob, offline)
        let done = try await offline.call(
            "MailAction/set",
            ["accountId": bob, "create": ["a": ["verb": "star", "emailIds": found]]])
        #expect((done["created"] as? [String: Any])?["a"] != nil, "\(done)")
        second.signal(SIGKILL)
        _ = await second.result()
        let (third, again) = try await laptop.start()
        #expect(try await subjects(of: bob, again) == ["Both: Old", "Written offline: Laptop"])

        // The server is back: the program restarts by itself, and another computer has it all.
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: String(folder))
        try await wait(for: "isOffline", toBe: false, on: again)
        let desk = try Computer(server.connection, service)
        let (other, atDesk) = try await desk.start()
        #expect(try await subjects(of: bob, atDesk) == ["Both: Old", "Written offline: Laptop"])
        let answer = try await atDesk.call(
            "Email/get", ["accountId": bob, "ids": found, "properties": ["keywords"]])
        let keywords = (answer["list"] as? [[String: Any]] ?? []).compactMap {
            $0["keywords"] as? [String: Any]
        }
        #expect(keywords.count == found.count && keywords.allSatisfy { $0["$flagged"] != nil })
        for program in [third, other] {
            program.signal(SIGTERM)
            #expect(await program.result().status == 0)
        }
        await service.stop()
    }
}
