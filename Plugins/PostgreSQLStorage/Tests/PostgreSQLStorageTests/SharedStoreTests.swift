import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import PostgreSQLStorage

@Suite(
    "Several kernels have the store open",
    .enabled(if: TestServer.isInstalled, "PostgreSQL is not installed (apt-get install postgresql-15)."))
struct SharedStoreTests {
    @Test func theLeaseOfAKernelThatIsGoneIsTaken() async throws {
        let database = try OwnDatabase()
        let other = database.anotherStore()
        try await database.withStore { store in
            _ = try await other.open()
            try database.connect().execute(
                "UPDATE account SET fence = 7, holder = 'gone', held_until = clock_timestamp() + interval '1 second'"
            )
            #expect(try await store.takeLease(of: OwnDatabase.home) == nil)
            var lease: StoreLease?
            while lease == nil { lease = try await other.takeLease(of: OwnDatabase.home) }
            #expect(lease?.fence == 8)
            let lost = StoreLease(accountID: OwnDatabase.home, fence: 7)
            await #expect(throws: StorageError.leaseLost(lost)) {
                _ = try await store.commit(ChangeSet([OwnDatabase.email("a")], leases: [lost]))
            }
            #expect(try await store.emails([Id("a")], in: OwnDatabase.home).isEmpty)
        }
        await other.close()
    }

    @Test func aStoreOfAnEarlierFormatStaysAsItIs() async throws {
        let database = try OwnDatabase()
        try await database.withStore { _ in }
        try database.connect().execute("UPDATE store SET format = 1")
        let error = await #expect(throws: StorageError.self) { try await database.store.open() }
        guard case .unsupported(let sentence)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(sentence.contains("DROP SCHEMA"))
        let format = try database.connect().first("SELECT format FROM store", once: true) { $0.int(0) }
        #expect(format == 1)
    }
}
