import FoundationEssentials
import MailKernelAPI
import Testing

@testable import SQLiteStorage

/// SQLite reports a read that failed (EIO) as damage.
@Suite("A read of the disk that fails once") struct FailedReadTests {
    private let ids = (0..<40).map { Id<Email>("e\($0)") }

    /// Mail that is nowhere else.
    private func filled() async throws -> TestFolder {
        let folder = try TestFolder()
        let text = String(repeating: "many words of a letter ", count: 2_000)
        try await folder.withStore { store in
            let emails = ids.map { Sample.email($0.rawValue, keywords: [.flagged], text: text) }
            _ = try await store.commit(ChangeSet(Sample.account() + emails))
        }
        return folder
    }

    private func expectAll(_ store: SQLiteStorage) async throws {
        let emails = try await store.emails(ids, in: Sample.home)
        #expect(emails.count == 40 && emails.allSatisfy { $0.email.keywords == [.flagged] })
        #expect(try await store.check() == [])
    }

    @Test func whileTheStoreIsOpenLosesNothingAtTheNextOpening() async throws {
        let folder = try await filled()
        try await folder.withStore { store in
            // All readers know the tables then.
            for id in ids.prefix(6) { _ = try await store.body(of: id, in: Sample.home) }
            FailingReads.failOnce(below: folder.path)
            await #expect(throws: StorageError.self) { try await store.body(of: ids[20], in: Sample.home) }
            #expect(FailingReads.end(below: folder.path))
            #expect(try damage(folder) == ["damaged"])
            try await expectAll(store)
        }
        try await folder.withStore { try await expectAll($0) }
        #expect(try damage(folder).isEmpty)
    }

    @Test(arguments: 0..<15) func duringTheOpeningLosesNothing(_ number: Int) async throws {
        let folder = try await filled()
        FailingReads.failOnce(after: number, below: folder.path)
        let store = folder.store()
        // It may say that the store cannot be read.
        _ = try? await store.open()
        FailingReads.end(below: folder.path)
        await store.close()
        try await folder.withStore { try await expectAll($0) }
        #expect(try damage(folder).isEmpty)
    }

    private func damage(_ folder: TestFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.storeFolder).filter {
            $0.hasPrefix("damaged")
        }
    }
}
