import MailKernelAPI
import Synchronization

/// Brings new words into the search index, on a connection of its own beside the commits.
///
/// PostgreSQL first puts the words of new messages on a list, and searches read it. The commit that makes the list too
/// long would bring all of it into the index and take most of a second for that. Here the list is kept short instead.
final class IndexKeeper: Sendable {
    private struct State {
        /// On the list, about. What an earlier program has left on it is not known, and worth a look.
        var bytes = IndexKeeper.some
        var isWaiting = false
        var isWorking = false
        var isOver = false
        /// A failure was logged, and none was successful since.
        var isLogged = false
    }

    /// So many bytes of words are worth it at once: some hundred messages.
    private static let many = 1_000_000
    /// So many are worth it once no more have come for a while.
    private static let some = 100_000
    private static let pause = Duration.seconds(2)

    private let lane: Lane
    private let log: PluginLog
    private let state = Mutex(State())

    init(log: PluginLog, _ connect: @escaping @Sendable () throws(StorageError) -> Connection) {
        self.log = log
        lane = Lane("postgresql-storage.index", connect: connect)
    }

    /// The store was opened: what is on the list is brought into the index soon.
    func begin() { count(0) }

    /// Words were committed.
    func wrote(_ bytes: Int) {
        if bytes > 0 { count(bytes) }
    }

    private func count(_ bytes: Int) {
        let (isMuch, isFirst) = state.withLock { state in
            state.bytes += bytes
            guard !state.isOver, !state.isWorking else { return (false, false) }
            if state.bytes >= Self.many {
                state.isWorking = true
                return (true, false)
            }
            guard !state.isWaiting, state.bytes >= Self.some else { return (false, false) }
            state.isWaiting = true
            return (false, true)
        }
        if isMuch { Task { await work() } }
        if isFirst { Task { await workLater() } }
    }

    private func workLater() async {
        try? await Task.sleep(for: Self.pause)
        let isToWork = state.withLock { state in
            state.isWaiting = false
            guard !state.isOver, !state.isWorking, state.bytes >= Self.some else { return false }
            state.isWorking = true
            return true
        }
        if isToWork { await work() }
    }

    /// What fails is done with the next words, or by the server.
    private func work() async {
        repeat {
            state.withLock { $0.bytes = 0 }
            do throws(StorageError) {
                try await lane.runToTheEnd { [self] lane throws(StorageError) in
                    // Once it is closed, the lane must not connect again.
                    guard !state.withLock({ $0.isOver }) else { return }
                    try lane.plain { connection throws(StorageError) in try connection.indexWords() }
                }
                state.withLock { $0.isLogged = false }
            } catch {
                note(error)
            }
        } while state.withLock { state in
            state.isWorking = !state.isOver && state.bytes >= Self.many
            return state.isWorking
        }
    }

    private func note(_ error: StorageError) {
        // A server that does not answer is reported by what needs it.
        if case .unreachable = error { return }
        let isFirst = state.withLock { state in
            defer { state.isLogged = true }
            return !state.isLogged && !state.isOver
        }
        guard isFirst else { return }
        log.warning(
            "the search index could not be brought up to date, so searches may be slow: \(public: "\(error)")"
        )
    }

    func stop() async {
        state.withLock { $0.isOver = true }
        await lane.close()
    }
}

extension Connection {
    /// Commits of this connection bring the words into the index only if nothing else has for long.
    func leaveIndexing() throws(StorageError) { try execute("SET gin_pending_list_limit = '64MB'") }

    fileprivate func indexWords() throws(StorageError) {
        _ = try first("SELECT gin_clean_pending_list('\(Schema.wordIndex)'::regclass)", once: true) { _ in ()
        }
    }
}
