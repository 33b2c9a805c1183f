import Dispatch
import MailKernelAPI
import Synchronization

/// Looks at what other kernels have changed, and keeps what this one holds, on a connection of its own.
///
/// It asks instead of listening: `NOTIFY` takes a lock of the whole server with every commit, and a missed notification
/// would have to be asked for all the same.
final class OtherKernels: Sendable {
    private struct Key: Hashable {
        var account: Int
        var type: DataType
    }

    private struct State {
        var known: [Key: Int]?
        var readers: [Int: AsyncStream<[CommitResult.StateChange]>.Continuation] = [:]
        var nextReader = 0
        var rounds = 0
        var isOver = false
        /// Whether the store can be used without this server.
        var isLate = false
        /// Whether what the server has was missing in an answer since it was last looked at.
        var isMissed = false
    }

    private static let interval = DispatchTimeInterval.milliseconds(250)
    private static let roundsPerRenewal = 8

    private let kernel: [UInt8]
    private let lane: Lane
    private let state = Mutex(State())

    init(_ kernel: [UInt8], _ connect: @escaping @Sendable () throws(StorageError) -> Connection) {
        self.kernel = kernel
        lane = Lane("postgresql-storage.others", connect: connect)
    }

    /// What others change from now on is news.
    func start() async throws(StorageError) {
        let known = try await lane.runToTheEnd { lane throws(StorageError) in
            try lane.read { connection throws(StorageError) in try self.news(since: nil, connection).now }
        }
        state.withLock { $0.known = known }
        lane.repeatedly(every: Self.interval) { [weak self] in self?.look() }
    }

    /// The same for a server that may not be there yet: what others change once it is, is news.
    func startLater() {
        state.withLock { $0.isLate = true }
        lane.repeatedly(every: Self.interval) { [weak self] in self?.look() }
    }

    /// An answer lacks what the server has. When it is back, everything is news.
    func wasLeftOut() { state.withLock { $0.isMissed = true } }

    /// The same for a call that failed, which says so itself if there is no store without the server.
    func callFailed() { state.withLock { $0.isMissed = $0.isMissed || $0.isLate } }

    func stream() -> AsyncStream<[CommitResult.StateChange]> {
        let (stream, continuation) = AsyncStream<[CommitResult.StateChange]>.makeStream()
        let number = state.withLock { state -> Int? in
            guard !state.isOver else { return nil }
            state.nextReader += 1
            state.readers[state.nextReader] = continuation
            return state.nextReader
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.readers.removeValue(forKey: number) }
        }
        return stream
    }

    func stop() async {
        lane.stopRepeating()
        let (readers, isStarted) = state.withLock { state in
            state.isOver = true
            defer { state.readers = [:] }
            return (Array(state.readers.values), state.known != nil)
        }
        for reader in readers { reader.finish() }
        guard isStarted else { return await lane.close() }
        let kernel = kernel
        try? await lane.runToTheEnd { lane throws(StorageError) in
            try lane.write { connection throws(StorageError) in try connection.releaseLeases(of: kernel) }
        }
        await lane.close()
    }

    /// On the lane's thread. What fails is tried again in the next round.
    private func look() {
        let (known, isRenewal) = state.withLock { state in
            state.rounds += 1
            return (state.known, state.rounds % Self.roundsPerRenewal == 0)
        }
        if isRenewal {
            try? lane.write { connection throws(StorageError) in try connection.renewLeases(of: kernel) }
        }
        // Before it is looked at: an answer that lacks something meanwhile is for the next round.
        let wasMissed = state.withLock { state in
            defer { state.isMissed = false }
            return state.isMissed
        }
        let found = try? lane.read { connection throws(StorageError) in
            try news(since: known, connection, isEverythingNews: wasMissed)
        }
        guard let found else { return state.withLock { $0.isMissed = $0.isMissed || wasMissed || $0.isLate } }
        let readers = state.withLock { state in
            state.known = found.now
            return Array(state.readers.values)
        }
        guard !found.states.isEmpty else { return }
        for reader in readers { reader.yield(found.states) }
    }

    private func news(
        since known: [Key: Int]?, _ connection: Connection, isEverythingNews: Bool = false
    ) throws(StorageError) -> (now: [Key: Int], states: [CommitResult.StateChange]) {
        let rows = try connection.rows(
            """
            SELECT h.account, h.type, h.current, a.id FROM history h LEFT JOIN account a ON a.account = h.account
            WHERE h.account = 0 OR a.id IS NOT NULL
            """
        ) { (Key(account: $0.int(0), type: DataType(rawValue: $0.text(1))), $0.int(2), $0.textOrNil(3)) }
        var states: [CommitResult.StateChange] = []
        for (key, current, id) in rows {
            let last = known?[key] ?? 0
            if !isEverythingNews {
                guard known != nil, current > last, try isOthers(key, since: last, connection) else {
                    continue
                }
            }
            let state = StateNaming(store: try connection.storeID(), account: key.account).state(current)
            states.append(.init(key.type, in: id.map { Id($0) }, state))
        }
        return (Dictionary(rows.map { ($0.0, $0.1) }) { first, _ in first }, states)
    }

    private func isOthers(_ key: Key, since number: Int, _ connection: Connection) throws(StorageError)
        -> Bool
    {
        try connection.first(
            """
            SELECT EXISTS (SELECT 1 FROM change WHERE account = $1 AND type = $2 AND number > $3 AND kernel <> $4)
            """, [.integer(key.account), .string(key.type.rawValue), .integer(number), .bytes(kernel)]
        ) { $0.flag(0) } ?? false
    }
}
