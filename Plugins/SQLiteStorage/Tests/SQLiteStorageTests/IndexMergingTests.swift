import MailKernelAPI
import Testing

@testable import SQLiteStorage

/// The pieces of the index that batches leave behind are merged, or searching would get slower with each of them.
@Suite("The pieces of a search index") struct IndexMergingTests {
    private static let batches = 12

    private func fill(_ store: SQLiteStorage) async throws {
        _ = try await store.commit(ChangeSet(Sample.account()))
        for number in 0..<Self.batches {
            _ = try await store.commit(ChangeSet([Sample.email("e\(number)", text: "marimba \(number)")]))
        }
    }

    private func pieces(in store: SQLiteStorage) async throws -> Int {
        try await store.read(Sample.home, none: 0) { database, account throws(StorageError) in
            let table = SearchIndex(account: account).table
            return Int(try database.integer("SELECT count(DISTINCT segid) FROM \(table)_idx") ?? 0)
        }
    }

    private func expectAllFound(in store: SQLiteStorage) async throws {
        let words = EmailQuery(in: [Sample.home], filter: .text("marimba"), limit: 100)
        #expect(try await store.queryEmails(words).hits.count == Self.batches)
        #expect(try await store.check() == [])
    }

    @Test func areMergedOnceNothingIsWritten() async throws {
        try await TestFolder().withStore { store in
            try await fill(store)
            try await expectAllFound(in: store)
            try await becomeFew(in: store)
            try await expectAllFound(in: store)
        }
    }

    @Test func thatTheLastRunLeftAreMerged() async throws {
        let folder = try TestFolder()
        try await folder.withStore { store in
            try await fill(store)
            try await store.store().merging.stop()
            #expect(try await pieces(in: store) == Self.batches)
        }
        try await folder.withStore { store in
            try await becomeFew(in: store)
            try await expectAllFound(in: store)
        }
    }

    @Test func areLeftWhereTheyAreNotMany() async throws {
        try await TestFolder().withStore { store in
            try await fill(store)
            try await store.store().merging.merge()
            let few = try await pieces(in: store)
            #expect(few < Self.batches)
            try await store.store().merging.merge()
            #expect(try await pieces(in: store) == few)
        }
    }

    private func becomeFew(in store: SQLiteStorage) async throws {
        try await store.store().merging.settle()
        #expect(try await pieces(in: store) <= 3)
    }
}
