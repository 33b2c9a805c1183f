import FoundationEssentials
import MailKernelAPI

extension MailFolder {
    /// The next batch after a cursor.
    func changes(after cursor: SyncCursor?, since: Date?) async throws(FolderError) -> ChangeBatch {
        var (batch, new) = try await reader.run { database throws(FolderError) in
            // All that is read is of one moment.
            try database.transaction(.read) { () throws(FolderError) in
                try ChangeReader(database, since: since).batch(after: cursor)
            }
        }
        // One at a time, so that cancelling is noticed between two.
        for entry in new {
            let bytes = try await reader.run { [paths] _ throws(FolderError) in
                try paths.open(entry.id)?.read(at: 0, count: entry.size)
            }
            if let bytes {
                batch.messages.append(entry.message(with: bytes))
            } else {
                batch.failures.append(
                    RemoteFailure(id: RemoteMessageID(entry.id), reason: "Its file is missing."))
            }
        }
        return batch
    }
}

/// A message as the index has it.
struct IndexedMessage: Sendable {
    let number: Int64
    let id: String
    let size: Int
    let received: Double
    let keywords: Set<Keyword>
    let mailboxIDs: Set<RemoteMailboxID>

    func message(with bytes: Data) -> RemoteMessage {
        RemoteMessage(
            id: RemoteMessageID(id), mailboxIDs: mailboxIDs, keywords: keywords,
            receivedAt: Date(timeIntervalSinceReferenceDate: received), size: bytes.count,
            content: .whole(bytes))
    }
}

/// Reads changes by their numbers.
struct ChangeReader {
    private static let newCount = 200
    private static let newSize = 8 << 20
    private static let changedCount = 1_000

    private let database: Database
    private let since: Double

    init(_ database: Database, since: Date?) {
        self.database = database
        self.since = (since ?? .distantPast).timeIntervalSinceReferenceDate
    }

    /// A batch without the bytes of its new messages, and those.
    func batch(after cursor: SyncCursor?) throws(FolderError) -> (ChangeBatch, [IndexedMessage]) {
        var round = try round(after: cursor)
        var new: [IndexedMessage] = []
        var hasMore = false
        if case .changed = round.position {
        } else {
            (new, hasMore) = try newMessages(&round)
        }
        var changed: [ChangedMessage] = []
        if !hasMore {
            changed = try changedMessages(round, limit: Self.changedCount + 1)
            hasMore = changed.count > Self.changedCount
            changed = Array(changed.prefix(Self.changedCount))
        }
        round.told += Int64(new.count + changed.count)
        if !hasMore {
            let done = Cursor(generation: round.generation, from: round.to, to: round.to)
            let progress = SyncProgress(done: Int(round.told), total: Int(round.told))
            return (self.batch(changed, done, hasMore: false, progress), new)
        }
        if let last = changed.last {
            round.position = .changed(at: last.step, number: last.number)
        } else if let last = new.last {
            round.position = .new(received: last.received, number: last.number)
        }
        let total = max(round.total, round.told)
        let progress = SyncProgress(done: Int(round.told), total: Int(total))
        return (self.batch(changed, round, hasMore: true, progress), new)
    }

    private func batch(
        _ changed: [ChangedMessage], _ cursor: Cursor, hasMore: Bool, _ progress: SyncProgress
    ) -> ChangeBatch {
        ChangeBatch(
            updates: changed.compactMap(\.update), removed: changed.filter { $0.update == nil }.map(\.id),
            cursor: SyncCursor(rawValue: cursor.text), hasMore: hasMore, progress: progress)
    }

