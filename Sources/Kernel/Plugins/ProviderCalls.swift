import Synchronization

/// The calls of plugins that have not returned.
public final class ProviderCalls: Sendable {
    public struct Call: Sendable, Hashable {
        public let pluginID: String
        public let name: String
    }

    private struct Contents {
        var next = 0
        var calls: [Int: Call] = [:]
    }

    private let contents = Mutex(Contents())

    public init() {}

    /// Oldest first.
    public var outstanding: [Call] {
        contents.withLock { $0.calls.sorted { $0.key < $1.key }.map(\.value) }
    }

    /// Makes a call, and notes it until it returns.
    func note<Answer, Failure: Error>(
        _ pluginID: String, _ name: String, _ body: () async throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        let number = contents.withLock { contents in
            contents.next += 1
            contents.calls[contents.next] = Call(pluginID: pluginID, name: name)
            return contents.next
        }
        defer { contents.withLock { $0.calls[number] = nil } }
        return try await body()
    }
}
