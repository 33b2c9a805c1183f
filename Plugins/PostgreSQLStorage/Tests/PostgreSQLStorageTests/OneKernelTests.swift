import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import PostgreSQLStorage

@Suite(
    "One kernel at a time has the store",
    .enabled(if: TestServer.isInstalled, "PostgreSQL is not installed (apt-get install postgresql-15)."))
struct OneKernelTests {
    @Test func anotherKernelIsRefusedUntilTheStoreIsClosed() async throws {
        let database = try OwnDatabase()
        let other = database.anotherStore()
        try await database.withStore { _ in
            await #expect(throws: StorageError.inUse) { try await other.open() }
        }
        #expect(try await other.open() == .ready)
        await other.close()
    }

    @Test func aKernelThatLostTheStoreWritesNothing() async throws {
        let database = try OwnDatabase()
        try await database.withStore { store in
            try database.connect().execute("UPDATE store SET holder = 'another'")
            await #expect(throws: StorageError.inUse) {
                _ = try await store.commit(ChangeSet([OwnDatabase.email("a")]))
            }
            #expect(try await store.emails([Id("a")], in: OwnDatabase.home).isEmpty)
        }
    }

    @Test func aStoreWhoseKernelIsGoneIsTaken() async throws {
        let database = try OwnDatabase()
        try await database.withStore { _ in }
        try database.connect().execute(
            "UPDATE store SET holder = 'gone', held_until = clock_timestamp() + interval '2 seconds'")
        #expect(try await database.store.open() == .ready)
        await database.store.close()
    }
}
