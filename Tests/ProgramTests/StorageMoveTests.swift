import Foundation
import TestSupport
import Testing

/// From SQLite to a real PostgreSQL server and back, with imported mail.
@Suite(
    "mailkernel storage move",
    .enabled(if: PostgreSQLProcess.isInstalled, "postgresql-15 is not installed"), .timeLimit(.minutes(10)))
struct StorageMoveTests {
    private static let sqlite = "org.mailkernel.sqlite"
    private static let postgresql = "org.mailkernel.postgresql"
    private static let imported = 900

    private let installed: Installed
    private let server: PostgreSQLProcess

    init() async throws {
        let plugins = Checkout.root.appending(path: "Plugins")
        installed = try Installed(
            plugins: ["LocalFolders", "SQLiteStorage", "PostgreSQLStorage"].map {
                plugins.appending(path: $0)
            })
        server = try await PostgreSQLProcess()
        try installed.setSettings("{\"connection\": \"\(server.connection)\"}", of: Self.postgresql)
    }

    private func start(_ arguments: String...) async throws -> (program: Command, page: PageClient) {
        let program = try installed.start(arguments)
        guard await program.line(containing: "Open http") else {
            throw CannotStart(description: await program.result().errors)
        }
        return (program, try await PageClient(program))
    }

    private func stop(_ program: Command) async {
        program.signal(SIGTERM)
        #expect(await program.result().status == 0)
    }

    private func importMail(_ count: Int) async throws {
        let messages = (1...count).map { number in
            "From 1781@xxx Mon Nov 20 10:00:00 +0000 2023\nMessage-ID: <\(number)@move.example>\n"
                + "From: Ana <ana\(number % 50)@move.example>\nSubject: Number \(number)\n"
                + "Date: Mon, 20 Nov 2023 10:00:00 +0000\n\nHello \(number).\n\n"
        }
        let file = try installed.place.write(messages.joined(), to: "all.mbox")
        let result = try await installed.run("import", file.path)
        try #require(result.status == 0, "\(result.errors)")
    }

    /// Mail, a draft with a file, and a setting.
    private func bringMail() async throws {
        try await importMail(Self.imported)
        let (program, page) = try await start()
        let account = try #require(try await page.accounts().first)
        let upload = try await page.upload(Data(count: 300_000), to: account).answer
        let mailboxes = try await page.call("Mailbox/get", ["accountId": account])["list"] as? [[String: Any]]
        let drafts = try #require(mailboxes?.first { $0["role"] as? String == "drafts" }?["id"] as? String)
        let file: [String: Any] = [
            "type": "a/b", "blobId": try #require(upload["blobId"]), "disposition": "attachment",
        ]
        let draft: [String: Any] = [
            "mailboxIds": [drafts: true], "keywords": ["$draft": true], "subject": "A draft",
            "bodyStructure": [
                "type": "multipart/mixed", "subParts": [["type": "text/plain", "partId": "1"], file],
            ],
            "bodyValues": ["1": ["value": "Not sent yet"]],
        ]
        let made = try await page.call("Email/set", ["accountId": account, "create": ["d": draft]])
        #expect((made["created"] as? [String: Any])?["d"] != nil, "\(made)")
        let change: [String: Any] = ["singleton": ["undoSendDelaySeconds": 30]]
        let set = try await page.call("Preferences/set", ["accountId": "program", "update": change])
        #expect((set["updated"] as? [String: Any])?.isEmpty == false, "\(set)")
        await stop(program)
    }

    private func mail() async throws -> [String: Set<String>] {
        let (program, page) = try await start()
        let mail = try await page.everything()
        await stop(program)
        return mail
    }

    private func chosen() throws -> String {
        try String(contentsOf: installed.configuration.appending(path: "plugins.json"), encoding: .utf8)
    }

    @Test func mailMovesThereAndBack() async throws {
        try await bringMail()
        let before = try await mail()
        try #require(before.values.map(\.count).reduce(0, +) > Self.imported)

        try await killInTheMiddle()
        try await expectRefusal("serve", "--storage", Self.postgresql, sentence: "was not finished")

        let there = try await installed.run("storage", "move", "--to", Self.postgresql)
        #expect(there.status == 0, "\(there.errors)")
        #expect(there.output.contains("“PostgreSQL storage” keeps your mail from now on."))
        for row in ["Messages ", "Contacts ", "Drafts, settings and notes ", "Files of drafts "] {
            let line = there.output.split(separator: "\n").first { $0.hasPrefix(row) }
            #expect(line?.hasSuffix("  equal") == true, "\(there.output)")
        }
        #expect(try chosen().contains(Self.postgresql))
        #expect(try await mail() == before)

        try await expectRefusal("storage", "move", "--to", Self.sqlite, sentence: "already holds mail")
        try await expectRefusal("storage", "delete", "--old", Self.postgresql, sentence: "cannot be deleted")
        let deleted = try await installed.run("storage", "delete", "--old", Self.sqlite)
        #expect(deleted.status == 0 && deleted.output == "The mail in “SQLite storage” was deleted.\n")

        let back = try await installed.run("storage", "move", "--to", Self.sqlite)
        #expect(back.status == 0, "\(back.errors)")
        #expect(try chosen().contains(Self.sqlite))
        #expect(try await mail() == before)
        let again = try await installed.run("storage", "move", "--to", Self.sqlite)
        #expect(again.status == 0 && again.output == "“SQLite storage” already keeps your mail.\n")
    }

