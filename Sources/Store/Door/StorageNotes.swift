import Synchronization

/// The calls of the store that have not returned.
package final class StorageNotes: Sendable {
    private struct Call {
        let name: StaticString
        let began = ContinuousClock.now
    }

    private struct Contents {
        var next = 0
        var calls: [Int: Call] = [:]
    }

    /// Shorter calls are not reported, because the program calls its store all the time.
    private static let long = Duration.seconds(2)

    private let contents = Mutex(Contents())

    /// Their names, oldest first.
    package var outstanding: [String] {
        let limit = ContinuousClock.now - Self.long
        return contents.withLock { $0.calls.sorted { $0.key < $1.key }.map(\.value) }
            .filter { $0.began <= limit }.map { "\($0.name)" }
    }

    /// Records a call.
    ///
    /// - Returns: the number to end it with.
    func begin(_ name: StaticString) -> Int {
        contents.withLock { contents in
            contents.next += 1
            contents.calls[contents.next] = Call(name: name)
            return contents.next
        }
    }

    func end(_ number: Int) {
        contents.withLock { $0.calls[number] = nil }
    }
}
