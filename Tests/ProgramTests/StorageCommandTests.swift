import Foundation
import TestSupport
import Testing

/// On the bundled plugins, with mail in the store.
@Suite("mailkernel storage", .timeLimit(.minutes(10))) struct StorageCommandTests {
    private let installed: Installed

    init() throws {
        installed = try Installed(plugins: [Checkout.root.appending(path: "Plugins")])
    }

    private func bringMail() async throws {
        let messages = (1...20).map { number in
            "From 1781@xxx Mon Nov 20 10:00:00 +0000 2023\nMessage-ID: <\(number)@store.example>\n"
                + "From: Ana <ana@store.example>\nSubject: Number \(number)\n"
                + "Date: Mon, 20 Nov 2023 10:00:00 +0000\n\nHello.\n\n"
        }
        let file = try installed.place.write(messages.joined(), to: "all.mbox")
        let result = try await installed.run("import", file.path)
        try #require(result.status == 0, "\(result.errors)")
        while try await MailAtRest(installed).count != 20 { continue }
    }

    private var database: URL {
        get throws {
            let store = installed.data.appending(path: "plugins/org.mailkernel.sqlite")
            let paths = FileManager.default.enumerator(atPath: store.path)?.compactMap { $0 as? String } ?? []
            return store.appending(path: try #require(paths.first { $0.hasSuffix("mail.db") }))
        }
    }

    /// A word of an email is no longer what the index says.
    private func damageIndex() async throws {
        let script = """
            import sqlite3, sys
            database = sqlite3.connect(sys.argv[1])
            tables = [row[0] for row in database.execute(
                "SELECT name FROM sqlite_schema WHERE name LIKE 'search%content'")]
            for table in tables:
                database.execute(f"UPDATE {table} SET c0 = 'other' WHERE id = (SELECT min(id) FROM {table})")
            database.commit()
            print(len(tables))
            """
        let made = try await Command.run(Checkout.root.appending(path: "Tests/Tools/python-env"), [])
        try #require(made.status == 0, "\(made.errors)")
        let result = try await Command.run(TestServers.python, ["-c", script, database.path])
        try #require(result.output == "1\n", "\(result)")
    }

    private func expectSound(_ sentence: String, _ word: String) async throws {
        let result = try await installed.run("storage", word)
        #expect(result.status == 0 && result.output == sentence + "\n" && result.errors.isEmpty, "\(result)")
    }

    private func expectDamagedIndex() async throws {
        let found = try await installed.run("storage", "check")
        #expect(found.status == 1)
        #expect(found.output == "The search index of an account is damaged and can be rebuilt.\n")
        #expect(found.errors.contains("1 problem found. “mailkernel storage rebuild-search” rebuilds"))
    }

    @Test func aSoundStoreIsFoundSound() async throws {
        try await bringMail()
        try await expectSound("No damage was found.", "check")
        let program = try installed.start()
        #expect(await program.line(containing: "is ready"))
        try await expectSound("No damage was found.", "check")
        program.signal(SIGTERM)
        #expect(await program.result().status == 0)
    }

    @Test func aDamagedSearchIndexIsFoundAndRebuiltWhileTheProgramRuns() async throws {
        try await bringMail()
        try await damageIndex()
        let program = try installed.start()
        #expect(await program.line(containing: "is ready"))
        try await expectDamagedIndex()
        try await expectSound("The search index was rebuilt.", "rebuild-search")
        try await expectSound("No damage was found.", "check")
        program.signal(SIGTERM)
        #expect(await program.result().status == 0)
    }

    /// A small store is read whole at each opening; what it finds in a larger one is found by the start after the check.
    @Test func theNextStartMendsWhatACheckFound() async throws {
        try await bringMail()
        try await damageIndex()
        try await expectDamagedIndex()
        #expect(try await MailAtRest(installed).count == 20)
        try await expectSound("No damage was found.", "check")
    }

    @Test func aStoreThatHadToBeReplacedIsNoSoundStore() async throws {
        try await bringMail()
        let file = try FileHandle(forUpdating: database)
        let size = Int(try file.seekToEnd())
        try file.seek(toOffset: UInt64(size / 4))
        try file.write(contentsOf: Data(repeating: 0x5A, count: size / 2))
        try file.close()
        let result = try await installed.run("storage", "check")
        #expect(result.status == 1)
        #expect(result.output == "The store was damaged, and was replaced when this command opened it.\n")
        #expect(result.errors.contains("It is kept in"))
    }

    @Test(arguments: [false, true]) func aStoreThatCannotBeCheckedSaysSo(isRunning: Bool) async throws {
        let installed = try Installed()
        try installed.setSettings("{\"lacksCare\": true}", of: "org.mailkernel.mock.storage")
        let program = isRunning ? try installed.start() : nil
        if let program { #expect(await program.line(containing: "is ready")) }
        for (word, sentence) in [
            ("check", "This store cannot be checked."),
            ("rebuild-search", "The search index of this store cannot be rebuilt."),
        ] {
            let result = try await installed.run("storage", word)
            #expect(result.status == 1 && result.errors.contains(sentence), "\(result)")
        }
        program?.signal(SIGTERM)
        if let program { #expect(await program.result().status == 0) }
    }
}
