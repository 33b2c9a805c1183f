import Dispatch
import Glibc
import Synchronization

/// SIGINT, SIGTERM and SIGHUP as something to await, from the moment this is made.
final class StopSignals: Sendable {
    private struct State {
        var isStopped = false
        var wantsRestart = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    // Only kept alive; nobody touches them after init.
    nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

    init() {
        // Whoever read the output may leave; that is no reason to stop.
        signal(SIGPIPE, SIG_IGN)
        let numbers = [SIGINT, SIGTERM, SIGHUP]
        let queue = DispatchQueue(label: "signals")
        sources = numbers.map { number in
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: queue)
        }
        for source in sources {
            source.setEventHandler { [weak self] in
                // Whoever asks twice does not want to wait for a plugin that hangs.
                if self?.isStopped == true { _exit(1) }
                self?.stop()
            }
            source.resume()
        }
    }

    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// The program shall begin anew once it has stopped.
    var wantsRestart: Bool { state.withLock { $0.wantsRestart } }

    func restart() {
        state.withLock { $0.wantsRestart = true }
        stop()
    }

    /// The same as a function, which keeps the object alive for as long as somebody asks.
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

    private func stop() {
        let waiter = state.withLock { state in
            state.isStopped = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}