    /// The round that a cursor is in, or the next one if that is finished.
    private func round(after cursor: SyncCursor?) throws(FolderError) -> Cursor {
        let state = try database.first("SELECT generation, step, forgotten FROM state") {
            (generation: $0.int64(0), step: $0.int64(1), forgotten: $0.int64(2))
        }
        guard let state else { throw .damaged("the table of states is empty") }
        var round = Cursor(generation: state.generation, from: 0, to: state.step)
        if let cursor {
            guard let found = Cursor(cursor.rawValue), found.generation == state.generation,
                found.to <= state.step, found.from == 0 || found.from >= state.forgotten
            else { throw .account(.cursorExpired) }
            round = found
            guard round.from == round.to else { return round }
            round.to = state.step
        }
        round.total =
            try database.integer(
                "SELECT count(*) FROM message WHERE came > ? AND came <= ?", .integer(round.from),
                .integer(round.to)) ?? 0
        return round
    }

    /// New messages after the round's position, newest first, and whether there are more.
    private func newMessages(_ round: inout Cursor) throws(FolderError) -> ([IndexedMessage], Bool) {
        var position = (received: Double.infinity, number: Int64.max)
        if case .new(let received, let number) = round.position { position = (received, number) }
        // A first round reads nearly all, a later one a few: each by the index that leads there.
        let index = round.from == 0 ? "message_newest" : "message_came"
        var found: [IndexedMessage] = []
        var size = 0
        var hasMore = false
        let values: [SQLValue] = [
            .real(position.received), .integer(position.number), .integer(round.from), .integer(round.to),
            .real(since),
        ]
        try database.each(
            """
            SELECT number, id, size, received, keywords,
                (SELECT group_concat(mailbox, ' ') FROM place WHERE message = number)
            FROM message INDEXED BY \(index)
            WHERE (received, number) < (?, ?) AND came > ? AND came <= ? AND received >= ?
            ORDER BY received DESC, number DESC LIMIT \(Self.newCount + 1)
            """, values
        ) { row in
            let message = Self.message(row)
            guard found.count < Self.newCount, found.isEmpty || size + message.size <= Self.newSize else {
                hasMore = true
                return false
            }
            size += message.size
            found.append(message)
            return true
        }
        return (found, hasMore)
    }

    private static func message(_ row: Row) -> IndexedMessage {
        IndexedMessage(
            number: row.int64(0), id: row.text(1), size: row.int(2),
            received: row.date(3).timeIntervalSinceReferenceDate, keywords: KeywordList.keywords(row.text(4)),
            mailboxIDs: Set(row.text(5).split(separator: " ").map { RemoteMailboxID(String($0)) }))
    }

    /// Messages that changed or were removed in the round, among those that arrived before it.
    private func changedMessages(_ round: Cursor, limit: Int) throws(FolderError) -> [ChangedMessage] {
        var position = (step: round.from, number: Int64.max)
        if case .changed(let step, let number) = round.position { position = (step, number) }
        guard round.from > 0 else { return [] }
        return try database.rows(
            """
            SELECT changed, number, id, keywords,
                (SELECT group_concat(mailbox, ' ') FROM place WHERE message = number)
            FROM message WHERE (changed, number) > (?1, ?2) AND changed <= ?3 AND came <= ?4
            UNION ALL
            SELECT changed, number, id, NULL, NULL
            FROM gone WHERE (changed, number) > (?1, ?2) AND changed <= ?3 AND came <= ?4
            ORDER BY changed, number LIMIT \(limit)
            """,
            [.integer(position.step), .integer(position.number), .integer(round.to), .integer(round.from)]
        ) { row in
            let id = RemoteMessageID(row.text(2))
            guard let keywords = row.textOrNil(3) else {
                return ChangedMessage(step: row.int64(0), number: row.int64(1), id: id, update: nil)
            }
            let update = RemoteUpdate(
                id: id, keywords: KeywordList.keywords(keywords),
                mailboxIDs: Set(row.text(4).split(separator: " ").map { RemoteMailboxID(String($0)) }))
            return ChangedMessage(step: row.int64(0), number: row.int64(1), id: id, update: update)
        }
    }
}

private struct ChangedMessage {
    let step: Int64
    let number: Int64
    let id: RemoteMessageID
    /// Nil if it is gone.
    let update: RemoteUpdate?
}
