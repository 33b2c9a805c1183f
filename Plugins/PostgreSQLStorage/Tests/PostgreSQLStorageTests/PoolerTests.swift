import FoundationEssentials
import Glibc
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import PostgreSQLStorage

@Suite(
    "A pooler may only hand out whole sessions",
    .enabled(if: TestServer.isInstalled, "PostgreSQL is not installed (apt-get install postgresql-15)."),
    .enabled(if: Pooler.isInstalled, "pgbouncer is not installed (apt-get install pgbouncer)."))
struct PoolerTests {
    @Test func transactionModeIsRefused() async throws {
        let error = await #expect(throws: StorageError.self) { try await Self.open(through: "transaction") }
        guard case .unsupported(let sentence) = error else {
            Issue.record("pgbouncer in transaction mode: \(error as Any)")
            return
        }
        #expect(sentence.contains("pool_mode = session"))
    }

    @Test func sessionModeWorks() async throws {
        #expect(try await Self.open(through: "session") == .created)
    }

    private static func open(through mode: String) async throws -> StorageOpening {
        let pooler = try Pooler(mode)
        let settings = try ServerSettings(
            PluginSettings(["connection": .string(pooler.connection), "schema": .string(mode)]))
        let store = PostgreSQLStorage(.forTesting(), settings)
        let met = try await store.open()
        await store.close()
        return met
    }
}

/// A pgbouncer before the tests' server.
private struct Pooler {
    static var isInstalled: Bool { access("/usr/sbin/pgbouncer", X_OK) == 0 }

    let connection: String

    init(_ mode: String) throws {
        let server = try TestServer.shared.get()
        let folder = try TestServer.newFolder()
        try """
        [databases]
        postgres = host=\(server.folder) user=mail dbname=postgres
        [pgbouncer]
        pool_mode = \(mode)
        unix_socket_dir = \(folder)
        listen_addr =
        auth_type = any
        """.write(toFile: folder + "/pgbouncer.ini", atomically: true, encoding: .utf8)
        try TestServer.start(Self.script, [TestServer.programs, folder])
        connection = "host=\(folder) port=6432 user=mail dbname=postgres"
    }

    private static let script = """
        programs=$0 folder=$1
        \(TestServer.unprivileged)
        chmod a+r "$folder/pgbouncer.ini"
        $as /usr/sbin/pgbouncer -q "$folder/pgbouncer.ini" </dev/null >&2 &
        pooler=$!
        trap 'kill $pooler; rm -rf "$folder"' EXIT
        trap '' INT TERM HUP
        for try in 1 2 3 4 5 6 7 8 9 10; do
            "$programs/pg_isready" -q -h "$folder" -p 6432 && break
            sleep 0.5
        done
        [ "$try" = 10 ] && echo n >&0 || echo y >&0
        read -r end
        """
}
