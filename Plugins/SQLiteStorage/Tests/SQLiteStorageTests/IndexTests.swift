import FoundationEssentials
import MailKernelAPI
import Testing

@testable import SQLiteStorage

/// FR-SYNC-04: words are in the mail as well, so a damaged index costs nothing but the time to make it.
@Suite("A damaged search index") struct IndexTests {
    private let words = EmailQuery(in: [Sample.home], filter: .text("marimba"), limit: 100)

    /// A store whose index is not what it was, while all else is.
    private func damaged() async throws -> TestFolder {
        let folder = try TestFolder()
        try await folder.withStore { store in
            let text = String(repeating: "marimba and others ", count: 500)
            let emails = (0..<20).map { Sample.email("e\($0)", text: text) }
            _ = try await store.commit(ChangeSet(Sample.account() + emails))
            try await store.store().write { database throws(StorageError) in
                guard let account = try database.account(Sample.home) else { throw .closed }
                let table = SearchIndex(account: account.row).table
                try database.execute("DELETE FROM \(table)_data WHERE id > 10")
            }
        }
        return folder
    }

    @Test func isMadeAnewAlone() async throws {
        let folder = try await damaged()
        try await folder.withStore { store in
            #expect(
                try await store.check() == ["The search index of an account is damaged and can be rebuilt."]
            )
            let before = try await store.state(of: .email, in: Sample.home)
            try await store.rebuildSearchIndex()
            #expect(try await store.check() == [])
            #expect(try await store.queryEmails(words).hits.count == 20)
            #expect(try await store.state(of: .email, in: Sample.home) == before)
        }
    }

    /// As a broken disk would: beside the connections of the store.
    private func breakStructure(_ folder: TestFolder) throws {
        let database = try Database(folder.database, .readWrite)
        for account in try database.accountRows() {
            let table = SearchIndex(account: account).table
            try database.execute("UPDATE \(table)_data SET block = x'00000000FFFFFFFF7F' WHERE id = 10")
        }
    }

    @Test("FR-SYNC-04: failing to index never fails the sync") func keepsNoMailOut() async throws {
        let folder = try await damaged()
        try await folder.withStore { store in
            try breakStructure(folder)
            let new = Sample.email("new", text: "marimba at last")
            _ = try await store.commit(ChangeSet([new, .destroyEmail(Id("e0"), in: Sample.home)]))
            #expect(try await store.emails([Id("new")], in: Sample.home).count == 1)
            #expect(try await store.queryEmails(words).hits.count == 20)
            #expect(try await store.check() == [])
        }
        #expect(!FileManager.default.fileExists(atPath: folder.storeFolder + "/damaged"))
    }

    @Test func thatCannotBeReadAtAllSetsNoMailAside() async throws {
        let folder = try await damaged()
        try breakStructure(folder)
        let store = folder.store()
        #expect(try await store.open() == .ready)
        #expect(try await store.queryEmails(words).hits.count == 20)
        #expect(try await store.check() == [])
        await store.close()
    }

    @Test func thatIsMetWithSetsNoMailAside() async throws {
        let folder = try await damaged()
        try await folder.withStore { store in
            _ = await #expect {
                try await store.queryEmails(words)
            } throws: { error in
                if case .corrupt = error as? StorageError { true } else { false }
            }
        }
        let store = folder.store()
        #expect(try await store.open() == .ready)
        #expect(try await store.queryEmails(words).hits.count == 20)
        #expect(try await store.check() == [])
        await store.close()
    }
}
