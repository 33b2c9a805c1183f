/// Wakes those who wait for something to change. Whoever is woken looks again.
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
