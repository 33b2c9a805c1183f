import CrashSupport
import FoundationEssentials
import Glibc
import MailKernelAPI
import Testing

@testable import PostgreSQLStorage

@Suite(
    "What is wrong at the server passes once it is mended",
    .enabled(if: TestServer.isInstalled, "PostgreSQL is not installed (apt-get install postgresql-15)."))
struct TroubleTests {
    @Test func aChangedPasswordIsReadAgain() async throws {
        let server = try TestServer.shared.get()
        let database = try OwnDatabase()
        let administrator = try database.connect()
        // The server asks this role for its password: see `TestServer`.
        try administrator.execute("CREATE ROLE guarded2 LOGIN SUPERUSER PASSWORD 'first'")
        try TestServer.run(
            """
            sed -i '1i local all guarded2 scram-sha-256' "$0/data/pg_hba.conf"
            """, [server.folder])
        try administrator.execute("SELECT pg_reload_conf()")
        let host = HostServices.forTesting(dataFolder: try OwnDatabase.newFolder())
        try await host.secrets.store(Secret("first"), named: "password")
        let settings = try ServerSettings(
            PluginSettings(["connection": .string(database.connection + " user=guarded2")]))
        let store = PostgreSQLStorage(host, settings)
        _ = try await store.open()
        try administrator.execute("ALTER ROLE guarded2 PASSWORD 'second'")
        // Connections stay as they are; new ones are refused.
        for process in try database.processes() { kill(process, SIGTERM) }
        let error = await #expect(throws: StorageError.self) { try await store.accounts() }
        guard case .unreachable(let reason) = error else {
            Issue.record("a changed password: \(error as Any)")
            return
        }
        #expect(reason.hasPrefix("the server refused the sign-in: "))
        try await host.secrets.store(Secret("second"), named: "password")
        #expect(try await store.accounts() == [])
        await store.close()
    }

    @Test(.enabled(if: SmallDisk.canBeMade, "Only root can mount a small disk."))
    func aFullDiskChangesNothingAndPasses() async throws {
        let disk = try SmallDisk(megabytes: 24)
        try TestServer.run("[ $(id -u) = 0 ] && chown postgres: \"$0\"; true", [disk.path])
        let administrator = try TestServer.shared.get().connect()
        try administrator.execute("CREATE TABLESPACE small LOCATION '\(disk.path)'")
        let database = try OwnDatabase("TABLESPACE small")
        let ballast = disk.path + "/ballast"
        try Data(count: 4 << 20).write(to: URL(filePath: ballast))
        try await database.withStore { store in
            var count = 0
            var failure: StorageError?
            while failure == nil, count < 1_000 {
                do throws(StorageError) {
                    _ = try await store.commit(Self.large(count + 1))
                    count += 1
                } catch {
                    failure = error
                }
            }
            #expect(failure == .full)
            let all = try await store.emails((1...count + 1).map { Id("large\($0)") }, in: OwnDatabase.home)
            #expect(all.count == count)
            unlink(ballast)
            _ = try await store.commit(Self.large(count + 1))
        }
        try administrator.execute("DROP DATABASE \(database.name) WITH (FORCE)")
        try administrator.execute("DROP TABLESPACE small")
    }

    /// Text that cannot be compressed much.
    private static func large(_ number: Int) -> ChangeSet {
        let words = (0..<4_000).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }
        return ChangeSet([OwnDatabase.email("large\(number)", EmailHeader(), words.joined(separator: " "))])
    }
}
