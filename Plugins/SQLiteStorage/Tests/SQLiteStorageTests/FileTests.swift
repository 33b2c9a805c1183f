import CSQLite
import FoundationEssentials
import Glibc
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import SQLiteStorage

@Suite("SQLite's files") struct FileTests {
    @Test func areForTheUserAlone() async throws {
        let folder = try TestFolder()
        try await folder.withStore { store in
            _ = try await store.commit(ChangeSet(Sample.account() + [Sample.email("a")]))
            let blob = try await store.writeBlob(
                BlobInfo(id: Id("b"), accountID: Sample.home, type: "text/plain", retention: .kept))
            try await blob.write(Data("bytes".utf8))
            try await blob.finish()
            let modes = try folder.modes()
            for (name, mode) in modes {
                let isFolder = name == "." || name == "blobs"
                #expect(mode == (isFolder ? 0o700 : 0o600), "\(name) has the mode \(String(mode, radix: 8))")
            }
        }
    }

    @Test func areUsedByOneStoreAtATime() async throws {
        let folder = try TestFolder()
        try await folder.withStore { _ in
            let second = folder.store()
            _ = await #expect(throws: StorageError.inUse) { try await second.open() }
        }
        try await folder.withStore { _ in }
    }

    @Test func ofANewerFormatAreLeftAsTheyAre() async throws {
        let folder = try TestFolder()
        try await folder.withStore { _ = try await $0.commit(ChangeSet(Sample.account())) }
        try execute("PRAGMA user_version = 99", folder.database)
        let before = try folder.bytes(folder.database)
        await #expect(throws: StorageError.newerFormat(found: 99, known: Schema.version)) {
            try await folder.store().open()
        }
        #expect(try folder.bytes(folder.database) == before)
        #expect(!FileManager.default.fileExists(atPath: folder.database + "-wal"))
    }

    @Test func ofAnotherProgramAreLeftAsTheyAre() async throws {
        let folder = try TestFolder()
        try await folder.withStore { _ in }
        try execute("PRAGMA application_id = 77", folder.database)
        let before = try folder.bytes(folder.database)
        await #expect {
            try await folder.store().open()
        } throws: { error in
            if case .unreadable = error as? StorageError { true } else { false }
        }
        #expect(try folder.bytes(folder.database) == before)
    }

    @Test func thatCannotBeMadeAreSaidToBe() async throws {
        let folder = try TestFolder()
        try Data("a file".utf8).write(to: URL(filePath: folder.storeFolder))
        await #expect {
            try await folder.store().open()
        } throws: { error in
            if case .unwritable = error as? StorageError { true } else { false }
        }
    }

    @Test(.disabled(if: geteuid() == 0, "root may write anywhere"))
    func inAFolderThatCannotBeWrittenAreSaidToBe() async throws {
        let folder = try TestFolder()
        try await folder.withStore { _ = try await $0.commit(ChangeSet(Sample.account())) }
        chmod(folder.path, 0o500)
        defer { chmod(folder.path, 0o700) }
        let store = SQLiteStorage(.forTesting(dataFolder: URL(filePath: folder.path + "/new")))
        await #expect {
            try await store.open()
        } throws: { error in
            if case .unwritable = error as? StorageError { true } else { false }
        }
    }

    @Test func leaveNothingOfARemovedAccount() async throws {
        let folder = try TestFolder()
        try await folder.withStore { store in
            let secrets = (0..<200).map { Sample.email("a\($0)", text: "xylophone\($0) is the secret") }
            let others = (0..<200).map { Sample.email("b\($0)", of: Id("work"), text: "marimba\($0) is not") }
            _ = try await store.commit(ChangeSet(Sample.account() + secrets))
            _ = try await store.commit(ChangeSet(Sample.account(Id("work")) + others))
            try await store.removeAccount(Sample.home)
            let (gone, left) = (try occurrences("xylophone", folder), try occurrences("marimba", folder))
            #expect(gone == 0)
            #expect(left > 0)
            #expect(try await store.check() == [])
        }
    }

    @Test func allGoWhenItIsWiped() async throws {
        let folder = try TestFolder()
        let store = folder.store()
        _ = try await store.open()
        _ = try await store.commit(ChangeSet(Sample.account() + [Sample.email("a")]))
        try await store.wipe()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.storeFolder) == [])
    }

    private func occurrences(_ word: String, _ folder: TestFolder) throws -> Int {
        let files = ["mail.db", "mail.db-wal"].map { folder.storeFolder + "/" + $0 }
        return try files.filter { FileManager.default.fileExists(atPath: $0) }.reduce(0) { count, file in
            let bytes = try folder.bytes(file)
            return count + (bytes.firstRange(of: Data(word.utf8)) == nil ? 0 : 1)
        }
    }

    private func execute(_ sql: String, _ path: String) throws {
        try Database(path, .readWrite).execute(sql)
    }
}
