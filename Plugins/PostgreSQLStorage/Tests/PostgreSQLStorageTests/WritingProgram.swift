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
    }

    func stop() async throws {
        child.kill()
        let lines = await child.lines()
        let numbers = lines.compactMap { Int($0) }
        // Conditions that do not hold are repeated commits; a lost outcome would be reported.
        let errors = lines.filter { Int($0) == nil && !$0.hasPrefix("stateMismatch") }
        #expect(errors.isEmpty, "\(errors.prefix(3))")
        confirmed = max(confirmed, numbers.last ?? 0)
    }

    func expectAll(in store: PostgreSQLStorage) async throws {
        let key = DocumentKey("writer-\(name)", "number", accountID: OwnDatabase.home)
        let number = try await store.document(key)?.value.intValue ?? 0
        // The last one may have been committed without time to say so.
        #expect(number == confirmed || number == confirmed + 1)
        let ids = (1...max(1, number)).map { Id<Email>("\(name)-\($0)") }
        #expect(try await store.emails(ids, in: OwnDatabase.home).count == number)
        let contact = try await store.contacts(matching: "\(name)@example.org", limit: 1).first
        #expect(contact?.frequency == number, "a commit was applied twice, or not as a whole")
    }
}
