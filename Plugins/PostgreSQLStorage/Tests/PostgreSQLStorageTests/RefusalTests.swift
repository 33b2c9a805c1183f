import FoundationEssentials
import Glibc
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import PostgreSQLStorage

@Suite(
    "A server that cannot be used is explained",
    .enabled(if: TestServer.isInstalled, "PostgreSQL is not installed (apt-get install postgresql-15)."))
struct RefusalTests {
    @Test func aPasswordThatIsAskedForComesFromTheSecretStore() async throws {
        let role = try Role("guarded", ofDatabase: "guarded")
        let missing = await role.problem()
        #expect(
            missing == .unreachable(reason: "the server asks for a password, and none is saved"),
            "\(missing as Any)")
        guard case .unreachable(let reason) = await role.problem(password: "wrong") else {
            Issue.record("a wrong password was not refused")
            return
        }
        #expect(reason.hasPrefix("the server refused the sign-in: "))
        #expect(!reason.contains("wrong"))
        #expect(await role.problem(password: Role.password) == nil)
    }

    @Test func aMissingPrivilegeIsNamed() async throws {
        let problem = try await Role("stranger", ofDatabase: "mail").problem()
        guard case .unsupported(let sentence) = problem else {
            Issue.record("a role without privileges: \(problem as Any)")
            return
        }
        #expect(sentence.hasPrefix("The database role lacks a privilege: permission denied"))
    }

    @Test func anotherEncodingIsRefused() async throws {
        let role = try Role("latin", ofDatabase: "latin", "ENCODING 'LATIN1' TEMPLATE template0")
        let problem = await role.problem()
        guard case .unsupported(let sentence) = problem else {
            Issue.record("a database in LATIN1: \(problem as Any)")
            return
        }
        #expect(sentence.contains("must have the encoding UTF8, not LATIN1"))
    }

    @Test func anOldServerIsRefused() throws {
        try Opening.checkVersion(150_000)
        let error = #expect(throws: StorageError.self) { try Opening.checkVersion(140_022) }
        guard case .unsupported(let sentence) = error else {
            Issue.record("PostgreSQL 14: \(error as Any)")
            return
        }
        #expect(sentence.contains("needs PostgreSQL 15 or newer, but the server is version 14"))
    }

    @Test func whatElseIsInTheSchemaSurvivesWiping() async throws {
        let database = try OwnDatabase()
        try await database.withStore { store in
            try database.connect().execute("CREATE TABLE others (one integer)")
            try await store.wipe()
        }
        try database.connect().execute("SELECT one FROM others")
        #expect(try await database.store.open() == .created)
        await database.store.close()
    }
}

/// A role with a password, and a database.
private struct Role {
    static let password = "correct horse"

    private let connection: String

    /// - Parameters:
    ///   - owner: the database's, this role or another one.
    ///   - options: of `CREATE DATABASE`.
    init(_ name: String, ofDatabase owner: String, _ options: String = "") throws {
        let server = try TestServer.shared.get()
        let database = "d" + String(UInt64.random(in: .min ... .max), radix: 36)
        try server.connect().execute("CREATE ROLE \(name) LOGIN PASSWORD '\(Self.password)'")
        try server.connect().execute("CREATE DATABASE \(database) OWNER \(owner) \(options)")
        connection = "host=\(server.folder) user=\(name) dbname=\(database)"
    }

    /// Why the store does not open; nil if it does.
    func problem(password: String? = nil) async -> StorageError? {
        do {
            let host = HostServices.forTesting()
            if let password { try await host.secrets.store(Secret(password), named: "password") }
            let settings = try ServerSettings(PluginSettings(["connection": .string(connection)]))
            let store = PostgreSQLStorage(host, settings)
            _ = try await store.open()
            await store.close()
            return nil
        } catch {
            return error as? StorageError ?? .invalid(reason: "\(error)")
        }
    }
}