    private func killInTheMiddle() async throws {
        let move = try installed.start("storage", "move", "--to", Self.postgresql)
        // The second line comes after the first commit of messages.
        #expect(await move.line(containing: " messages.\nMoved "))
        move.signal(SIGKILL)
        #expect(await move.result().endedBySignal)
        #expect(throws: (any Error).self) { try chosen() }
    }

    private func expectRefusal(_ words: String..., sentence: String) async throws {
        let result = try await installed.start(words).result()
        #expect(result.status == 1 && result.errors.contains(sentence), "\(words): \(result)")
    }

    @Test func aRunningProgramIsInTheWay() async throws {
        let program = try installed.start()
        #expect(await program.line(containing: "is ready"))
        for words in [["move", "--to", Self.postgresql], ["delete", "--old", Self.postgresql]] {
            let result = try await installed.run("storage", words[0], words[1], words[2])
            #expect(result.status == 1)
            #expect(result.errors.contains("mailkernel is already running"), "\(result)")
        }
        await stop(program)
    }

    @Test func wrongStoresAreRefused() async throws {
        let unknown = try await installed.run("storage", "move", "--to", "org.example.none")
        #expect(unknown.status == 1)
        #expect(unknown.errors.contains("There is no storage plugin “org.example.none”"), "\(unknown)")
        let demo = try await installed.run("storage", "move", "--to", Self.postgresql, "--demo")
        #expect(demo.status == 64 && demo.errors.contains("The demo mailbox cannot be moved."))
        try installed.setSettings("{\"connection\": \"host=/nonexistent user=x\"}", of: Self.postgresql)
        let unreachable = try await installed.run("storage", "move", "--to", Self.postgresql)
        #expect(unreachable.status == 1)
        #expect(unreachable.errors.contains("“PostgreSQL storage”: The store cannot be reached"))
    }

    /// Someone chose the new store by hand before anything was moved.
    @Test func theOnlyStoreWithMailIsNotDeleted() async throws {
        try await importMail(1)
        try installed.place.write("{\"storage\": \"\(Self.postgresql)\"}", to: "configuration/plugins.json")
        let result = try await installed.run("storage", "delete", "--old", Self.sqlite)
        #expect(result.status == 1 && result.errors.contains("holds no mail"), "\(result)")
    }
}

extension PageClient {
    /// The ids of the mail accounts.
    fileprivate func accounts() async throws -> [String] {
        let session = try await ask(".well-known/jmap").answer
        let accounts = session["accounts"] as? [String: [String: Any]] ?? [:]
        return accounts.filter { _, account in
            (account["accountCapabilities"] as? [String: Any])?["urn:ietf:params:jmap:mail"] != nil
        }.keys.sorted()
    }

    /// The settings, and what a mail program sees of each message, by account.
    fileprivate func everything() async throws -> [String: Set<String>] {
        let preferences = try await call("Preferences/get", ["accountId": "program"])
        var all = ["program": Set([Self.text(preferences["list"] ?? [])])]
        for account in try await accounts() {
            var messages: Set<String> = []
            var position = 0
            while true {
                let query: [String: Any] = [
                    "accountId": account, "position": position, "limit": 200,
                ]
                let ids = try await call("Email/query", query)["ids"] as? [String] ?? []
                if ids.isEmpty { break }
                let get: [String: Any] = [
                    "accountId": account, "ids": ids, "fetchTextBodyValues": true,
                    "properties": [
                        "id", "blobId", "subject", "keywords", "mailboxIds", "receivedAt", "messageId",
                        "bodyValues", "textBody", "attachments", "hasAttachment", "preview",
                    ],
                ]
                let list = try await call("Email/get", get)["list"] as? [[String: Any]] ?? []
                position += ids.count
                messages.formUnion(list.map { Self.text(Self.lasting($0)) })
            }
            all[account] = messages
        }
        return all
    }

    /// Each time a draft is copied to the service, it gets another id.
    private static func lasting(_ message: [String: Any]) -> [String: Any] {
        let isDraft = (message["keywords"] as? [String: Any])?["$draft"] != nil
        return isDraft
            ? message.filter { ["subject", "bodyValues", "hasAttachment"].contains($0.key) } : message
    }

    private static func text(_ value: Any) -> String {
        let data = try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys])
        return String(decoding: data ?? Data(), as: UTF8.self)
    }
}
