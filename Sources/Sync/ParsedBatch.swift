import FoundationEssentials
import Mail
import MailKernelAPI
import MessageFormat
import Store

/// A batch whose messages have been read, and given the ids that they will have here.
struct ParsedBatch: Sendable {
    struct Message: Sendable {
        let id: Id<Email>
        let content: ParsedMessage
        /// What its bytes show of its attachments.
        let risks: StorageChange?
    }

    /// So many are parsed by one task.
    private static let chunk = 25

    let batch: ChangeBatch
    /// In the order of `batch.messages`.
    let messages: [Message]

    /// Parsing is most of the work of a first sync, so it uses all cores but one, which is left for storing
    /// the previous batch and for showing mail.
    init(_ batch: ChangeBatch, of accountID: Id<Account>, ids: IDMaker) async throws {
        self.batch = batch
        var chunks = batch.messages.slices(of: Self.chunk)[...]
        messages = try await withThrowingTaskGroup(of: (Int, [Message]).self) { group in
            func parseNext() {
                guard let chunk = chunks.popFirst() else { return }
                group.addTask {
                    try Task.checkCancellation()
                    return (chunk.startIndex, chunk.map { Self.parse($0, accountID, ids) })
                }
            }
            for _ in 0..<max(1, ProcessInfo.processInfo.activeProcessorCount - 1) { parseNext() }
            var parsed: [Int: [Message]] = [:]
            for try await (start, chunk) in group {
                parsed[start] = chunk
                parseNext()
            }
            return parsed.sorted { $0.key < $1.key }.flatMap(\.value)
        }
    }

    private static func parse(_ message: RemoteMessage, _ accountID: Id<Account>, _ ids: IDMaker) -> Message {
        let id: Id<Email> = ids.next("M")
        let content = MessageParser().parse(message.content) { BlobID(email: id, part: $0).id }
        guard case .whole(let bytes) = message.content else {
            return Message(id: id, content: content, risks: nil)
        }
        let risks = AttachmentNotes.note(content, from: bytes, id, in: accountID)
        return Message(id: id, content: content, risks: risks)
    }
}
