import Synchronization

/// Makes guessing slow: each wrong secret is answered later than the one before. Right ones never wait, and
/// no thread does.
final class Slowdown: Sendable {
    private struct State {
        var failures = 0
        var lastFailure: ContinuousClock.Instant?
        var waiting = 0
    }

    private static let most = 32
    private static let longest = 50

    /// Half of what the first wrong secret waits for.
    private let step: Duration
    private let state = Mutex(State())

    init(step: Duration) { self.step = step }

    /// How long to wait with the answer to a wrong secret, which ends with `end`; nil if too many wait already.
    func begin(now: ContinuousClock.Instant = .now) -> Duration? {
        state.withLock { state in
            if let last = state.lastFailure, now - last > .seconds(60) { state.failures = 0 }
            state.lastFailure = now
            state.failures = min(state.failures + 1, 6)
            guard state.waiting < Self.most else { return nil }
            state.waiting += 1
            return step * min(1 << state.failures, Self.longest)
        }
    }

    func end() { state.withLock { $0.waiting -= 1 } }
}
