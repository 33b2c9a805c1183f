import MailKernelAPI
import Store
import Synchronization

/// Measures how long a plugin has not called back into the kernel.
package final class Silence: Sendable {
    private struct State {
        /// When it last began, by the uptime.
        var since: Double
        /// The number of callbacks in progress.
        var asking = 0
        var hasAsked = false
        var isOver = false
    }

    private let uptime: any SteadyClock
    private let state: Mutex<State>

    package init(_ uptime: any SteadyClock) {
        self.uptime = uptime
        state = Mutex(State(since: uptime.uptime))
    }

    /// Whether the plugin has asked for anything.
    package var hasAsked: Bool { state.withLock { $0.hasAsked } }

    /// How many seconds it lasts.
    package var seconds: Double {
        let now = uptime.uptime
        return state.withLock { $0.asking > 0 ? 0 : now - $0.since }
    }

    /// Gives the plugin up if it was silent for so many seconds: from then on it is refused everything.
    package func giveUp(after limit: Double) -> Bool {
        let now = uptime.uptime
        return state.withLock { state in
            guard !state.isOver, state.asking == 0, now - state.since >= limit else { return false }
            state.isOver = true
            return true
        }
    }

    /// Resets the silence, because the plugin has reported something.
    package func isBroken() {
        let now = uptime.uptime
        state.withLock { $0.since = max($0.since, now) }
    }

    /// Does something that the plugin asked for: on the shared threads, which the kernel's own work never has to wait
    /// for, and without counting against the plugin however long it takes.
    ///
    /// - Parameter refusal: thrown if the plugin was given up.
    package func serve<Answer, Failure: Error>(
        orThrow refusal: Failure, _ body: () async throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        let isOver = state.withLock { state in
            if !state.isOver { (state.asking, state.hasAsked) = (state.asking + 1, true) }
            return state.isOver
        }
        if isOver { throw refusal }
        defer {
            let now = uptime.uptime
            state.withLock { state in
                state.asking -= 1
                state.since = max(state.since, now)
            }
        }
        return try await withTaskExecutorPreference(globalConcurrentExecutor, operation: body)
    }
}
