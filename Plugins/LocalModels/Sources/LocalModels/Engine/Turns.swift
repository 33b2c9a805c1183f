import Synchronization

/// Lets one task at a time go on, in the order they came.
final class Turns: Sendable {
    private struct Waiter {
        let number: Int
        let resume: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var isTaken = false
        var waiters: [Waiter] = []
        var cancelled: Set<Int> = []
        var count = 0
    }

    private let state = Mutex(State())

    /// Waits for the turn; false if the task was cancelled meanwhile, and then there is none to give back.
    func take() async -> Bool {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { resume in
                let answer: Bool? = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return false }
                    if state.isTaken {
                        state.waiters.append(Waiter(number: number, resume: resume))
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
                    // It has not begun to wait, or has its turn already.
                    state.cancelled.insert(number)
                    return nil
                }
                return state.waiters.remove(at: index)
            }
            waiter?.resume.resume(returning: false)
        }
    }

    func giveBack() {
        let next: Waiter? = state.withLock { state in
            guard !state.waiters.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.waiters.removeFirst()
        }
        next?.resume.resume(returning: true)
    }
}
