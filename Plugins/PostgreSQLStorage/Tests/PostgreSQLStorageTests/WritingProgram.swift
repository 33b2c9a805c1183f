import CrashSupport
import FoundationEssentials
import MailKernelAPI
import Testing

@testable import PostgreSQLStorage

/// A program that writes to the store until it is killed.
final class WritingProgram {
    let name: String
    private var child: Child
    private var seen = 0
    private var confirmed = 0
    /// Whether the server may still be busy with a commit of its predecessor, which was killed.
    private var isRestarted = false

    private let connection: String
    private let command: [String]

    /// - Parameters:
    ///   - connection: its connection string, if not that of the database.
    ///   - command: what runs it in another place.
    init(
        _ name: String, _ database: OwnDatabase, connection: String? = nil, through command: [String] = []
    ) throws {
        self.name = name
        self.connection = connection ?? database.connection
        self.command = command
        child = try Self.start(name, self.connection, command)
    }

    private static func start(_ name: String, _ connection: String, _ command: [String]) throws -> Child {
        let folder = try OwnDatabase.newFolder().path
        return try Child("postgresql-storage-writer", [connection, name, folder], through: command)
    }

    func awaitProgress() async throws {
        seen += 3
        try #require(await child.hasWritten(lines: seen), "the writer has ended")
    }

    func killAndRestart() async throws {
        try await stop()
        child = try Self.start(name, connection, command)
        seen = 0
        isRestarted = true
    }

    func stop() async throws {
        child.kill()
        let lines = await child.lines()
        let numbers = lines.compactMap { Int($0) }
        // A lost outcome would be reported, and a condition that does not hold is a commit that was repeated.
        let errors = lines.filter { Int($0) == nil }
        let repeated = errors.filter { $0.hasPrefix("stateMismatch") }
        #expect(repeated.count == errors.count, "\(errors.prefix(3))")
        #expect(repeated.count <= (isRestarted ? 1 : 0), "\(repeated.prefix(3))")
        confirmed = max(confirmed, numbers.last ?? 0)
    }

    /// Every number that it has written is there, once.
    func expectAll(in store: PostgreSQLStorage) async throws {
        try await awaitLastCommit(in: store)
        let key = DocumentKey("writer-\(name)", "number", accountID: OwnDatabase.home)
        let number = try await store.document(key)?.value.intValue ?? 0
        // The last one may have been committed without time to say so.
        #expect(number == confirmed || number == confirmed + 1)
        let ids = (1...max(1, number)).map { Id<Email>("\(name)-\($0)") }
        #expect(try await store.emails(ids, in: OwnDatabase.home).count == number)
        let contact = try await store.contacts(matching: "\(name)@example.org", limit: 1).first
        #expect(contact?.frequency == number, "a commit was applied twice, or not as a whole")
    }

    /// The server carries out a commit that it has received, even if its writer was killed since. It would come between
    /// two reads; a commit to the same account waits for it.
    private func awaitLastCommit(in store: PostgreSQLStorage) async throws {
        let key = DocumentKey("reader-\(name)", "number", accountID: OwnDatabase.home)
        _ = try await store.commit(
            ChangeSet([.putDocument(Document(key, value: JSONValue.number(Double(confirmed))))]))
    }
}
