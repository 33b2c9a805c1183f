import Synchronization

/// Something that happens once.
struct Once: ~Copyable, Sendable {
    private let isTaken = Atomic(false)

    /// Whether this was the first time.
    func take() -> Bool { !isTaken.exchange(true, ordering: .acquiringAndReleasing) }
}
