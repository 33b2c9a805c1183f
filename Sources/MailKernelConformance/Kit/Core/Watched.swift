import Synchronization

/// A value under a lock whose changes can be awaited, so that tests need not poll.
public final class Watched<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var lastID = 0
        var watchers: [Int: AsyncStream<Void>.Continuation] = [:]
    }

    private let state: Mutex<State>

    public init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    /// The current value.
    public var value: Value { state.withLock { $0.value } }

    /// Changes the value and notifies every waiting task.
    public func withLock<Answer: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        let (answer, watchers) = try state.withLock { state throws(Failure) in
            (try body(&state.value), Array(state.watchers.values))
        }
        // Not under the lock: waking a task takes its lock, and a task that is cancelled holds that one while
        // it ends its stream, which takes ours.
        for watcher in watchers { watcher.yield() }
        return answer
    }

    /// Yields once at the start and again after changes, until the reading task is canceled. Several changes
    /// can be reported as one.
    public func changes() -> AsyncStream<Void> {
        let (stream, watcher) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.lastID += 1
            state.watchers[state.lastID] = watcher
            return state.lastID
        }
        watcher.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.watchers.removeValue(forKey: id) }
        }
        watcher.yield()
        return stream
    }

    /// Waits until the value satisfies the condition, or the task is canceled.
    public func wait(until isSo: @Sendable (Value) -> Bool) async {
        for await _ in changes() where isSo(value) { return }
    }
}

/// Waits until the task is canceled, like a provider that hangs.
public func untilCancelled() async {
    let never = Watched(())
    await never.wait { _ in false }
}
