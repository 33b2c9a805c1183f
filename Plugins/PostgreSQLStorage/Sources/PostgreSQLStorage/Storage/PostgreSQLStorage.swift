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
        let servers = await servers()
        let store = OpenStore { () throws(StorageError) in try servers.connect() }
        do throws(StorageError) {
            let met = try await store.write(isMarked: false) { connection throws(StorageError) in
                try Opening(connection: connection, schema: schema, connect: servers.connect).run()
            }
            try await openObjects(settings, store)
            try await store.others.start()
            opened.withLock { $0 = store }
            return met
        } catch {
            await store.close()
            throw error
        }
    }

    private func servers() async -> Servers {
        let secrets = host.secrets
        return Servers(
            await settingsWithPassword(),
            file: PrimaryshipFile(path: host.dataFolder.appending(path: "primary.json").path),
            readPassword: { (try? await secrets.secret(named: "password")) ?? nil })
    }

    /// Where the secret store is locked, the server may ask for no password.
    private func settingsWithPassword() async -> ServerSettings {
        var settings = settings
        settings.password = (try? await host.secrets.secret(named: "password")) ?? nil
        return settings
    }

    func close() async {
        guard let store = opened.withLock({ $0.take() }) else { return }
        await store.close()
    }

    func wipe() async throws(StorageError) {
        let store = try store()
        try await removeAllObjects(store)
        try await store.write(isMarked: false) { connection throws(StorageError) in
            // The schema may contain more than the store.
            try connection.execute("DROP TABLE \(Schema.tables.joined(separator: ", "))")
        }
        opened.withLock { $0 = nil }
        await store.close()
    }

    /// Runs `body` on a connection of its own, for work that takes as long as the store is large.
    func patiently<Answer: Sendable>(
        _ body: @escaping @Sendable (Lane, ServerSettings) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        _ = try store()
        var settings = await settingsWithPassword()
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
        try await read { connection throws(StorageError) in
            guard let account = try connection.account(accountID) else { return none }
            return try body(connection, account)
        }
    }
}
