import Synchronization

/// Lets a bounded number of one client's requests through at once; a bounded number of others wait.
final class Turnstile: Sendable {
    private struct Queue {
        var inside = 0
        var waiting: [CheckedContinuation<Bool, Never>] = []
    }

    private let most: Int
    private let mostWaiting: Int
    private let queues = Mutex<[String: Queue]>([:])

    init(most: Int, waiting: Int) {
        self.most = most
        mostWaiting = waiting
    }

    /// Returns inside; nil if too many wait already.
    func pass<Result>(_ client: String, _ body: () async -> Result) async -> Result? {
        guard await enter(client) else { return nil }
        defer { leave(client) }
        return await body()
    }

    /// Whether the next one would not get in.
    func isFull(for client: String) -> Bool {
        queues.withLock { queues in
            queues[client].map { $0.inside >= most && $0.waiting.count >= mostWaiting } ?? false
        }
    }

    private func enter(_ client: String) async -> Bool {
        await withCheckedContinuation { waiter in
            let isIn: Bool? = queues.withLock { queues in
                var queue = queues[client] ?? Queue()
                defer { queues[client] = queue }
                if queue.inside < most {
                    queue.inside += 1
                    return true
                }
                guard queue.waiting.count < mostWaiting else { return false }
                queue.waiting.append(waiter)
                return nil
            }
            if let isIn { waiter.resume(returning: isIn) }
        }
    }

    private func leave(_ client: String) {
        let next = queues.withLock { queues -> CheckedContinuation<Bool, Never>? in
            guard var queue = queues[client] else { return nil }
            defer { queues[client] = queue.inside == 0 ? nil : queue }
            // The longest waiting task takes over the place.
            guard queue.waiting.isEmpty else { return queue.waiting.removeFirst() }
            queue.inside -= 1
            return nil
        }
        next?.resume(returning: true)
    }
}
