import Dispatch
import MailKernelAPI
import Synchronization

/// The time in which no server can be reached. At its beginning calls wait, because most servers are back within
/// seconds; later they fail, and not each of them has to find out again.
final class Outage: Sendable {
    private struct State {
        var wasConnected = false
        var began: DispatchTime?
        var failure: StorageError?
        var tried = DispatchTime(uptimeNanoseconds: 0)
    }

    /// How long a server may be away before calls fail.
    private static let grace = 5.0
    /// What was tried so recently fails without a new try.
    private static let pause = 0.5

    private let state = Mutex(State())

    /// What a call fails with that comes shortly after one that has failed.
    var current: StorageError? {
        state.withLock { state in
            guard let began = state.began, .now() > began + Self.grace, .now() < state.tried + Self.pause
            else { return nil }
            return state.failure
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
            return state.wasConnected && !failure.isRefusal && .now() < began + Self.grace
        }
    }
}
