import MailKernelAPI
import Synchronization

/// A few connections. A call takes a free one, or waits for the first to become free.
final class LanePool: Sendable {
    private struct State {
        var free: [Lane]
        var waiting: [CheckedContinuation<Lane, Never>] = []
    }

    private let lanes: [Lane]
    private let state: Mutex<State>

    init(_ count: Int, _ make: (Int) -> Lane) {
        lanes = (0..<count).map(make)
        state = Mutex(State(free: lanes.reversed()))
    }

    func run<Answer: Sendable>(
        _ body: @escaping @Sendable (Lane) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        try await withLane { lane throws(StorageError) in try await lane.run(body) }
    }

    /// Lends `body` a connection.
    func withLane<Answer>(
        _ body: (Lane) async throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
        let lane = await take()
        defer { giveBack(lane) }
        return try await body(lane)
    }

    private func take() async -> Lane {
        await withCheckedContinuation { continuation in
            let lane = state.withLock { state -> Lane? in
                if let lane = state.free.popLast() { return lane }
                state.waiting.append(continuation)
                return nil
            }
            if let lane { continuation.resume(returning: lane) }
        }
    }

    private func giveBack(_ lane: Lane) {
        let next = state.withLock { state -> CheckedContinuation<Lane, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free.append(lane)
            return nil
        }
        next?.resume(returning: lane)
    }

    func close() async {
        for lane in lanes { await lane.close() }
    }
}
