import FoundationEssentials
import MailKernelAPI
import Testing

@testable import SQLiteStorage

/// Files that were written by the format of their name, kept as they were. See `Fixtures/README.md`.
@Suite("Stores of older formats") struct FormatTests {
    /// A copy of the file, as after an update of the program.
    private func folder(format: Int) throws -> TestFolder {
        let fixture = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Fixtures/format-\(format)")
        let folder = try TestFolder()
        try FileManager.default.copyItem(atPath: fixture.path, toPath: folder.storeFolder)
        return folder
    }

    @Test(arguments: 1...Schema.version) func openWithAllThatIsInThem(_ format: Int) async throws {
        let folder = try folder(format: format)
        let store = folder.store()
        let met = try await store.open()
        #expect(met == (format < Schema.version ? .migrated(from: format, to: Schema.version) : .ready))
        try await expectSample(store)
        #expect(try await store.check() == [])
        await store.close()
        try await folder.withStore { try await expectSample($0) }
    }

    /// What `SampleMail` of the crasher writes.
    private func expectSample(_ store: SQLiteStorage) async throws {
        let home = Sample.home
        #expect(try await store.accounts().map(\.address) == ["me@home.example"])
        let found = { (filter: EmailFilter) in
            try await store.queryEmails(EmailQuery(in: [home], filter: filter)).hits.map(\.emailID.rawValue)
        }
        #expect(try await found(.text("grosse")) == [])
        #expect(try await found(.subject("grö")) == ["e2", "e1"])
        #expect(try await found(.body("gruß")) == ["e2"])
        #expect(try await found(.text("встреча")) == ["e3"])
        #expect(try await found(.header(name: "x-sample", value: "e4")) == ["e4"])
        #expect(try await found(.category(.updates)) == ["e1"])
        let email = try #require(try await store.emails([Id("e1")], in: home).first)
        #expect(email.email.mailboxIDs == [Id("inbox"), Id("work")])
        #expect(try await store.threads([email.threadID], in: home).first?.emailIDs == [Id("e1"), Id("e2")])
        #expect(try await store.body(of: Id("draft"), in: home)?.values["1"]?.value == "Not yet sent")
        #expect(try await store.submissions(nil, in: home).map(\.id) == [Id("queued")])
        #expect(try await store.contacts(matching: "schm", limit: 5).map(\.email) == ["anna@example.org"])
        #expect(try await store.insights(of: [Id("e1")], in: home).first?.embedding == [0.6, 0.8])
        #expect(try await store.document(DocumentKey("settings", "theme"))?.value == "dark")
        #expect(try await store.emailIDs(for: [Id("17")], feed: Id("all"), in: home).count == 1)
        let blob = try await store.readBlob(Id("snapshot"), in: home, offset: 0, count: 100)
        #expect(String(decoding: blob, as: UTF8.self).hasPrefix("To: anna"))
        let counts = try await store.mailboxes([Id("inbox")], in: home).first?.counts
        #expect(counts == MailboxCounts(totalEmails: 4, unreadEmails: 2, totalThreads: 3, unreadThreads: 2))
    }

    // MARK: The way from one format to the next, tried on the oldest file with steps of the tests' own

    private let next = Schema.version + 1

    private func opening(
        _ folder: TestFolder, to version: Int, _ steps: [Int: String]
    ) async throws -> StorageOpening {
        let migrations = Migrations(to: version, steps: steps)
        let place = StoreFolder(path: folder.storeFolder)
        let (store, met) = try await Opening(folder: place, now: Sample.start, migrations: migrations).run()
        await store.close()
        store.unlock()
        return met
    }

    @Test func areBroughtUpToDateStepByStep() async throws {
        let folder = try folder(format: Schema.version)
        let met = try await opening(
            folder, to: next + 1,
            [
                next: "ALTER TABLE email ADD COLUMN color TEXT NOT NULL DEFAULT 'red'",
                next + 1: "UPDATE email SET color = 'blue' WHERE id = 'e1'",
            ])
        #expect(met == .migrated(from: Schema.version, to: next + 1))
        let database = try Database(folder.database, .readOnly)
        #expect(try database.integer("PRAGMA user_version") == Int64(next + 1))
        #expect(try database.integer("SELECT count(*) FROM email WHERE color = 'blue'") == 1)
        #expect(try database.integer("SELECT count(*) FROM email WHERE color = 'red'") == 4)
    }

    @Test func stayAsTheyWereWhenAStepFails() async throws {
        let folder = try folder(format: Schema.version)
        await #expect(throws: StorageError.self) {
            try await opening(
                folder, to: next + 1,
                [next: "DELETE FROM email", next + 1: "ALTER TABLE nothing ADD COLUMN color TEXT"])
        }
        let database = try Database(folder.database, .readOnly)
        #expect(try database.integer("PRAGMA user_version") == Int64(Schema.version))
        #expect(try database.integer("SELECT count(*) FROM email") == 5)
    }

    @Test func areRefusedWhenThereIsNoWay() async throws {
        let folder = try folder(format: Schema.version)
        await #expect(
            throws: StorageError.unreadable(
                reason: "format \(Schema.version) cannot be migrated to \(next)")
        ) { try await opening(folder, to: next, [:]) }
        try await folder.withStore { try await expectSample($0) }
    }
}
