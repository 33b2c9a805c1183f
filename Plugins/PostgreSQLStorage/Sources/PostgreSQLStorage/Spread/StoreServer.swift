import MailKernelAPI

/// One server of a store: its connections. Most stores have one.
final class StoreServer: Sendable {
    let name: String
    let settings: ServerSettings
    let uses = BlobUses()
    let others: OtherKernels
    /// Makes another connection.
    let connect: @Sendable () throws(StorageError) -> Connection
    let readers: LanePool
    let writers: LanePool
    private let index: IndexKeeper

    private static let mostReaders = 4
    /// Commits to one account wait for each other on the server, each on its own connection.
    private static let mostWriters = 3

    init(
        _ settings: ServerSettings, kernel: [UInt8], log: PluginLog,
        _ connect: @escaping @Sendable () throws(StorageError) -> Connection
    ) {
        name = settings.server
        self.settings = settings
        self.connect = connect
        others = OtherKernels(kernel, connect)
        readers = LanePool(Self.mostReaders) { Lane("postgresql-storage.reader-\($0)", connect: connect) }
        writers = LanePool(Self.mostWriters) { number in
            Lane("postgresql-storage.writer-\(number)") { () throws(StorageError) in
                let connection = try connect()
                try connection.leaveIndexing()
                return connection
            }
        }
        index = IndexKeeper(log: log, connect)
    }

    /// Its tables are there.
    func wasOpened() { index.begin() }

    func read<Answer: Sendable>(
        _ body: @escaping @Sendable (Connection) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        do throws(StorageError) {
            return try await readers.run { lane throws(StorageError) in try lane.read(body) }
        } catch {
            throw noted(error)
        }
    }

    /// Why it does not answer; nil if it does. One that is being restarted or replaced is waited for.
    func silence() async -> StorageError? {
        do throws(StorageError) {
            try await readers.run { lane throws(StorageError) in try lane.wake() }
            return nil
        } catch {
            if case .unreachable = error { return noted(error) }
            return nil
        }
    }

    /// Everything that `body` writes is durable when this returns, or nothing was written if it throws.
    ///
    /// - Parameter isMarked: see `Lane.write`.
    func write<Answer: Sendable>(
        isMarked: Bool = true,
        _ body: @escaping @Sendable (Connection) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        do throws(StorageError) {
            let (answer, words) = try await writers.run { lane throws(StorageError) in
                let answer = try lane.write(isMarked: isMarked, body)
                return (answer, lane.takeWordBytes())
            }
            index.wrote(words)
            return answer
        } catch {
            throw noted(error)
        }
    }

    /// The error of a call, with the name of the server. What failed is to be asked for again when the server is back.
    func noted(_ error: StorageError) -> StorageError {
        if case .unreachable = error { others.callFailed() }
        return error.at(name)
    }

    func close() async {
        await others.stop()
        if let uses = uses.take() {
            try? await write { connection throws(StorageError) in try BlobCache(connection).note(uses) }
        }
        await index.stop()
        await readers.close()
        await writers.close()
    }
}

extension StorageError {
    /// Names the server, if it is not the only one that the user knows.
    func at(_ server: String) -> StorageError {
        guard server != ServerSettings.home, case .unreachable(let reason) = self,
            !reason.hasPrefix("server “")
        else { return self }
        return .unreachable(reason: "server “\(server)”: \(reason)")
    }

    /// What a transaction ends with that does not find its account. The account may be on another server.
    static let elsewhere = StorageError.notFound("account on this server")
}
