import FoundationEssentials
import MailKernelAPI

/// What the cursors of a `MemoryMailServer` say.
///
/// A round tells what happened between two entries of the log: first what came, newest first, then
/// what changed or went, in the order of its coming. The first round begins at entry 0. A cursor
/// holds the round's two ends and the last thing told, so it stands for the same place whatever
/// happens meanwhile; that is for the next round.
struct MemoryCursor: Equatable {
    enum Position: Equatable {
        case start
        case new(receivedAt: Date, arrival: Int)
        case changed(arrival: Int)
    }

    var generation: Int
    var from: Int
    var to: Int
    var position: Position = .start

    /// Reads what `text` wrote.
    init?(_ text: String) {
        let numbers = text.split(separator: ".").map { UInt64($0) }
        guard numbers.count >= 3, let generation = numbers[0], let from = numbers[1], let to = numbers[2],
            numbers.prefix(3).allSatisfy({ ($0 ?? .max) < 1 << 53 }), from <= to
        else { return nil }
        self.init(generation: Int(generation), from: Int(from), to: Int(to))
        switch numbers.count {
        case 3: break
        case 4:
            guard let arrival = numbers[3].flatMap(Int.init(exactly:)) else { return nil }
            position = .changed(arrival: arrival)
        case 5:
            guard let arrival = numbers[3].flatMap(Int.init(exactly:)), let date = numbers[4] else {
                return nil
            }
            position = .new(
                receivedAt: Date(timeIntervalSinceReferenceDate: Double(bitPattern: date)), arrival: arrival)
        default: return nil
        }
    }

    init(generation: Int, from: Int, to: Int) {
        self.generation = generation
        self.from = from
        self.to = to
    }

    var text: String {
        let round = "\(generation).\(from).\(to)"
        return switch position {
        case .start: round
        case .changed(let arrival): "\(round).\(arrival)"
        case .new(let receivedAt, let arrival):
            "\(round).\(arrival).\(receivedAt.timeIntervalSinceReferenceDate.bitPattern)"
        }
    }
}

extension MemoryMailStore {
    func changes(
        in feed: FeedID, after cursor: SyncCursor?, since: Date?, batchSize: Int
    ) throws(AccountError) -> ChangeBatch {
        guard feeds.contains(where: { $0.id == feed }) else { throw .notFound }
        var round = try round(after: cursor)
        let new = newMessages(in: feed, round, since: since)
        let changed = changedMessages(in: feed, round)

        let newLeft = new.drop { !round.isBefore($0) }
        let changedLeft = changed.drop { !round.isBefore($0) }
        let messages = newLeft.prefix(batchSize)
        let entries = changedLeft.prefix(batchSize - messages.count)
        let left = newLeft.count + changedLeft.count - messages.count - entries.count

        let passed = left == 0 ? comeAndGone(in: feed, round) : []
        if left == 0 {
            round.from = round.to
            round.position = .start
        } else if let last = entries.last {
            round.position = .changed(arrival: last.arrival)
        } else if let last = messages.last {
            round.position = .new(receivedAt: last.receivedAt, arrival: last.arrival)
        }
        let total = new.count + changed.count
        return ChangeBatch(
            messages: messages.map(\.remote), updates: entries.compactMap(update),
            removed: entries.filter { self.messages[$0.address] == nil }.map(\.address.id) + passed,
            cursor: SyncCursor(rawValue: round.text), hasMore: left > 0,
            progress: SyncProgress(done: total - left, total: total))
    }

    /// The round that a cursor is in, or the next one if that is finished.
    private func round(after cursor: SyncCursor?) throws(AccountError) -> MemoryCursor {
        guard let cursor else { return MemoryCursor(generation: generation, from: 0, to: log.count) }
        guard var round = MemoryCursor(cursor.rawValue), round.generation == generation,
            round.to <= log.count
        else { throw .cursorExpired }
        if round.from == round.to { round.to = log.count }
        return round
    }

    private func newMessages(in feed: FeedID, _ round: MemoryCursor, since: Date?) -> [MemoryMessage] {
        messages.values.filter { message in
            message.address.feed == feed && message.arrival > round.from && message.arrival <= round.to
                && message.receivedAt >= since ?? .distantPast
        }
        .sorted { $0.isNewer(than: $1) }
    }

    private func changedMessages(in feed: FeedID, _ round: MemoryCursor) -> [Entry] {
        var found: [Int: Entry] = [:]
        for entry in log[round.from..<round.to]
        where entry.address.feed == feed && entry.arrival <= round.from {
            found[entry.arrival] = entry
        }
        return found.values.sorted { $0.arrival < $1.arrival }
    }

    /// They were not told, but the kernel may have put them there itself.
    private func comeAndGone(in feed: FeedID, _ round: MemoryCursor) -> [RemoteMessageID] {
        let new = log[round.from..<round.to].filter { $0.address.feed == feed && $0.arrival > round.from }
        return Set(new.map(\.address)).filter { messages[$0] == nil }.map(\.id).sorted()
    }

    private func update(_ entry: Entry) -> RemoteUpdate? {
        messages[entry.address].map {
            RemoteUpdate(id: entry.address.id, keywords: $0.keywords, mailboxIDs: $0.mailboxIDs)
        }
    }
}

extension MemoryCursor {
    fileprivate func isBefore(_ message: MemoryMessage) -> Bool {
        switch position {
        case .start: true
        case .new(let receivedAt, let arrival): (message.receivedAt, message.arrival) < (receivedAt, arrival)
        case .changed: false
        }
    }

    fileprivate func isBefore(_ entry: MemoryMailStore.Entry) -> Bool {
        if case .changed(let arrival) = position { entry.arrival > arrival } else { true }
    }
}

extension MemoryMessage {
    var remote: RemoteMessage {
        RemoteMessage(
            id: address.id, mailboxIDs: mailboxIDs, keywords: keywords, receivedAt: receivedAt,
            size: bytes.count, content: .whole(bytes))
    }
}
