/// Wakes tasks that wait for a change. Waiters must re-check their condition.
///
/// A task with an executor of its own leaves the actor between the check and the wait, even for a call to the same actor,
/// so the change may happen in between. The task says which firing it has seen, and does not wait for that one again.
struct Signal {
    private var waiters: [CheckedContinuation<Void, Never>] = []
    /// How often it fired. To be read together with the condition.
    private(set) var firings = 0

    /// - Parameter seen: `firings` when the condition was checked.
    mutating func add(_ waiter: CheckedContinuation<Void, Never>, since seen: Int) {
        guard firings == seen else { return waiter.resume() }
        waiters.append(waiter)
    }

    mutating func fire() {
        firings += 1
        let woken = waiters
        waiters = []
        for waiter in woken { waiter.resume() }
    }
}
