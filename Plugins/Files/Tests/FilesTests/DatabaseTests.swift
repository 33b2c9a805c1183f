import Foundation
import SQLite
import Testing

@Suite("A database that plugins share") struct DatabaseTests {
    @Test func aStatementThatIsRunningCanBeRunAgain() throws {
        let database = try Database.inMemory()
        let sql = "VALUES (1), (2)"
        var seen: [Int] = []
        try database.each(sql) { row throws(TestFailure) in
            seen.append(row.int(0))
            seen += try database.rows(sql) { $0.int(0) * 10 }
            return true
        }
        #expect(seen == [1, 10, 20, 2, 10, 20])
    }

    @Test func aTransactionThatThrowsIsUndone() throws {
        let database = try Database.inMemory()
        try database.execute("CREATE TABLE t (x)")
        #expect(throws: TestFailure.closed) {
            try database.transaction { () throws(TestFailure) in
                try database.run("INSERT INTO t VALUES (?)", .integer(1))
                throw .closed
            }
        }
        #expect(try database.integer("SELECT count(*) FROM t") == 0)
    }

    @Test func moreStatementsThanAreKeptStillRun() throws {
        let database = try Database.inMemory()
        for number in 0..<900 {
            #expect(try database.integer("SELECT \(number)") == Int64(number))
        }
    }

    @Test func anErrorInTheSQLHasItsReason() throws {
        let database = try Database.inMemory()
        #expect(throws: TestFailure.invalid(reason: "no such table: nowhere")) {
            try database.run("SELECT * FROM nowhere")
        }
        try database.execute("CREATE TABLE t (x UNIQUE); INSERT INTO t VALUES (1)")
        #expect(throws: TestFailure.invalid(reason: "UNIQUE constraint failed: t.x")) {
            try database.run("INSERT INTO t VALUES (?)", .integer(1))
        }
        try database.run("INSERT INTO t VALUES (?)", .integer(2))
    }

    @Test func aFileThatIsNoDatabaseIsCorrupt() throws {
        let folder = try TestFolder()
        let path = folder.path + "/mail.db"
        try Data(repeating: 7, count: 4_096).write(to: URL(filePath: path))
        let database = try Database(path, flags: 2, patience: 0)
        #expect(throws: TestFailure.corrupt(reason: "file is not a database")) {
            try database.integer("SELECT count(*) FROM sqlite_master")
        }
    }

    @Test func aClosedLaneSaysSo() async throws {
        let lane = Lane("test", try Database.inMemory())
        await lane.close()
        await #expect(throws: TestFailure.closed) {
            try await lane.run { database throws(TestFailure) in try database.integer("SELECT 1") }
        }
    }
}
