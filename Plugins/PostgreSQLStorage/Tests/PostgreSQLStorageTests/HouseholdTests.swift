import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import PostgreSQLStorage

@Suite(
    "People on one server cannot read each other's mail",
    .enabled(if: TestServer.isInstalled, "PostgreSQL is not installed (apt-get install postgresql-15)."))
struct HouseholdTests {
    @Test func thePasswordOfOnePersonOpensOneDatabase() async throws {
        let server = try TestServer()
        let anna = try Person("anna", server)
        let ben = try Person("ben", server)
        try server.connect().execute("SELECT pg_reload_conf()")
        for person in [anna, ben] {
            let store = try await person.store()
            #expect(try await store.open() == .created)
            await store.close()
        }
        #expect(anna.password != ben.password)
        await anna.expectRefused(by: "mail_ben", "permission denied for database")
        await ben.expectRefused(by: "mail_anna", "permission denied for database")
        await ben.expectRefused(by: "mail_anna", as: "mail_anna", "password authentication failed")
        try Self.expectNoWayAround(anna)
    }

    private static func expectNoWayAround(_ anna: Person) throws {
        let connection = try anna.connect()
        for statement in ["SET ROLE mail_ben", "CREATE DATABASE more", "ALTER ROLE mail_ben PASSWORD 'x'"] {
            #expect(throws: StorageError.self) { try connection.execute(statement) }
            #expect(connection.failure?.state == "42501", "\(statement)")
        }
    }
}

/// A person for whom the administrator made a database, with the script of the documentation.
private struct Person {
    let password: String
    private let name: String
    private let server: TestServer

    init(_ name: String, _ server: TestServer) throws {
        self.name = "mail_" + name
        self.server = server
        let script = URL(filePath: #filePath).appending(path: "../../../../../docs/postgresql-person.sql")
        let output = server.folder + "/" + name
        try TestServer.run(
            """
            "$0/psql" -X -h "$1" -U mail -d postgres -v "person=$2" -f "$3" >"$4" &&
            sed -i "1i local all mail_$2 scram-sha-256" "$1/data/pg_hba.conf"
            """, [TestServer.programs, server.folder, name, script.standardized.path, output])
        let lines = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n")
        password = String(lines.last?.split(separator: " ").last ?? "")
    }

    private func settings(_ database: String, _ user: String) throws -> PluginSettings {
        PluginSettings(["connection": .string("host=\(server.folder) dbname=\(database) user=\(user)")])
    }

    func connect() throws -> Connection {
        var settings = try ServerSettings(try settings(name, name))
        settings.password = Secret(password)
        return try settings.connect()
    }

    func store(of database: String? = nil, as user: String? = nil) async throws -> PostgreSQLStorage {
        let host = HostServices.forTesting(dataFolder: try OwnDatabase.newFolder())
        try await host.secrets.store(Secret(password), named: "password")
        return PostgreSQLStorage(host, try ServerSettings(try settings(database ?? name, user ?? name)))
    }

    func expectRefused(by database: String, as user: String? = nil, _ words: String) async {
        do {
            _ = try await store(of: database, as: user).open()
            Issue.record("\(name) can open \(database)")
        } catch {
            #expect("\(error)".contains(words), "\(error)")
        }
    }
}
