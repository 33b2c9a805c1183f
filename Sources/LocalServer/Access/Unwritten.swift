import Synchronization

/// What belongs into a file that cannot be written, as on a full disk, for as long as the program runs.
final class Unwritten<Value: Sendable>: Sendable {
    let value: Mutex<Value>

    init(_ value: Value) {
        self.value = Mutex(value)
    }
}
