/// Wakes tasks that wait for a change. Waiters must re-check their condition.
struct Signal {
    private var waiters: [CheckedContinuation<Void, Never>] = []

    mutating func add(_ waiter: CheckedContinuation<Void, Never>) {
        waiters.append(waiter)
    }

    mutating func fire() {
        let woken = waiters
        waiters = []
        for waiter in woken { waiter.resume() }
    }
}
