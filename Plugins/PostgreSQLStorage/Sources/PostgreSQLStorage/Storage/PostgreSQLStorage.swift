import FoundationEssentials
import MailKernelAPI
import StoreRules
import Synchronization

/// Keeps everything in one schema of a PostgreSQL database.
final class PostgreSQLStorage: StorageBackend {
    let host: HostServices
    private let settings: ServerSettings
    private let opened = Mutex<OpenStore?>(nil)

    init(_ host: HostServices, _ settings: ServerSettings) {
        self.host = host
        self.settings = settings
    }

    var parts: StorageParts { StorageParts(insights: self, care: self, sharing: self) }
    var place: StoragePlace { .server(name: settings.serverName) }

    func open() async throws(StorageError) -> StorageOpening {
        guard opened.withLock({ $0 }) == nil else { return .ready }
        let schema = settings.schema
        let servers = await servers(settings)
        let kernel = Array(UUID().uuidString.utf8)
        let home = StoreServer(settings, kernel: kernel, log: host.log) { () throws(StorageError) in
            try servers.connect()
        }
        var store = OpenStore(kernel: kernel, home: home)
        do throws(StorageError) {
            let role = settings.further.isEmpty ? ServerRole.only : .home
            let met = try await store.write(isMarked: false) { connection throws(StorageError) in
                try Opening(connection: connection, schema: schema, connect: servers.connect, role: role)
                    .run()
            }
            if !settings.further.isEmpty { store = try await withFurtherServers(store) }
            try await openObjects(settings, store)
            try await store.home.others.start()
            store.home.wasOpened()
            opened.withLock { $0 = store }
            return met
        } catch {
            await store.close()
            throw error
        }
    }

    private func servers(_ settings: ServerSettings) async -> Servers {
        let secrets = host.secrets
        let name = settings.server == ServerSettings.home ? "primary.json" : "primary-\(settings.server).json"
        return Servers(
            await withPassword(settings),
            file: PrimaryshipFile(path: host.dataFolder.appending(path: name).path),
            readPassword: { (try? await secrets.secret(named: settings.passwordName)) ?? nil })
    }

    /// Where the secret store is locked, the server may ask for no password.
    private func withPassword(_ settings: ServerSettings) async -> ServerSettings {
        var settings = settings
        settings.password = (try? await host.secrets.secret(named: settings.passwordName)) ?? nil
        return settings
    }

    /// Further servers need not be there when the store is opened: each is opened by its first connection.
    private func withFurtherServers(_ store: OpenStore) async throws(StorageError) -> OpenStore {
        let id = try await store.read { connection throws(StorageError) in try connection.storeID() }
        var further: [StoreServer] = []
        for name in settings.further.keys.sorted() {
            let settings = settings.settings(of: name)
            let servers = await servers(settings)
            let opening = FirstConnection(role: .further(name: name, storeID: id), servers)
            let server = StoreServer(settings, kernel: store.kernel, log: host.log) {
                () throws(StorageError) in
                try opening.connect(schema: settings.schema)
            }
            further.append(server)
        }
        let spread = OpenStore(kernel: store.kernel, home: store.home, further: further)
        try await spread.readMap()
        for server in further { server.others.startLater() }
        spread.keeper?.start(spread.deedsOf)
        return spread
    }

    func close() async {
        guard let store = opened.withLock({ $0.take() }) else { return }
        await store.close()
    }

    func wipe() async throws(StorageError) {
        let store = try store()
        try await removeAllObjects(store)
        // All of them have to be there before anything is removed.
        for server in store.servers {
            try await server.read { connection throws(StorageError) in _ = connection }
        }
        await store.keeper?.stop()
        let tables = Schema.tables + (store.isSpread ? PlaceTables.all : [])
        for server in store.servers.reversed() {
            try await server.write(isMarked: false) { connection throws(StorageError) in
                // The schema may contain more than the store.
                try connection.execute("DROP TABLE \(tables.joined(separator: ", "))")
            }
        }
        opened.withLock { $0 = nil }
        await store.close()
    }

    /// Runs `body` on a connection of its own, for work that takes as long as the store is large.
    func patiently<Answer: Sendable>(
        at server: StoreServer,
        _ body: @escaping @Sendable (Lane, ServerSettings) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        // Its first connection makes the tables.
        try await server.read { connection throws(StorageError) in _ = connection }
        var settings = await withPassword(server.settings)
        settings.patience = Self.longestWork
        let patient = settings
        let lane = Lane("postgresql-storage.care") { () throws(StorageError) in
            let connection = try patient.connect()
            try connection.execute("SET statement_timeout = 0; SET lock_timeout = 0")
            return connection
        }
        do throws(StorageError) {
            let answer = try await lane.run { lane throws(StorageError) in try body(lane, patient) }
            await lane.close()
            return answer
        } catch {
            await lane.close()
            throw error
        }
    }

    /// The seconds that one statement of such work may take.
    private static let longestWork = 7_200.0

    /// Where blobs wait until they are complete.
    var buffers: String { host.dataFolder.path }

    func store() throws(StorageError) -> OpenStore {
        guard let store = opened.withLock({ $0 }) else { throw .closed }
        return store
    }

    /// Reads of one moment.
    func read<Answer: Sendable>(
        _ body: @escaping @Sendable (Connection) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        try await store().read(body)
    }

    /// Reads of one account at one moment; `none` if there is no such account.
    func read<Answer: Sendable>(
        _ accountID: Id<Account>, none: Answer,
        _ body: @escaping @Sendable (Connection, _ account: Int) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        try await read(orNone: accountID, body) ?? none
    }

    /// Reads of one account, or of what belongs to none; nil if there is no such account.
    func read<Answer: Sendable>(
        orNone accountID: Id<Account>?,
        _ body: @escaping @Sendable (Connection, _ account: Int) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer? {
        guard let accountID else {
            return try await read { connection throws(StorageError) in try body(connection, 0) }
        }
        return try await store().at(accountID) { server throws(StorageError) in
            try await server.read { connection throws(StorageError) in
                guard let account = try connection.assumedAccount(accountID) else { throw .elsewhere }
                return try body(connection, account)
            }
        }
    }
}
