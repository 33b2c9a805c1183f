import Dispatch
import Glibc
import Kernel
import PluginCalls
import Synchronization

/// SIGINT, SIGTERM and SIGHUP as something to await, from the moment this is made.
final class StopSignals: Sendable {
    /// Seconds from the wish to stop to the end of a program that has not stopped by itself.
    static let limit = 4.5

    /// Why the program has not stopped in time.
    enum Lateness {
        /// The program is waiting, for a plugin or for work of its own.
        case waits
        /// All threads that run tasks are blocked.
        case blocked
    }

    private struct State {
        var isStopped = false
        var end: (@Sendable (Lateness) -> Void)?
        /// Whether a task ran after the signal to stop.
        var areTasksAlive = false
        var wantsRestart = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    /// Outstanding calls to plugins, which stopping may have to wait for.
    let calls = ProviderCalls()
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "signals")
    // Only kept alive; nothing touches them after init.
    nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

    init() {
        // The reader of the output may go away; that is no reason to stop.
        signal(SIGPIPE, SIG_IGN)
        let numbers = [SIGINT, SIGTERM, SIGHUP]
        sources = numbers.map { [queue] number in
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: queue)
        }
        for source in sources {
            source.setEventHandler { [weak self] in
                // A second signal ends the program without waiting for a hanging plugin.
                if self?.isStopped == true { _exit(1) }
                self?.stop()
            }
            source.resume()
        }
    }

    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// The program should restart after it has stopped.
    var wantsRestart: Bool { state.withLock { $0.wantsRestart } }

    func restart() {
        state.withLock { $0.wantsRestart = true }
        stop()
    }

    /// The same as a function, which keeps the object alive.
    func check() -> Bool { isStopped }

    /// Returns when the program shall stop. One waiter.
    func wait() async {
        await withCheckedContinuation { waiter in
            let isStopped = state.withLock { state in
                if !state.isStopped { state.waiter = waiter }
                return state.isStopped
            }
            if isStopped { waiter.resume() }
        }
    }

    /// What to do if stopping takes longer than `limit`, and again after each such time.
    func whenLate(_ end: @escaping @Sendable (Lateness) -> Void) { state.withLock { $0.end = end } }

    /// On the queue of the signals, for plugins may have taken all threads that tasks run on.
    private func watch() {
        queue.asyncAfter(deadline: .now() + Self.limit) { [weak self] in
            guard let self else { return }
            let (end, lateness) = state.withLock { state -> ((@Sendable (Lateness) -> Void)?, Lateness) in
                (state.end, state.areTasksAlive ? .waits : .blocked)
            }
            end?(lateness)
            watch()
        }
    }

    private func stop() {
        let (isFirst, waiter) = state.withLock { state in
            defer { (state.isStopped, state.waiter) = (true, nil) }
            return (!state.isStopped, state.waiter)
        }
        waiter?.resume()
        guard isFirst else { return }
        Task.detached { [weak self] in self?.state.withLock { $0.areTasksAlive = true } }
        watch()
    }
}
