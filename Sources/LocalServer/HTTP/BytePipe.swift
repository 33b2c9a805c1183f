import FoundationEssentials
import Synchronization

/// Bytes on their way between the server's thread, which must never wait, and a task, which may.
///
/// It holds a bounded number of bytes. The task's side waits when it is full or empty; the thread's side is
/// told so, sets its connection aside, and is woken by `wake`.
final class BytePipe: Sendable {
    private struct State {
        var bytes = Data()
        var end: End?
        /// Tasks at the other side, while they wait.
        var waiters: [CheckedContinuation<Void, Never>] = []

        mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
            defer { waiters = [] }
            return waiters
        }
    }

    private enum End {
        case finished
        case broken
        case tooLong
    }

    /// What the thread's side finds.
    enum Taken: Sendable {
        case count(Int)
        case nothingYet
        case end
        case broken
    }

    private let capacity: Int
    private let wake: @Sendable () -> Void
    private let state = Mutex(State())

    init(capacity: Int = 256 * 1024, wake: @escaping @Sendable () -> Void) {
        self.capacity = capacity
        self.wake = wake
    }

    // MARK: The thread's side

    var isFull: Bool { state.withLock { $0.bytes.count >= capacity && $0.end == nil } }

    var isEmpty: Bool { state.withLock { $0.bytes.isEmpty && $0.end == nil } }

    /// Takes bytes in; dropped if the pipe has ended.
    func offer(_ bytes: UnsafeRawBufferPointer) {
        state.withLock { state in
            if state.end == nil { state.bytes.append(contentsOf: bytes) }
            return state.takeWaiters()
        }.resumeAll()
    }

    /// Gives bytes out.
    func take(into buffer: UnsafeMutableRawBufferPointer) -> Taken {
        let (taken, waiters) = state.withLock { state -> (Taken, [CheckedContinuation<Void, Never>]) in
            if case .broken = state.end { return (.broken, state.takeWaiters()) }
            guard !state.bytes.isEmpty else {
                return (state.end == nil ? .nothingYet : .end, [])
            }
            let count = min(buffer.count, state.bytes.count)
            state.bytes.copyBytes(to: buffer, count: count)
            state.bytes.removeFirst(count)
            if state.bytes.isEmpty { state.bytes = Data() }
            return (.count(count), state.bytes.count < capacity ? state.takeWaiters() : [])
        }
        waiters.resumeAll()
        return taken
    }

    // MARK: Both sides

    /// No more bytes will come.
    func finish() { end(.finished) }

    /// The reader must not mistake the bytes so far for the whole.
    func breakOff() { end(.broken) }

    /// Breaks the pipe off unless it has ended: last bytes still reach the reader.
    func abandon() {
        state.withLock { state in
            if state.end == nil { state.end = .broken }
            return state.takeWaiters()
        }.resumeAll()
        wake()
    }

    /// The body is longer than allowed.
    func overflow() { end(.tooLong) }

    private func end(_ end: End) {
        state.withLock { state in
            if state.end == nil || end == .broken { state.end = end }
            return state.takeWaiters()
        }.resumeAll()
        wake()
    }

    // MARK: The task's side

    /// Writes all bytes; waits while the pipe is full.
    ///
    /// A canceled task writes nothing, and leaves the pipe to the others that write to it.
    ///
    /// - Throws: `CancellationError` if the reader has gone or the task was canceled.
    func write(_ bytes: Data) async throws {
        while isFull, !Task.isCancelled {
            await wait {
                $0.bytes.count >= capacity && $0.end == nil
            } onCancel: {
                wakeTasks()
            }
        }
        try Task.checkCancellation()
        try state.withLock { state in
            guard state.end == nil else { throw CancellationError() }
            state.bytes.append(bytes)
        }
        wake()
    }

    /// The next bytes, or nil at the end. A canceled reader breaks the pipe off: it has no other.
    func next() async throws(BodyError) -> Data? {
        while isEmpty {
            await wait {
                $0.bytes.isEmpty && $0.end == nil
            } onCancel: {
                breakOff()
            }
        }
        let result: Result<Data?, BodyError> = state.withLock { state in
            switch state.end {
            case .broken: return .failure(.interrupted)
            case .tooLong: return .failure(.tooLong)
            default: break
            }
            guard !state.bytes.isEmpty else { return .success(nil) }
            defer { state.bytes = Data() }
            return .success(state.bytes)
        }
        wake()
        return try result.get()
    }

    /// Waiters check their condition again when they are woken.
    private func wakeTasks() { state.withLock { $0.takeWaiters() }.resumeAll() }

    private func wait(
        while condition: @Sendable (State) -> Bool, onCancel: @Sendable () -> Void
    ) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isLate = state.withLock { state in
                    guard condition(state), !Task.isCancelled else { return true }
                    state.waiters.append(waiter)
                    return false
                }
                if isLate { waiter.resume() }
            }
        } onCancel: {
            onCancel()
        }
    }
}

/// Why a body could not be read to its end.
enum BodyError: Error {
    /// The client left, or was too slow.
    case interrupted
    case tooLong
}

extension [CheckedContinuation<Void, Never>] {
    fileprivate func resumeAll() {
        for waiter in self { waiter.resume() }
    }
}
