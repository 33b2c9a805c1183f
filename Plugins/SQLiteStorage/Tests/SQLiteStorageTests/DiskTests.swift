import CrashSupport
import FoundationEssentials
import Glibc
import MailKernelAPI
import Testing

@testable import SQLiteStorage

@Suite("On a disk of its own", .enabled(if: SmallDisk.canBeMade, "only root can mount a disk"))
struct DiskTests {
    private func store(on disk: SmallDisk) -> SQLiteStorage {
        SQLiteStorage(.forTesting(dataFolder: URL(filePath: disk.path + "/store")))
    }

    private let text = String(repeating: "words that fill a disk ", count: 2_000)

    @Test func aFullOneIsSaidToBeAndNothingIsHalfThere() async throws {
        let disk = try SmallDisk(megabytes: 8)
        let ballast = disk.path + "/ballast"
        try Data(count: 2_000_000).write(to: URL(filePath: ballast))
        let store = store(on: disk)
        _ = try await store.open()
        _ = try await store.commit(ChangeSet(Sample.account()))
        var stored = 0
        await #expect(throws: StorageError.full) {
            for number in 0..<1_000 {
                let pair = ["a", "b"].map { Sample.email("\($0)\(number)", text: text) }
                _ = try await store.commit(ChangeSet(pair))
                stored += 1
            }
        }
        #expect(stored > 5)
        let all = EmailQuery(in: [Sample.home], limit: 10_000)
        #expect(try await store.queryEmails(all).hits.count == 2 * stored)
        // Some space is freed, and it goes on.
        try FileManager.default.removeItem(atPath: ballast)
        _ = try await store.commit(ChangeSet([.destroyEmail(Id("a0"), in: Sample.home)]))
        _ = try await store.commit(ChangeSet([Sample.email("late", text: text)]))
        #expect(try await store.queryEmails(all).hits.count == 2 * stored)
        #expect(try await store.check() == [])
        await store.close()
        _ = try await store.open()
        #expect(try await store.check() == [])
        await store.close()
    }

    /// To the last byte, and opened there.
    @Test func aFullOneIsReadAndDeletedFromUntilThereIsRoomAgain() async throws {
        let disk = try SmallDisk(megabytes: 128)
        let store = store(on: disk)
        _ = try await store.open()
        _ = try await store.commit(ChangeSet(Sample.account()))
        _ = try await store.commit(ChangeSet((0..<200).map { Sample.email("e\($0)", text: text) }))
        await store.close()
        let ballast = open(disk.path + "/ballast", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let page = [UInt8](repeating: 0, count: 4_096)
        while write(ballast, page, page.count) > 0 {}
        close(ballast)

        #expect(try await store.open() == .ready)
        let all = EmailQuery(in: [Sample.home], filter: .text("disk"), limit: 1_000)
        #expect(try await store.queryEmails(all).hits.count == 200)
        await #expect(throws: StorageError.full) {
            _ = try await store.commit(ChangeSet([Sample.email("new", text: text)]))
        }
        for numbers in [0..<10, 10..<150] {
            let gone = numbers.map { StorageChange.destroyEmail(Id("e\($0)"), in: Sample.home) }
            _ = try await store.commit(ChangeSet(gone))
        }
        _ = try await store.commit(ChangeSet([Sample.email("new", text: text)]))
        #expect(try await store.queryEmails(all).hits.count == 51)
        #expect(try await store.check() == [])
        await store.close()
        #expect(try await store.open() == .ready)
        #expect(try await store.queryEmails(all).hits.count == 51)
        await store.close()
    }

    @Test func oneThatBecomesReadOnlyIsSaidToBe() async throws {
        let disk = try SmallDisk(megabytes: 8)
        let store = store(on: disk)
        _ = try await store.open()
        _ = try await store.commit(ChangeSet(Sample.account()))
        await store.close()
        try disk.setReadOnly(true)
        await #expect {
            try await store.open()
        } throws: { error in
            if case .unwritable = error as? StorageError { true } else { false }
        }
        try disk.setReadOnly(false)
        #expect(try await store.open() == .ready)
        #expect(try await store.accounts().count == 1)
        await store.close()
    }
}
