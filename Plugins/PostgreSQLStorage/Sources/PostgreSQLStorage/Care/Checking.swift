import MailKernelAPI
import Synchronization

extension PostgreSQLStorage {
    func check() async throws(StorageError) -> [String] {
        let stop = StopFlag()
        let result: Result<[String], StorageError> = await withTaskCancellationHandler {
            do throws(StorageError) {
                return .success(try await findings(stop))
            } catch {
                return .failure(error)
            }
        } onCancel: {
            stop.set()
        }
        return try await result.get() + checkObjects()
    }

    private func findings(_ stop: StopFlag) async throws(StorageError) -> [String] {
        let store = try store()
        guard store.isSpread else { return try await findings(at: store.home, stop) }
        let moves = try await store.read { connection throws(StorageError) in
            try PlaceCheck(connection).moves()
        }
        // A copy that is under way is no damage, and looks like it.
        guard moves.isEmpty else { return moves }
        var findings: [String] = []
        for server in store.servers {
            do throws(StorageError) {
                let found = try await self.findings(at: server, stop)
                findings += found.map { "Server “\(server.name)”: \($0)" }
            } catch {
                guard server !== store.home, case .unreachable(let reason) = error.at(server.name) else {
                    throw error
                }
                findings.append("Its accounts cannot be used: \(reason).")
            }
        }
        return try await findings + findingsOfTheMap(store)
    }

    private func findings(at server: StoreServer, _ stop: StopFlag) async throws(StorageError) -> [String] {
        try await patiently(at: server) { lane, settings throws(StorageError) in
            if let sentence = try lane.pooler(settings) { return [sentence] }
            return try lane.read { connection throws(StorageError) in
                try ServerCheck(connection).findings() + StoreCheck(connection, stop).findings()
            }
        }
    }

    /// Compares the map with the servers that can be reached.
    private func findingsOfTheMap(_ store: OpenStore) async throws(StorageError) -> [String] {
        try await store.everywhere { parts, missing throws(StorageError) in
            var found: [Int: [String]] = [:]
            var places: [PlaceCheck.Place] = []
            for part in parts {
                let check = PlaceCheck(part.connection)
                let name = try check.name()
                for account in try check.accounts() { found[account, default: []].append(name) }
                if name == ServerSettings.home { places = try check.places() }
            }
            return places.compactMap { PlaceCheck.finding($0, on: found[$0.account] ?? [], missing: missing) }
        }
    }
}

extension Lane {
    /// What is wrong with a pooler; nothing else can be relied on then. Nil if all is well.
    fileprivate func pooler(_ settings: ServerSettings) throws(StorageError) -> String? {
        do throws(StorageError) {
            try plain { connection throws(StorageError) in
                try Opening(connection: connection, schema: settings.schema, connect: settings.connect)
                    .checkPooler()
            }
            return nil
        } catch .unsupported(let sentence) {
            return sentence
        }
    }
}

/// Tells work on a thread of its own that its task was canceled.
final class StopFlag: Sendable {
    private let isSet = Mutex(false)

    func set() { isSet.withLock { $0 = true } }

    func check() throws(StorageError) {
        if isSet.withLock({ $0 }) { throw .cancelled }
    }
}
