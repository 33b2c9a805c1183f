import Synchronization

/// A text that is written piece by piece.
final class WrittenText: Sendable {
    private let text = Mutex("")

    func add(_ piece: String) { text.withLock { $0 += piece } }
    var all: String { text.withLock { $0 } }
}
