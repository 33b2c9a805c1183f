import Dispatch
import MailKernelAPI
import Synchronization

/// The time in which no server can be reached. At its beginning calls wait, because most servers are back within
/// seconds; later they fail, and only one at a time finds out again: a server that is gone without a word is waited for
/// until the connection times out.
final class Outage: Sendable {
    private struct State {
        var wasConnected = false
        var began: DispatchTime?
        var failure: StorageError?
        var tried = DispatchTime(uptimeNanoseconds: 0)
        /// Whether a call tries, long after the beginning.
        var isTrying = false
    }

    /// How long a server may be away before calls fail.
    private static let grace = 5.0
    /// What was tried so recently fails without a new try.
    private static let pause = 0.5

    private let state = Mutex(State())

    /// What a call fails with that is not to try: shortly after another one has failed, or while another one tries.
    /// Nil for one that has to try, and say what came of it.
    func failure() -> StorageError? {
        state.withLock { state in
            guard let began = state.began, .now() > began + Self.grace else { return nil }
            if state.isTrying || .now() < state.tried + Self.pause { return state.failure }
            state.isTrying = true
            return nil
        }
    }

    func end() {
        state.withLock { $0 = State(wasConnected: true) }
    }

    /// Whether to try again after this failure.
    func continues(_ failure: ConnectFailure) -> Bool {
        state.withLock { state in
            let began = state.began ?? .now()
            state.began = began
            state.failure = failure.error
            state.tried = .now()
            state.isTrying = false
            return state.wasConnected && !failure.isRefusal && .now() < began + Self.grace
        }
    }
}
