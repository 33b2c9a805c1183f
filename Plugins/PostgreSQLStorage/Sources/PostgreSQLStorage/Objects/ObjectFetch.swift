import FoundationEssentials
import MailKernelAPI
import Synchronization

/// Requested pieces of an object, which can be read as they arrive. All readers that wait for them share the request.
final class ObjectFetch: Sendable {
    enum End {
        case complete, gone
        case failed(StorageError)
    }

    enum Answer {
        case block(OpenedBlock)
        /// A reader further on was the last to need it.
        case passed
        case gone
        case failed(StorageError)
    }

    typealias Delivery = @Sendable (OpenedBlock) -> Void

    private struct State {
        var blocks: [OpenedBlock] = []
        /// Where the next block begins.
        var next: Int
        /// Blocks before it are not kept.
        var passed = 0
        var end: End?
        var isDropped = false
        var readers = 0
        var lastReader = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]

        /// Nil while it has not come.
        func answer(at offset: Int) -> Answer? {
            if let block = blocks.first(where: { $0.range.contains(offset) }) { return .block(block) }
            if offset < max(passed, next) { return .passed }
            return switch end {
            case nil: nil
            case .complete: .failed(PieceOpening.damaged)
            case .gone: .gone
            case .failed(let error): .failed(error)
            }
        }

        mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
            defer { waiters = [:] }
            return Array(waiters.values)
        }
    }

    let pieces: Range<Int>
    private let state: Mutex<State>
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// - Parameter body: delivers blocks in order; those that were delivered before are ignored.
    init(
        _ object: StoredObject, _ pieces: Range<Int>,
        _ body: @escaping @Sendable (@escaping Delivery) async -> End
    ) {
        self.pieces = pieces
        state = Mutex(State(next: object.bytes(in: pieces).lowerBound))
        let task = Task {
            let end = await body { block in self.deliver(block) }
            self.finish(end)
        }
        self.task.withLock { $0 = task }
    }

    /// Whether it has failed.
    var hasFailed: Bool {
        state.withLock { state in
            if case .failed = state.end { true } else { false }
        }
    }

    /// Waits for the block with a byte. The request is canceled with its only reader.
    func block(at offset: Int) async -> Answer {
        let number = state.withLock { state in
            state.readers += 1
            state.lastReader += 1
            return state.lastReader
        }
        defer { leave() }
        while true {
            if let answer = state.withLock({ $0.answer(at: offset) }) { return answer }
            if Task.isCancelled { return .failed(.cancelled) }
            await wait(number, offset)
        }
    }

    private func wait(_ number: Int, _ offset: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    guard state.answer(at: offset) == nil, !Task.isCancelled else { return false }
                    state.waiters[number] = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }

    /// Lets go of the blocks before a byte.
    func pass(_ offset: Int) {
        state.withLock { state in
            state.passed = max(state.passed, offset)
            state.blocks.removeAll { $0.range.upperBound <= offset }
        }
    }

    /// Cancels it once it has no reader.
    func drop() {
        let isRead = state.withLock { state in
            state.isDropped = true
            return state.readers > 0
        }
        if !isRead { cancel() }
    }

    func cancel() { task.withLock { $0 }?.cancel() }

    /// Returns when nothing goes on any more.
    func end() async {
        cancel()
        await task.withLock { $0 }?.value
    }

    private func deliver(_ block: OpenedBlock) {
        let waiters = state.withLock { state in
            guard block.start == state.next else { return [CheckedContinuation<Void, Never>]() }
            state.next = block.range.upperBound
            if state.next > state.passed { state.blocks.append(block) }
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    private func finish(_ end: End) {
        let waiters = state.withLock { state in
            state.end = end
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    private func leave() {
        let isCanceled = Task.isCancelled
        let isNeeded = state.withLock { state in
            state.readers -= 1
            return state.readers > 0 || !(state.isDropped || isCanceled)
        }
        if !isNeeded { cancel() }
    }
}
