/// Gives callers exclusive access to a key, in order of arrival.
struct Turns<Key: Hashable & Sendable>: Sendable {
    private var waiting: [Key: [CheckedContinuation<Void, Never>]] = [:]

    /// Whether it is free; if so it is taken now.
    mutating func take(_ key: Key) -> Bool {
        guard waiting[key] == nil else { return false }
        waiting[key] = []
        return true
    }

    mutating func wait(for key: Key, _ continuation: CheckedContinuation<Void, Never>) {
        waiting[key]?.append(continuation)
    }

    /// Gives it to the next.
    mutating func giveBack(_ key: Key) {
        guard let next = waiting[key]?.first else {
            waiting[key] = nil
            return
        }
        waiting[key]?.removeFirst()
        next.resume()
    }
}
