import FoundationEssentials
import Synchronization

/// One value per folder for as long as the process lives: what a disk or a server would keep for
/// a provider that is made again, for providers that have neither.
final class PerFolder<Value: Sendable>: Sendable {
    private let values = Mutex<[String: Value]>([:])

    func value(for folder: URL, make: () -> Value) -> Value {
        values.withLock { values in
            let value = values[folder.path] ?? make()
            values[folder.path] = value
            return value
        }
    }
}
