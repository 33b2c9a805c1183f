import CCurl
import FoundationEssentials

/// The body of a request on its way out. To be used on the thread of the network alone.
///
/// libcurl takes bytes when it can send some, and waits while there are none. It begins again if a kept connection
/// turns out to be dead.
final class Upload {
    let size: Int
    /// Where the bytes in `waiting` begin.
    private var position = 0
    private var waiting = Data()
    private var isPaused = false
    /// Called when more bytes are wanted.
    var onWanted: () -> Void = {}

    init(size: Int) {
        self.size = size
    }

    /// Where the next bytes to be read begin; nil while some are waiting, and at the end.
    var wanted: Int? { waiting.isEmpty && position < size ? position : nil }

    /// - Returns: whether libcurl waits for them.
    func give(_ bytes: Data, from offset: Int) -> Bool {
        guard offset == wanted else { return false }
        waiting = bytes.prefix(size - position)
        defer { isPaused = false }
        return isPaused
    }

    func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard !waiting.isEmpty else {
            isPaused = position < size
            return isPaused ? Int(CURL_READFUNC_PAUSE) : 0
        }
        let count = waiting.copyBytes(to: buffer)
        waiting = waiting.dropFirst(count)
        position += count
        if waiting.isEmpty { onWanted() }
        return count
    }

    func begin(at offset: Int) -> Bool {
        guard (0...size).contains(offset) else { return false }
        position = offset
        waiting = Data()
        onWanted()
        return true
    }
}
