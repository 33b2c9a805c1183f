import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import PostgreSQLStorage

/// A store on three servers.
final class SpreadStore: Sendable {
    /// Of all tests that stop none of them.
    static let servers = Result {
        try ["home", "two", "three"].map { _ in try TestServer("-c listen_addresses=''") }
    }

    let servers: [String: TestServer]
    let settings: PluginSettings
    let store: PostgreSQLStorage

    init(on own: [TestServer]? = nil) throws {
        let name = "d" + String(UInt64.random(in: .min ... .max), radix: 36)
        let all = try own ?? Self.servers.get()
        servers = ["home": all[0], "two": all[1], "three": all[2]]
        for server in all { try server.connect().execute("CREATE DATABASE \(name)") }
        let connections = all.map { $0.connection + " dbname=\(name)" }
        settings = PluginSettings([
            "connection": .string(connections[0]),
            "servers": .object(["two": .string(connections[1]), "three": .string(connections[2])]),
        ])
        store = try Self.another(settings)
    }

    /// The same store, as another computer opens it.
    static func another(_ settings: PluginSettings) throws -> PostgreSQLStorage {
        PostgreSQLStorage(.forTesting(dataFolder: try OwnDatabase.newFolder()), try ServerSettings(settings))
    }

    /// A schema for one folder of a test, in which accounts are moved without delay.
    func settings(for folder: URL) throws -> ServerSettings {
        guard let home = servers["home"] else { throw StorageError.closed }
        var values: [String: JSONValue] = [
            "connection": settings["connection"] ?? "", "servers": settings["servers"] ?? "",
        ]
        values["schema"] = try TestServer.settings(for: folder, on: home)["schema"]
        var made = try ServerSettings(PluginSettings(values))
        made.placeInterval = 0.01
        return made
    }

    func drop(_ schema: String) throws {
        for server in servers.keys { try connect(server).execute("DROP SCHEMA IF EXISTS \(schema) CASCADE") }
    }

    /// A connection to one of the servers.
    func connect(_ server: String = "home") throws -> Connection {
        var settings = try ServerSettings(settings)
        if server != "home" { settings = settings.settings(of: server) }
        return try settings.connect()
    }

    /// What an administrator does to move accounts.
    func want(_ account: Id<Account>, on server: String) throws {
        try connect().run("UPDATE account_place SET wanted = $2 WHERE id = $1", .id(account), .text(server))
    }

    func place(_ account: Id<Account>, on server: String) async throws {
        try want(account, on: server)
        try await awaitPlaces()
    }

    /// Returns once no account is on its way.
    func awaitPlaces() async throws {
        let connection = try connect()
        let find = """
            SELECT count(*) FROM account_place WHERE wanted <> server OR arriving <> '' OR leaving <> '' OR mover IS NOT NULL
            """
        try await polling(until: "all accounts have arrived") {
            try connection.first(find, [], { $0.int(0) }) == 0
        }
    }

    static func account(_ id: String) -> Account {
        Account(
            id: Id(id), pluginID: "test", address: "\(id)@example.org", displayName: id,
            addedAt: Date(timeIntervalSince1970: 0))
    }

    static func email(_ id: String, in account: String, _ second: Double = 0, _ text: String = "hay")
        -> StorageChange
    {
        let email = Email(
            id: Id(id), accountID: Id(account), blobID: Id("blob-\(id)"), mailboxIDs: [Id("inbox")],
            keywords: [],
            size: text.utf8.count, receivedAt: Date(timeIntervalSince1970: 1_700_000_000 + second),
            header: EmailHeader(messageID: [id], subject: id))
        let part = EmailBodyPart(partID: "1", size: text.utf8.count, type: "text/plain")
        return .putEmail(email, EmailBody(structure: part, values: ["1": EmailBodyValue(text)]))
    }

    /// Adds accounts with an inbox each.
    func add(_ accounts: String...) async throws {
        for account in accounts {
            _ = try await store.commit(
                ChangeSet([
                    .putAccount(Self.account(account)),
                    .putMailbox(
                        Mailbox(id: Id("inbox"), accountID: Id(account), name: "Inbox", role: .inbox)),
                ]))
        }
    }
}
