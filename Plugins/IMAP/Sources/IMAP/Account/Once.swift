import Synchronization

/// True the first time.
final class Once: Sendable {
    private let isUsed = Atomic(false)

    var first: Bool { !isUsed.exchange(true, ordering: .acquiringAndReleasing) }
}
