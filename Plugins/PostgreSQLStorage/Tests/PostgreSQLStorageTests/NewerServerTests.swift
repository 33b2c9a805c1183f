import FoundationEssentials
import Glibc
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import PostgreSQLStorage

/// PostgreSQL 18 as PyPI has it, without the extension btree_gin.
private enum NewerServer {
    static let isNotInstalled = "PostgreSQL 18 is not installed (Tests/Tools/python-env)."
    static var isInstalled: Bool { TestServer.isInstalled && programs != nil }

    static var programs: String? {
        (9...20).map { "\(S3Server.environment)/lib/python3.\($0)/site-packages/pgserver/pginstall/bin" }
            .first { access($0 + "/postgres", X_OK) == 0 }
    }

    static let server = Result {
        try TestServer(programs: programs ?? "")
    }
}

@Suite(
    "PostgreSQL 18 keeps the promises of a store, too", .serialized,
    .enabled(if: NewerServer.isInstalled, Comment(rawValue: NewerServer.isNotInstalled)))
struct NewerServerTests {
    /// A few, and with `make soak` all.
    private static let promises = ConformanceCase.all(.storage).filter {
        guard ProcessInfo.processInfo.environment["SERVER_KILLS"] == nil else { return true }
        return ["anEmptyFolderBecomesAStore", "randomWorkGivesTheSameAnswers1"].contains($0.name)
            || $0.name.hasPrefix("finds") || $0.name.hasPrefix("filters")
    }

    @Test(arguments: promises) func keeps(_ promise: ConformanceCase) async throws {
        let subject = ConformanceSubject { host in
            let settings = try ServerSettings(
                TestServer.settings(for: host.dataFolder, on: NewerServer.server.get()))
            return .storage(PostgreSQLStorage(host, settings))
        }
        #expect(try await promise.check(subject) == .kept)
    }

    /// As the documentation describes it. A store of an earlier version has an index that needs btree_gin.
    @Test(arguments: [false, true]) func aDumpOfAnOlderServerIsRestored(_ isOfEarlierVersion: Bool)
        async throws
    {
        let old = try OwnDatabase()
        try await old.withStore { store in
            let blob = BlobInfo(
                id: Id("kept"), accountID: OwnDatabase.home, type: "image/png", retention: .kept)
            let writer = try await store.writeBlob(blob)
            try await writer.write(Data(repeating: 7, count: 600_000))
            try await writer.finish()
            _ = try await store.commit(
                ChangeSet([OwnDatabase.email("a", EmailHeader(subject: "One"), "a needle in hay")]))
        }
        if isOfEarlierVersion {
            try old.connect().execute(
                """
                CREATE EXTENSION btree_gin SCHEMA public; DROP INDEX mailkernel.email_terms;
                CREATE INDEX email_terms ON mailkernel.email USING gin (account, quarter, terms)
                """)
        }
        let server = try NewerServer.server.get()
        try Self.move(old, to: server)
        let settings = PluginSettings(["connection": .string(server.connection(to: old.name))])
        let store = try SpreadStore.another(settings)
        #expect(try await store.open() == .ready)
        if isOfEarlierVersion {
            #expect(try await store.check().first?.hasPrefix("The index “email_terms” is missing.") ?? false)
            try await store.rebuildSearchIndex()
        }
        #expect(try await store.check() == [])
        let query = EmailQuery(in: [OwnDatabase.home], filter: .text("needle"), limit: 10)
        #expect(try await store.queryEmails(query).hits.map(\.emailID) == [Id("a")])
        let bytes = try await store.readBlob(Id("kept"), in: OwnDatabase.home, offset: 599_999, count: 10)
        #expect(bytes == Data([7]))
        _ = try await store.commit(ChangeSet([OwnDatabase.email("b", EmailHeader(subject: "Two"))]))
        await store.close()
    }

    private static func move(_ database: OwnDatabase, to server: TestServer) throws {
        try server.connect().execute("CREATE DATABASE \(database.name) TEMPLATE template0")
        // Where btree_gin is missing, pg_restore says so and goes on.
        try TestServer.run(
            """
            "$0/pg_dump" -d "$1" --format=custom --compress=1 --file="$3" &&
            { "$0/pg_restore" --dbname="$2" "$3" 2>"$3.log" || grep -q btree_gin "$3.log"; }
            """,
            [
                NewerServer.programs ?? "", database.connection, server.connection(to: database.name),
                server.folder + "/" + database.name,
            ])
    }
}

extension TestServer {
    fileprivate func connection(to database: String) -> String { connection + " dbname=\(database)" }
}
