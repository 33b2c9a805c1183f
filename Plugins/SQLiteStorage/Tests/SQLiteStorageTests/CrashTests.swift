import CrashSupport
import FoundationEssentials
import MailKernelAPI
import Testing

@testable import SQLiteStorage

@Suite("SQLite loses nothing that it confirmed", .serialized) struct CrashTests {
    /// `make soak` asks for thousands.
    private static let kills =
        ProcessInfo.processInfo.environment["KILLS"].flatMap { Int($0) } ?? 200

    /// Ends the program at random moments, opening and closing the log included.
    @Test func killedAtAnyMomentItHoldsEveryConfirmedSet() async throws {
        let folder = try TestFolder()
        var confirmed = 0
        for number in 0..<Self.kills {
            let child = try Child("sqlite-storage-crasher", ["write", folder.storeFolder])
            // Half of them while it opens the store, half after it has come to something.
            try #require(await child.hasWritten(lines: number.isMultiple(of: 2) ? 2 : 1))
            try await child.killAtAnyMoment(within: .milliseconds(140))
            confirmed = await child.lines().compactMap { Int($0) }.last ?? confirmed
            _ = try await expectWhole(folder, confirmed: confirmed)
        }
        #expect(confirmed >= Self.kills / 2, "so few sets that nothing was tried")
    }

    /// Returns the number of the last set that is there.
    private func expectWhole(_ folder: TestFolder, confirmed: Int) async throws -> Int {
        try await folder.withStore { store in
            let key = DocumentKey("crasher", "number")
            let number = try await store.document(key)?.value.intValue ?? 0
            try #require(number >= confirmed, "a set that was confirmed is gone")
            let first = max(1, number - 49)
            let expected =
                number == 0
                ? [] : Set((first...number).flatMap { n in ["a", "b", "c"].map { "e\(n)-\($0)" } })
            let found = try await store.queryEmails(EmailQuery(in: [Sample.home], limit: 1_000)).hits
            try #require(Set(found.map(\.emailID.rawValue)) == expected, "a set is there in part")
            let words = EmailQuery(in: [Sample.home], filter: .text("word\(number)"), limit: 10)
            let hits = try await store.queryEmails(words).hits
            try #require(hits.count == (number == 0 ? 0 : 3), "the index does not know the last set")
            try #require(try await store.check() == [])
            if confirmed > 0 {
                let blob = try await store.readBlob(Id("number"), in: Sample.home, offset: 0, count: 20)
                let last = try #require(Int(String(decoding: blob, as: UTF8.self)))
                try #require(last >= confirmed, "a blob that was confirmed is gone")
            }
            return number
        }
    }

    @Test func aFullDiskChangesNothingAndPasses() async throws {
        let folder = try TestFolder()
        let child = try Child("sqlite-storage-crasher", ["fill", folder.storeFolder, "600000"])
        let lines = await child.lines().filter { $0 != "ready" }
        let failure = try #require(lines.firstIndex { Int($0) == nil }, "the disk was never full")
        #expect(lines[failure] == "full")
        let numbers = lines.compactMap { Int($0) }
        // The set that failed may have been written before its blob failed, but never in part.
        #expect(numbers.count > failure + 10, "it does not work again when there is space")
        let last = try await expectWhole(folder, confirmed: numbers.last ?? 0)
        #expect(last == numbers.last)
    }
}
