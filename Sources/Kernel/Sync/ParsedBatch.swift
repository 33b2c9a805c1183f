import MailKernelAPI
import MessageFormat

/// A batch whose messages have been read, and given the ids that they will have here.
struct ParsedBatch: Sendable {
    struct Message: Sendable {
        let id: Id<Email>
        let content: ParsedMessage
    }

    /// So many are parsed by one task.
    private static let chunk = 25

    let batch: ChangeBatch
    /// In the order of `batch.messages`.
    let messages: [Message]

    /// Parsing is most of the work of a first sync, so all cores take part. It is done for later: whoever stores
    /// the batch before, or shows mail, must not stand in line behind it for each of their steps.
    init(_ batch: ChangeBatch, ids: IDMaker) async throws {
        self.batch = batch
        let all = batch.messages
        let starts = Array(stride(from: 0, to: all.count, by: Self.chunk))
        messages = try await withThrowingTaskGroup(of: (Int, [Message]).self) { group in
            for start in starts {
                group.addTask(priority: .utility) {
                    try Task.checkCancellation()
                    return (
                        start, all[start..<min(start + Self.chunk, all.count)].map { Self.parse($0, ids) }
                    )
                }
            }
            var chunks: [Int: [Message]] = [:]
            for try await (start, chunk) in group { chunks[start] = chunk }
            return starts.flatMap { chunks[$0] ?? [] }
        }
    }

    private static func parse(_ message: RemoteMessage, _ ids: IDMaker) -> Message {
        let id: Id<Email> = ids.next("M")
        let content = MessageParser().parse(message.content) { BlobID(email: id, part: $0).id }
        return Message(id: id, content: content)
    }
}
