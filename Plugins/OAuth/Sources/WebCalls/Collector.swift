public import FoundationEssentials
public import MailKernelAPI

/// Keeps an answer in memory, as far as there is room.
public actor Collector: ByteSink {
    /// The answer has more bytes than the limit.
    public struct Full: Error {}

    public private(set) var bytes = Data()
    /// Whether an answer was larger than the limit. The network hides `Full` in an error of its own.
    public private(set) var isFull = false
    private let limit: Int

    public init(limit: Int) { self.limit = limit }

    public func write(_ more: Data) throws {
        guard bytes.count + more.count <= limit else {
            isFull = true
            throw Full()
        }
        bytes.append(more)
    }
}
