import FoundationEssentials
import MailKernelAPI
import MailKernelConformance

@testable import PostgreSQLStorage

/// A database of one test, with a store in it.
final class OwnDatabase: Sendable {
    static let home = Id<Account>("home")
    static let inbox = Id<Mailbox>("inbox")

    let name = "d" + String(UInt64.random(in: .min ... .max), radix: 36)
    let connection: String
    private let settings: ServerSettings
    let store: PostgreSQLStorage

    private let host: HostServices

    /// - Parameters:
    ///   - patience: the seconds that the store waits for an answer.
    ///   - server: its connection string; the server of all tests if it is missing.
    ///   - options: of `CREATE DATABASE`.
    ///   - s3: where it keeps large blobs.
    init(
        patience: Double = 40, on server: String? = nil, _ options: String = "", host: HostServices? = nil,
        s3: S3Settings? = nil
    ) throws {
        let server = try server ?? TestServer.shared.get().connection
        let administrator = try ServerSettings(PluginSettings(["connection": .string(server)])).connect()
        try administrator.execute("CREATE DATABASE \(name) \(options)")
        connection = server + " dbname=\(name)"
        var settings = try ServerSettings(PluginSettings(["connection": .string(connection)]))
        settings.patience = patience
        settings.s3 = s3
        self.settings = settings
        self.host = try host ?? .forTesting(dataFolder: Self.newFolder())
        store = PostgreSQLStorage(self.host, settings)
    }

    /// Each store has a folder of its own.
    static func newFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Runs `body` on the open store, with an account in it.
    func withStore(_ body: (PostgreSQLStorage) async throws -> Void) async throws {
        _ = try await store.open()
        do {
            let account = Account(
                id: Self.home, pluginID: "test", address: "me@home.example", displayName: "Me",
                addedAt: Date(timeIntervalSince1970: 0))
            _ = try await store.commit(
                ChangeSet([
                    .putAccount(account),
                    .putMailbox(Mailbox(id: Self.inbox, accountID: Self.home, name: "Inbox", role: .inbox)),
                ]))
            try await body(store)
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    /// The same store, as another computer opens it.
    func anotherStore() -> PostgreSQLStorage { PostgreSQLStorage(host, settings) }

    func anotherStore(s3: S3Settings?) -> PostgreSQLStorage {
        var settings = settings
        settings.s3 = s3
        return PostgreSQLStorage(host, settings)
    }

    /// A second connection, to change what a store cannot.
    func connect() throws -> Connection { try settings.connect() }

    /// The server's processes that answer the store.
    func processes() throws -> [Int32] {
        try connect().rows(
            """
            SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
            """
        ) { Int32($0.int(0)) }
    }

    static func email(_ id: String, _ header: EmailHeader = EmailHeader(), _ text: String = "")
        -> StorageChange
    {
        let email = Email(
            id: Id(id), accountID: home, blobID: Id("blob-\(id)"), mailboxIDs: [inbox], keywords: [],
            size: text.utf8.count, receivedAt: Date(timeIntervalSince1970: 1_700_000_000), header: header)
        let part = EmailBodyPart(partID: "1", size: text.utf8.count, type: "text/plain")
        return .putEmail(email, EmailBody(structure: part, values: ["1": EmailBodyValue(text)]))
    }

    func find(_ text: String) async throws -> [String] {
        let query = EmailQuery(in: [Self.home], filter: .text(text), limit: 10)
        return try await store.queryEmails(query).hits.map(\.emailID.rawValue)
    }
}

extension TestServer {
    func connect() throws -> Connection {
        try ServerSettings(PluginSettings(["connection": .string(connection)])).connect()
    }
}
