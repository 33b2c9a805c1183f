import Synchronization

/// Waits for `body`, in real time, and fails the promise if it has not come to an end after `seconds`.
///
/// The body runs in a task of its own and not in a group: a group waits for all of its tasks, so a
/// provider that ignores cancellation would hold up the very sentence that says so.
func within<Answer: Sendable>(
    _ seconds: Double, _ complaint: String, _ body: @escaping @Sendable () async throws -> Answer
) async throws -> Answer {
    let (answers, continuation) = AsyncThrowingStream<Answer, any Error>.makeStream()
    let work = Task {
        do {
            continuation.yield(try await body())
            continuation.finish()
        } catch {
            continuation.finish(throwing: error)
        }
    }
    let alarm = Task {
        try await Task.sleep(for: .seconds(seconds))
        continuation.finish(throwing: ConformanceFailure(complaint))
    }
    defer {
        work.cancel()
        alarm.cancel()
    }
    for try await answer in answers { return answer }
    throw CancellationError()
}

/// Asks again until the answer is yes; the first time at once.
func eventually(
    within seconds: Double, _ complaint: String, _ body: @escaping @Sendable () async throws -> Bool
) async throws {
    try await within(seconds, complaint) {
        while !(try await body()) { try await Task.sleep(for: .milliseconds(200)) }
    }
}

/// Runs `body` in a task that it can cancel itself, from a callback say, so that no luck is involved
/// in cancelling at the right moment; and waits for its end.
func cancellingItself(
    within seconds: Double, _ complaint: String,
    _ body: @escaping @Sendable (_ cancel: @escaping @Sendable () -> Void) async throws -> Void
) async throws {
    let own = OwnTask()
    let start = Gate()
    let task = Task {
        await start.wait()
        try await body { own.cancel() }
    }
    own.task.withLock { $0 = task }
    start.open()
    try await within(seconds, complaint) { try await task.value }
}

private final class OwnTask: Sendable {
    let task = Mutex<Task<Void, any Error>?>(nil)

    func cancel() { task.withLock { $0 }?.cancel() }
}

/// A door that is opened once, and a way for one task to wait before it.
struct Gate: Sendable {
    private let stream: AsyncStream<Never>
    private let continuation: AsyncStream<Never>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func open() { continuation.finish() }

    /// Returns when it is open, or the task is cancelled.
    func wait() async {
        for await _ in stream {}
    }
}
