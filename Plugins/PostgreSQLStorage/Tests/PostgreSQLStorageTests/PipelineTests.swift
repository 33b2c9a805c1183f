import MailKernelAPI
import Testing

@testable import PostgreSQLStorage

@Suite(
    "Statements that are sent without waiting",
    .enabled(if: TestServer.isInstalled, "PostgreSQL is not installed (apt-get install postgresql-15)."))
struct PipelineTests {
    private func table() throws -> Connection {
        let connection = try OwnDatabase(on: TestServer.durable.get().connection).connect()
        try connection.execute("CREATE TABLE item (id bigint PRIMARY KEY, name bytea)")
        return connection
    }

    private func count(_ connection: Connection) throws -> Int? {
        try connection.first("SELECT count(*) FROM item") { $0.int(0) }
    }

    @Test func allAreThereInTheirOrder() throws {
        let connection = try table()
        try connection.execute("BEGIN")
        // More than are sent at once, and more bytes than a socket takes.
        let name = SQLValue.bytes([UInt8](repeating: 0x61, count: 5_000))
        for id in 0..<1_200 {
            try connection.send("INSERT INTO item VALUES ($1, $2)", .integer(id), name)
            if id > 0 { try connection.send("DELETE FROM item WHERE id = $1", .integer(id - 1)) }
        }
        #expect(try count(connection) == 1)
        try connection.commit()
        #expect(try connection.first("SELECT id FROM item") { $0.int(0) } == 1_199)
    }

    @Test func oneThatFailsFailsTheNextAndAllIsUndone() throws {
        let connection = try table()
        try connection.execute("BEGIN")
        try connection.send("INSERT INTO item VALUES (1, $1)", .string("a"))
        try connection.send("INSERT INTO item VALUES (1, $1)", .string("b"))
        // Prepared behind the failure, so not prepared at all.
        try connection.send("INSERT INTO item VALUES (2, $1)", .string("c"))
        let error = #expect(throws: StorageError.self) { try count(connection) }
        #expect(error.map { "\($0)" }?.contains("23505") == true)
        try connection.execute("ROLLBACK")
        #expect(try count(connection) == 0)

        try connection.execute("BEGIN")
        try connection.send("INSERT INTO item VALUES (2, $1)", .string("c"))
        try connection.send("INSERT INTO item VALUES (1, $1)", .string("a"))
        try connection.commit()
        #expect(try count(connection) == 2)
    }

    @Test func aFailureComesBeforeTheCommit() throws {
        let connection = try table()
        try connection.execute("BEGIN")
        try connection.send("INSERT INTO item VALUES ($1, $2)", .integer(1), .string("a"))
        try connection.send("INSERT INTO item VALUES ($1, $2)", .integer(1), .string("a"))
        #expect(throws: StorageError.self) { try connection.commit() }
        #expect(!connection.isLost)
        try connection.execute("ROLLBACK")
        #expect(try count(connection) == 0)
    }
}
