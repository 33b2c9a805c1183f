import CSQLite
import Synchronization

/// Ends the statements of a connection from another thread. SQLite's own function has no effect between two
/// statements: the second would run to its end.
final class Interruption: Sendable {
    /// How many steps of a statement pass between two looks.
    private static let steps: CInt = 100

    private let isWanted = Atomic<Bool>(false)

    /// It has to live as long as the connection.
    init(of connection: OpaquePointer) {
        sqlite3_progress_handler(
            connection, Self.steps,
            { pointer in
                guard let pointer else { return 0 }
                let interruption = Unmanaged<Interruption>.fromOpaque(pointer).takeUnretainedValue()
                return interruption.isWanted.load(ordering: .relaxed) ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    func begin() { isWanted.store(true, ordering: .relaxed) }

    func end() { isWanted.store(false, ordering: .relaxed) }
}
