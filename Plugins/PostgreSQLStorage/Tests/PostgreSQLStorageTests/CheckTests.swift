import FoundationEssentials
import MailKernelAPI
import Testing

@testable import PostgreSQLStorage

@Suite(
    "A check explains what is wrong",
    .enabled(if: TestServer.isInstalled, "PostgreSQL is not installed (apt-get install postgresql-15)."))
struct CheckTests {
    @Test(
        arguments: [
            ("DELETE FROM email_body WHERE id = 'a'", "A message has no text."),
            ("DELETE FROM email_mailbox", "2 messages are missing from the list"),
            ("UPDATE mailbox SET unread_emails = 7", "The counts of a mailbox do not match"),
            ("UPDATE email SET terms = ''", "2 messages have other words in the search index"),
            ("DELETE FROM mailbox", "2 messages are in a mailbox that does not exist."),
            ("UPDATE account SET mail_bytes = 0", "Settings shows a wrong size for an account."),
            ("DELETE FROM blob_chunk", "A draft's or an upload's data is incomplete."),
            ("DELETE FROM blob", "3 pieces of removed attachments were left behind."),
            ("DELETE FROM insight; INSERT INTO thread_message VALUES (1, 'x', 'gone')", "A row of a removed"),
            ("DELETE FROM change WHERE kind = 0", "gaps."),
            ("UPDATE record SET record = 'no JSON'", "A record cannot be read."),
            ("DROP INDEX contact_worst", "The index “contact_worst” is missing."),
        ])
    func damageIsFound(_ damage: String, _ sentence: String) async throws {
        let database = try OwnDatabase(on: TestServer.durable.get().connection)
        try await database.withStore { store in
            try await Self.fill(store)
            #expect(try await store.check() == [])
            try database.connect().execute(damage)
            let findings = try await store.check()
            #expect(findings.contains { $0.contains(sentence) }, "\(findings)")
        }
    }

    @Test func rebuildingRepairsTheIndexAndTheSums() async throws {
        let database = try OwnDatabase(on: TestServer.durable.get().connection)
        try await database.withStore { store in
            try await Self.fill(store)
            try database.connect().execute(
                "UPDATE email SET terms = ''; UPDATE account SET mail_bytes = 0, insight_bytes = 0")
            #expect(try await database.find("needle").isEmpty)
            try await store.rebuildSearchIndex()
            #expect(try await database.find("needle") == ["a"])
            #expect(try await store.check() == [])
        }
    }

    /// Stores of earlier versions have it, as long as their server has the extension.
    @Test(arguments: [true, false]) func anIndexOfAnEarlierVersionIsUsedAndReplaced(_ isThere: Bool)
        async throws
    {
        let database = try OwnDatabase(on: TestServer.durable.get().connection)
        try await database.withStore { store in
            try await Self.fill(store)
            let connection = try database.connect()
            try connection.execute("DROP INDEX email_terms")
            if isThere {
                try connection.execute(
                    """
                    CREATE EXTENSION btree_gin SCHEMA public;
                    CREATE INDEX email_terms ON email USING gin (account, quarter, terms)
                    """)
                #expect(try await store.check() == [])
            } else {
                let findings = try await store.check()
                #expect(
                    findings.count == 1 && findings[0].hasPrefix("The index “email_terms” is missing."),
                    "\(findings)")
            }
            #expect(try await database.find("needle") == ["a"])
            try await store.rebuildSearchIndex()
            try connection.execute("DROP EXTENSION IF EXISTS btree_gin")
            #expect(try await database.find("needle") == ["a"])
            #expect(try await store.check() == [])
        }
    }

    @Test func aServerThatCanLoseMailIsNamed() async throws {
        let careless = "-c fsync=off -c full_page_writes=off -c synchronous_commit=off"
        let server = try TestServer("-c listen_addresses='' \(careless)")
        let database = try OwnDatabase(on: server.connection)
        try await database.withStore { store in
            let findings = try await store.check().map { $0.prefix { $0 != ":" } }
            #expect(
                findings == [
                    "“fsync” is off on the database server",
                    "“full_page_writes” is off on the database server",
                    "“synchronous_commit” is off on the database server",
                ])
        }
    }

    @Test func aWrongClockIsNamed() {
        #expect(ServerCheck.clockFinding(-4) == nil)
        #expect(ServerCheck.clockFinding(90)?.contains("90 seconds ahead of this computer's") ?? false)
        #expect(ServerCheck.clockFinding(-.infinity)?.contains("behind this computer's") ?? false)
    }

    @Test func aCheckCanBeStopped() async throws {
        let database = try OwnDatabase(on: TestServer.durable.get().connection)
        try await database.withStore { store in
            let task = Task { try await store.check() }
            task.cancel()
            // It may be over before.
            if case .failure(let error) = await task.result {
                #expect(error as? StorageError == .cancelled)
            }
        }
    }

    private static func fill(_ store: PostgreSQLStorage) async throws {
        _ = try await store.commit(
            ChangeSet([
                OwnDatabase.email("a", EmailHeader(subject: "One"), "a needle"),
                OwnDatabase.email("b", EmailHeader(subject: "Two"), "in hay"),
                .putInsight(
                    EmailInsight(
                        emailID: Id("a"), accountID: OwnDatabase.home, modelID: "model", category: .social,
                        embedding: [1, 0])),
                .putDocument(Document(DocumentKey("settings", "theme"), value: "dark")),
            ]))
        let blob = BlobInfo(id: Id("kept"), accountID: OwnDatabase.home, type: "image/png", retention: .kept)
        let writer = try await store.writeBlob(blob)
        try await writer.write(Data(count: 600_000))
        try await writer.finish()
    }
}
