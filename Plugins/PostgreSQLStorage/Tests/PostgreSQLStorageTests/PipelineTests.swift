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

    @Test func severalQuestionsAreAnsweredAtOnce() throws {
        let connection = try table()
        let before = connection.exchanges
        try connection.send("BEGIN", once: true)
        let one = try connection.ask("SELECT $1::bigint + 1", [.integer(1)])
        try connection.send("INSERT INTO item VALUES ($1, $2)", .integer(7), .string("a"))
        let other = try connection.ask("SELECT id FROM item", [])
        #expect(try connection.rows(other) { $0.int(0) } == [7])
        #expect(try connection.rows(one) { $0.int(0) } == [2])
        #expect(connection.exchanges == before + 1)
        try connection.commit()
        #expect(try count(connection) == 1)
    }

    @Test func aQuestionBehindAFailureHasNoAnswer() throws {
        let connection = try table()
        try connection.execute("BEGIN")
        let good = try connection.ask("SELECT 1::bigint", [])
        let bad = try connection.ask("SELECT 1 / $1", [.integer(0)])
        let behind = try connection.ask("SELECT 2::bigint", [])
        for question in [behind, bad] {
            let error = #expect(throws: StorageError.self) { try connection.rows(question) { $0.int(0) } }
            #expect(error.map { "\($0)" }?.contains("22012") == true)
        }
        #expect(try connection.rows(good) { $0.int(0) } == [1])
        try connection.execute("ROLLBACK")
        #expect(try count(connection) == 0)
    }

    @Test func theLastAnswerIsReadWithTheNextStatement() throws {
        let connection = try table()
        try connection.send("BEGIN", once: true)
        try connection.send("INSERT INTO item VALUES ($1, $2)", .integer(1), .string("a"))
        try connection.sendLast("COMMIT")
        #expect(try count(connection) == 1)
        try connection.send("INSERT INTO item VALUES ($1, $2)", .integer(1), .string("a"))
        try connection.sendLast("SELECT 1")
        // What fails there is over.
        #expect(try count(connection) == 1)
        #expect(!connection.isLost)
        try connection.sendLast("SELECT 1 / 0")
        let before = connection.exchanges
        #expect(try connection.first("SELECT 2::bigint") { $0.int(0) } == 2)
        #expect(connection.exchanges == before + 1)
    }

    /// More statements than are kept prepared, in the middle of a transaction.
    @Test func preparedStatementsAreForgotten() throws {
        let connection = try table()
        try connection.execute("BEGIN")
        for number in 0..<(Connection.mostPrepared * 2 + 10) {
            try connection.send("INSERT INTO item VALUES (\(number), $1)", .string("a"))
        }
        try connection.commit()
        #expect(try count(connection) == Connection.mostPrepared * 2 + 10)
    }
}
