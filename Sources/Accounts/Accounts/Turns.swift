/// Gives callers exclusive access to a key, in order of arrival.
package struct Turns<Key: Hashable & Sendable>: Sendable {
    private var waiting: [Key: [CheckedContinuation<Void, Never>]] = [:]

    package init() {}

    /// Whether it is free; if so it is taken now.
    package mutating func take(_ key: Key) -> Bool {
        guard waiting[key] == nil else { return false }
        waiting[key] = []
        return true
    }

    package mutating func wait(for key: Key, _ continuation: CheckedContinuation<Void, Never>) {
        waiting[key]?.append(continuation)
    }

    /// Gives it to the next.
    package mutating func giveBack(_ key: Key) {
        guard let next = waiting[key]?.first else {
            waiting[key] = nil
            return
        }
        waiting[key]?.removeFirst()
        next.resume()
    }
}
