import FoundationEssentials
import MailKernelAPI

/// What the kernel would hold of a feed: the batches of `AccountSession.changes`, applied.
struct FeedMirror: Sendable {
    struct Held: Sendable, Equatable {
        var mailboxIDs: Set<RemoteMailboxID>
        var keywords: Set<Keyword>
        let receivedAt: Date
        let size: Int
        let messageID: String?
    }

    let feed: FeedID
    private(set) var messages: [RemoteMessageID: Held] = [:]
    private(set) var cursor: SyncCursor?
    /// Every message that ever came, in the order it came, once for each time.
    private(set) var arrivals: [RemoteMessageID] = []

    init(_ feed: FeedID) {
        self.feed = feed
    }

    mutating func take(_ batch: ChangeBatch) {
        for message in batch.messages {
            messages[message.id] = Held(
                mailboxIDs: message.mailboxIDs, keywords: message.keywords, receivedAt: message.receivedAt,
                size: message.size, messageID: MessageHeader.messageID(of: message.headerBytes))
            arrivals.append(message.id)
        }
        for update in batch.updates {
            if let keywords = update.keywords { messages[update.id]?.keywords = keywords }
            if let mailboxIDs = update.mailboxIDs { messages[update.id]?.mailboxIDs = mailboxIDs }
        }
        for id in batch.removed { messages[id] = nil }
        cursor = batch.cursor
    }

    /// A message that `apply` put there.
    mutating func hold(_ id: RemoteMessageID, _ mail: TestMail, in mailbox: RemoteMailboxID) {
        messages[id] = Held(
            mailboxIDs: [mailbox], keywords: [], receivedAt: .distantPast, size: 0, messageID: mail.messageID)
    }

    /// The next batch, taken.
    @discardableResult
    mutating func step(_ session: any AccountSession, since: Date? = nil) async throws -> ChangeBatch {
        let batch = try await session.changes(in: feed, after: cursor, since: since, known: known)
        take(batch)
        return batch
    }

    /// All batches of one round, taken.
    @discardableResult
    mutating func round(_ session: any AccountSession, since: Date? = nil) async throws -> [ChangeBatch] {
        var batches: [ChangeBatch] = []
        var seen: Set<SyncCursor> = []
        repeat {
            let batch = try await step(session, since: since)
            batches.append(batch)
            let isNew = seen.insert(batch.cursor).inserted
            try expect(
                isNew || !batch.hasMore,
                "changes: expected the cursor to go on while hasMore is set, and it came back to “\(batch.cursor.rawValue)”"
            )
        } while batches.last?.hasMore == true
        return batches
    }

    func find(_ mail: TestMail, in mailbox: RemoteMailboxID? = nil) -> [RemoteAddress] {
        messages.filter { _, held in
            held.messageID == mail.messageID && (mailbox.map(held.mailboxIDs.contains) ?? true)
        }
        .map { RemoteAddress(feed: feed, id: $0.key) }
    }

    func held(_ mail: TestMail) -> Held? {
        messages.values.first { $0.messageID == mail.messageID }
    }

    private var known: HeldMessages { HeldMessages(Array(messages.keys)) }
}

extension RemoteMessage {
    var headerBytes: Data {
        switch content {
        case .whole(let bytes): bytes
        case .parts(let header, _): header
        case .parsed(let body): Data(body.headers.map { "\($0.name):\($0.value)\r\n" }.joined().utf8)
        }
    }
}
