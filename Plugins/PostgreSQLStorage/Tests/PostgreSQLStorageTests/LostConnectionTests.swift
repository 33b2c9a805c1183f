import FoundationEssentials
import Glibc
import MailKernelAPI
import Testing

@testable import PostgreSQLStorage

@Suite(
    "A server that is gone comes back",
    .enabled(if: TestServer.isInstalled, "PostgreSQL is not installed (apt-get install postgresql-15)."))
struct LostConnectionTests {
    @Test func lostConnectionsAreMadeAgain() async throws {
        let database = try OwnDatabase()
        try await database.withStore { store in
            _ = try await store.commit(ChangeSet([OwnDatabase.email("a")]))
            for process in try database.processes() { kill(process, SIGTERM) }
            _ = try await store.commit(ChangeSet([OwnDatabase.email("b")]))
            for process in try database.processes() { kill(process, SIGTERM) }
            let emails = try await store.emails([Id("a"), Id("b")], in: OwnDatabase.home)
            #expect(emails.map(\.email.id.rawValue) == ["a", "b"])
        }
    }

    @Test func hungConnectionsAreGivenUpAndMadeAgain() async throws {
        let database = try OwnDatabase(patience: 1)
        try await database.withStore { store in
            _ = try await store.commit(ChangeSet([OwnDatabase.email("a")]))
            let hung = try database.processes()
            #expect(!hung.isEmpty)
            for process in hung { kill(process, SIGSTOP) }
            defer { for process in hung { kill(process, SIGCONT) } }
            _ = try await store.commit(ChangeSet([OwnDatabase.email("b")]))
            let emails = try await store.emails([Id("a"), Id("b")], in: OwnDatabase.home)
            #expect(emails.count == 2)
        }
    }

    @Test func aServerThatIsNotThereIsUnreachable() async throws {
        let settings = try ServerSettings(PluginSettings(["connection": "host=/nowhere dbname=mail"]))
        let store = PostgreSQLStorage(.forTesting(), settings)
        let error = await #expect(throws: StorageError.self) { try await store.open() }
        guard case .unreachable(let reason) = error else {
            Issue.record("a store without a server is \(String(describing: error))")
            return
        }
        #expect(reason.contains("/nowhere"))
    }
}
