import FoundationEssentials

/// Lets a few requests run at a time: an account may have five connections, and one of them watches.
public actor Lanes {
    private var free: Int
    private var waiting: [(id: UUID, wake: CheckedContinuation<Void, Never>)] = []

    public init(_ count: Int) { free = count }

    /// Runs when a lane is free. The body of a canceled task runs at once, and is to end by itself.
    public func run<Answer: Sendable, Failure: Error>(
        _ body: @Sendable () async throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        let isEntered = await enter()
        defer { if isEntered { leave() } }
        return try await body()
    }

    /// False if the task was canceled first.
    private func enter() async -> Bool {
        if free > 0 {
            free -= 1
            return true
        }
        let id = UUID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { wake in
                if Task.isCancelled { wake.resume() } else { waiting.append((id, wake)) }
            }
        } onCancel: {
            Task { await self.giveUp(id) }
        }
        // A lane that was handed over is taken even if the task was canceled since.
        return handedOver.remove(id) != nil
    }

    private var handedOver: Set<UUID> = []

    private func leave() {
        guard !waiting.isEmpty else {
            free += 1
            return
        }
        let next = waiting.removeFirst()
        handedOver.insert(next.id)
        next.wake.resume()
    }

    private func giveUp(_ id: UUID) {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
        waiting.remove(at: index).wake.resume()
    }
}
