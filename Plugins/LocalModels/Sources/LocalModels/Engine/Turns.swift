import Synchronization

/// Lets one task at a time continue: those that the user waits for first, otherwise in order of arrival.
final class Turns: Sendable {
    private struct Waiter {
        let number: Int
        let isAwaited: Bool
        let resume: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var isTaken = false
        var waiters: [Waiter] = []
        var cancelled: Set<Int> = []
        var count = 0
    }

    private let state = Mutex(State())

    /// Waits for a turn; false if the task was canceled, and then there is none to return.
    ///
    /// - Parameter isAwaited: whether the user waits for it; it then comes before background work.
    func take(isAwaited: Bool = true) async -> Bool {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { resume in
                let answer: Bool? = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return false }
                    if state.isTaken {
                        state.waiters.append(Waiter(number: number, isAwaited: isAwaited, resume: resume))
                        return nil
                    }
                    state.isTaken = true
                    return true
                }
                if let answer { resume.resume(returning: answer) }
            }
        } onCancel: {
            let waiter: Waiter? = state.withLock { state in
                guard let index = state.waiters.firstIndex(where: { $0.number == number }) else {
                    // It is not waiting yet, or already has its turn.
                    state.cancelled.insert(number)
                    return nil
                }
                return state.waiters.remove(at: index)
            }
            waiter?.resume.resume(returning: false)
        }
    }

    /// How many wait.
    var waiting: Int { state.withLock { $0.waiters.count } }

    func giveBack() {
        let next: Waiter? = state.withLock { state in
            guard !state.waiters.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.waiters.remove(at: state.waiters.firstIndex(where: \.isAwaited) ?? 0)
        }
        next?.resume.resume(returning: true)
    }
}
