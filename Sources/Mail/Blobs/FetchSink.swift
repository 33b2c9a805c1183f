import FoundationEssentials
import MailKernelAPI
import Synchronization

/// Takes what a service sends of a blob: not much more than its message says, and nothing after the fetch has ended,
/// whatever a plugin still writes.
package final class FetchSink: ByteSink {
    /// So that an end comes soon, also within one large write.
    private static let piece = 1 << 20

    private let sink: any ByteSink
    private let limit: Int
    private let count: @Sendable (Int) async -> Void
    private let state = Mutex((received: 0, isOver: false))

    /// - Parameter size: according to the message, which may count otherwise than the service; nil if unknown.
    package init(_ sink: any ByteSink, size: Int?, count: @escaping @Sendable (Int) async -> Void) {
        self.sink = sink
        self.count = count
        limit = size.map { min($0, Blobs.messageLimit) * 2 + Self.piece } ?? Blobs.messageLimit
    }

    package func end() { state.withLock { $0.isOver = true } }

    package func write(_ bytes: Data) async throws {
        var rest = bytes[...]
        repeat {
            let piece = rest.prefix(Self.piece)
            rest = rest.dropFirst(piece.count)
            let (received, isOver) = state.withLock { state in
                state.received += piece.count
                return state
            }
            guard !isOver else { throw CancellationError() }
            guard received <= limit else {
                throw AccountError.badAnswer("more than \(limit) bytes of what should be less")
            }
            try await sink.write(piece)
            await count(piece.count)
        } while !rest.isEmpty
    }
}
