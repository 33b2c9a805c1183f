import FoundationEssentials
import Glibc
import MailKernelAPI
import Testing

@testable import SQLiteStorage

/// FR-ACCT-05: nothing of a removed account can be read from the files, however much is left beside it.
@Suite("What removing an account leaves") struct RemovalTests {
    private let work = Id<Account>("work")

    /// Two accounts whose mail lies mixed in the file, each with a word of its own.
    ///
    /// - Parameter kept: rounds of the account that stays; as many if nil.
    private func filled(rounds: Int, kept: Int? = nil) async throws -> TestFolder {
        let folder = try TestFolder()
        try await folder.withStore { store in
            _ = try await store.commit(ChangeSet(Sample.account() + Sample.account(work)))
            for round in 0..<max(rounds, kept ?? 0) {
                let secret = String(repeating: "xylophone\(round) ", count: 1_500)
                let other = String(repeating: "marimba\(round) ", count: 1_500)
                let mail = [
                    round < rounds ? Sample.email("a\(round)", text: secret) : nil,
                    round < kept ?? rounds ? Sample.email("b\(round)", of: work, text: other) : nil,
                ]
                _ = try await store.commit(ChangeSet(mail.compactMap { $0 }))
            }
        }
        return folder
    }

    private func expectOnlyWork(_ folder: TestFolder, _ store: SQLiteStorage, _ rounds: Int) async throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.storeFolder)
        where name.hasPrefix("mail.db") {
            let bytes = try folder.bytes(folder.storeFolder + "/" + name)
            #expect(bytes.firstRange(of: Data("xylophone".utf8)) == nil, "\(name) still holds mail")
        }
        #expect(try await store.accounts().map(\.id) == [work])
        let query = EmailQuery(in: [work], filter: .text("marimba"), limit: 10_000)
        #expect(try await store.queryEmails(query).hits.count == rounds)
        #expect(try await store.check() == [])
    }

    /// Few pages are rewritten as a whole; of many only the free ones are overwritten.
    @Test(arguments: [20, 400]) func isNothing(_ rounds: Int) async throws {
        let folder = try await filled(rounds: rounds)
        try await folder.withStore { store in
            let before = try await store.usage().total
            try await store.removeAccount(Sample.home)
            try await expectOnlyWork(folder, store, rounds)
            let after = try await store.usage().total
            #expect(after < before * 2 / 3, "the room is not given back: \(before) bytes, then \(after)")
            // Pages that were free are used again: what was overwritten stays so.
            for number in 0..<50 {
                _ = try await store.commit(ChangeSet([Sample.email("c\(number)", of: work, text: "viola")]))
            }
            try await expectOnlyWork(folder, store, rounds)
        }
    }

    /// Whether most of the mail goes or most of it stays: the tables are the same afterwards, what stays is
    /// found as before, and no number of a row is given twice.
    @Test(arguments: [(200, 10), (200, 390), (10, 200)])
    func theTablesAreAsTheyWere(_ gone: Int, _ kept: Int) async throws {
        let folder = try await filled(rounds: gone, kept: kept)
        try await folder.withStore { store in
            _ = try await store.commit(
                ChangeSet([.updateEmail(EmailUpdate(Id("b1"), in: work, addKeywords: [.flagged]))]))
            let before = try await facts(of: store)
            let state = try await store.state(of: .email, in: work)
            let mailboxes = try await store.mailboxes(nil, in: work)
            try await store.removeAccount(Sample.home)
            try await expectOnlyWork(folder, store, kept)
            let after = try await facts(of: store)
            #expect(after.tables == before.tables.filter { !$0.contains("search_1") })
            #expect(after.lastRows == before.lastRows)
            #expect(try await store.state(of: .email, in: work) == state)
            #expect(try await store.mailboxes(nil, in: work) == mailboxes)
            let flagged = EmailQuery(in: [work], filter: .hasKeyword(.flagged))
            #expect(try await store.queryEmails(flagged).hits.map(\.emailID) == [Id("b1")])
            _ = try await store.commit(ChangeSet([Sample.email("late", of: work, text: "marimba")]))
            try await expectOnlyWork(folder, store, kept + 1)
        }
    }

    private func facts(of store: SQLiteStorage) async throws -> (tables: Set<String>, lastRows: Set<String>) {
        try await store.store().read { database throws(StorageError) in
            let tables = try database.rows("SELECT type, name, sql FROM sqlite_schema") {
                "\($0.text(0)) \($0.text(1)) \($0.text(2))"
            }
            let rows = try database.rows("SELECT name, seq FROM sqlite_sequence WHERE name <> 'blob'") {
                "\($0.text(0)) \($0.int64(1))"
            }
            return (Set(tables), Set(rows))
        }
    }

    @Test func isNothingOnceTheProgramRunsAgainIfItDidNotLiveToCleanUp() async throws {
        let rounds = 400
        let folder = try await filled(rounds: rounds)
        try await folder.withStore { store in
            // The removal as far as its commit, and no further.
            let store = try store.store()
            try await store.withWriter { database throws(StorageError) in
                let pages = RemovedPages(database: database, folder: store.folder, file: store.databaseFile)
                try pages.mark()
                guard let account = try database.account(Sample.home) else { throw .closed }
                _ = try AccountRemoval(database: database, account: account).run()
            }
        }
        let bytes = try folder.bytes(folder.database)
        #expect(bytes.firstRange(of: Data("xylophone".utf8)) != nil, "there was nothing to clean up")
        try await folder.withStore { try await expectOnlyWork(folder, $0, rounds) }
        #expect(!FileManager.default.fileExists(atPath: folder.storeFolder + "/removing"))
    }

    /// TC-06: mail that left the window goes in small steps, and a reader is answered all the while.
    @Test func purgingHoldsUpNoReader() async throws {
        let folder = try await filled(rounds: 200)
        try await folder.withStore { store in
            let all = try await store.queryEmails(EmailQuery(in: [Sample.home], limit: 1_000)).hits
            let names = all.map {
                RemoteRef(
                    emailID: $0.emailID, accountID: Sample.home, feed: Id("inbox"),
                    remoteID: Id($0.emailID.rawValue))
            }
            _ = try await store.commit(ChangeSet(names.map { .putRemote($0) }))
            let reading = Task {
                var answers = 0
                while !Task.isCancelled {
                    do {
                        _ = try await store.queryEmails(EmailQuery(in: [work], filter: .text("marimba7")))
                    } catch StorageError.cancelled {
                        break
                    }
                    answers += 1
                }
                return answers
            }
            var steps = 0
            while try await store.purge(
                before: Sample.start + 1, in: Sample.home, sparing: [], limit: 10) > 0
            {
                steps += 1
            }
            reading.cancel()
            #expect(steps == 20)
            #expect(try await reading.value > steps, "readers waited")
            #expect(try await store.check() == [])
        }
    }
}
