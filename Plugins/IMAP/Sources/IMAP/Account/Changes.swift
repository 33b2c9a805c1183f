public import FoundationEssentials
public import MailKernelAPI

/// The remaining messages of a feed, prepared for the next call. It is only an optimization: the cursor alone
/// is sufficient to continue.
struct ReadingPlan: Sendable {
    /// The cursor of the last batch that was handed out.
    var cursor: FeedCursor
    let since: Date?
    /// The messages still to be read, newest first.
    var uids: [UInt32]
    /// The lowest UID of the plan: once all of these have been read, older ones remain.
    let first: UInt32
    var done: Int
    /// Nil where it is not known.
    let total: Int?

    /// A selection of messages, which leaves others unread.
    var isSelection: Bool { first == cursor.next }

    /// Whether it reaches back far enough. A window that moves on with the clock leaves out more from call
    /// to call, which makes no difference here.
    func covers(_ since: Date?) -> Bool {
        guard let planned = self.since else { return true }
        return since.map { planned <= $0 } ?? false
    }
}

/// A plan that waits for the next call, with its next batch being read already.
struct WaitingPlan {
    let plan: ReadingPlan
    let ahead: Task<ReadAhead, any Error>
}

/// The messages of a batch, and failures. Their mailboxes are determined after the connection was released,
/// because an unknown label may require another one.
struct ReadAhead: Sendable {
    let messages: [ReadMessage]
    let failures: [RemoteFailure]
    let plan: ReadingPlan
}

extension IMAPAccountSession {
    public func changes(
        in feed: FeedID, after cursor: SyncCursor?, since: Date?, known: any KnownMessages
    ) async throws(AccountError) -> ChangeBatch {
        let before = try cursor.map { cursor throws(AccountError) in
            guard let cursor = FeedCursor(cursor) else { throw .cursorExpired }
            return cursor
        }
        if Task.isCancelled { throw .cancelled }
        let source = try await source(of: feed)
        guard source.isSelectable else {
            return ChangeBatch(
                cursor: FeedCursor(validity: 0, next: 1, modSeq: 0, exists: 0, sinceDay: 0).cursor,
                hasMore: false)
        }
        let round = FeedRound(
            feed: feed, mailbox: source.name, mailboxID: source.mailboxID, since: since,
            labels: source.mailboxID == nil ? try await knownDirectory().fingerprint : 0)
        if let before, let waiting = takePlan(feed, before, since),
            let batch = try await goOn(waiting, round)
        {
            return batch
        }
        if let before, before.sinceDay == FeedCursor.day(since), before.labels == round.labels,
            !isDueAgain(before, feed), statuses.isUnchanged(source.name, since: before, now: host.clock.now)
        {
            return ChangeBatch(cursor: before.cursor, hasMore: false)
        }
        return try await beginRound(round, before, known)
    }

    private func takePlan(_ feed: FeedID, _ cursor: FeedCursor, _ since: Date?) -> WaitingPlan? {
        guard let waiting = plans.removeValue(forKey: feed) else { return nil }
        if waiting.plan.cursor == cursor, waiting.plan.covers(since) { return waiting }
        waiting.ahead.cancel()
        return nil
    }

    /// Returns the next batch of a plan; nil if the plan is no longer valid.
    private func goOn(
        _ waiting: WaitingPlan, _ round: FeedRound
    ) async throws(AccountError) -> ChangeBatch? {
        let read = await withTaskCancellationHandler {
            await waiting.ahead.result
        } onCancel: {
            waiting.ahead.cancel()
        }
        if Task.isCancelled { throw .cancelled }
        // A failed plan is made again, which also reports the error.
        guard case .success(let read) = read else { return nil }
        return try await handOut(read, round)
    }

    func handOut(_ read: ReadAhead, _ round: FeedRound) async throws(AccountError) -> ChangeBatch {
        let plan = read.plan
        let messages = try await messages(read.messages, in: round)
        recent.add(messages.map(\.id), to: round.feed)
        if !plan.uids.isEmpty {
            let ahead = Task { try await self.readNext(plan, round) }
            plans[round.feed] = WaitingPlan(plan: plan, ahead: ahead)
        } else if plan.done >= configuration.behavior.longReading {
            await watching?.renewIdle()
        }
        return ChangeBatch(
            messages: messages, failures: read.failures, cursor: plan.cursor.cursor,
            hasMore: !plan.cursor.isComplete,
            progress: plan.total.map { SyncProgress(done: plan.done, total: $0) })
    }

    /// Reads the next batch of a plan.
    func readNext(
        _ plan: ReadingPlan, _ round: FeedRound
    ) async throws(AccountError) -> ReadAhead {
        try await withMailbox(round.mailbox) { connection, selected throws(AccountError) in
            guard selected.validity == plan.cursor.validity, !selected.hasNewMessages else {
                // New mail goes first: the next round begins with it.
                throw .cursorExpired
            }
            return try await self.read(plan, round, connection)
        }
    }

    /// Reads as many of the plan's messages as make a batch.
    func read(
        _ plan: ReadingPlan, _ round: FeedRound, _ connection: IMAPConnection
    ) async throws(AccountError) -> ReadAhead {
        var plan = plan
        let read = try await readBatch(plan, round, connection)
        plan.uids.removeFirst(read.taken)
        plan.done = min(plan.total ?? .max, plan.done + read.taken)
        if plan.isSelection {
            plan.uids = []
        } else if plan.uids.isEmpty {
            plan.cursor.finish(from: plan.first)
        } else if let lowest = read.lowest {
            plan.cursor.finish(from: lowest)
        }
        if !read.failures.isEmpty {
            skipped[round.feed, default: SkippedMail(triedAt: host.clock.now)].triedAt = host.clock.now
        }
        for failure in read.failures { MessageUID(failure.id).map { plan.cursor.passBy($0.uid) } }
        return ReadAhead(messages: read.messages, failures: read.failures, plan: plan)
    }

    /// Some servers close the connection whenever a certain message is fetched. Its batch gets smaller with repeated
    /// attempts, and finally the message is skipped.
    private func readBatch(
        _ plan: ReadingPlan, _ round: FeedRound, _ connection: IMAPConnection
    ) async throws(AccountError) -> ReadBatch {
        let behavior = configuration.behavior
        let losses = self.losses[round.feed].flatMap { $0.first == plan.uids.first ? $0.count : 0 } ?? 0
        var limit = plan.done == 0 ? behavior.firstBatch : behavior.batch
        limit = max(1, limit >> min(2 * losses, 30))
        let reader = MessageReader(
            connection: connection, behavior: behavior, validity: plan.cursor.validity, round: round,
            now: host.clock.now)
        if losses >= Self.mostLosses, limit == 1, let first = plan.uids.first {
            self.losses[round.feed] = nil
            return reader.passingBy(
                first, because: "The connection is lost each time the message is requested.")
        }
        do throws(AccountError) {
            let read = try await reader.read(Array(plan.uids.prefix(limit)))
            self.losses[round.feed] = nil
            return read
        } catch {
            let isLoss = error.isConnectionLoss || error == Allowance.exceeded
            if isLoss, !Task.isCancelled, let first = plan.uids.first {
                self.losses[round.feed] = (first, losses + 1)
            }
            throw error
        }
    }

    private static var mostLosses: Int { 6 }

    /// Whether failed messages are due for a retry: always after a start.
    func isDueAgain(_ cursor: FeedCursor, _ feed: FeedID) -> Bool {
        guard !cursor.failed.isEmpty else { return false }
        return skipped[feed]?.isDue(at: host.clock.now) ?? true
    }

    /// The messages with their mailboxes.
    func messages(
        _ messages: [ReadMessage], in round: FeedRound
    ) async throws(AccountError) -> [RemoteMessage] {
        var result: [RemoteMessage] = []
        result.reserveCapacity(messages.count)
        for message in messages {
            var mailboxIDs: Set<RemoteMailboxID> = []
            if let mailboxID = round.mailboxID {
                mailboxIDs = [mailboxID]
            } else {
                mailboxIDs = try await self.mailboxIDs(ofLabels: message.labels)
            }
            result.append(
                RemoteMessage(
                    id: message.id, mailboxIDs: mailboxIDs, keywords: message.keywords,
                    receivedAt: message.receivedAt, size: message.size, content: message.content))
        }
        return result
    }
}

/// The messages of a feed that could not be read. A bad connection ends within minutes and must not hide mail for
/// hours; a message that breaks its server stays as it is, and each retry costs several connections.
struct SkippedMail {
    private static let wait: TimeInterval = 60
    private static let longWait: TimeInterval = 21_600

    var triedAt: Date
    private var isRetried = false

    init(triedAt: Date) {
        self.triedAt = triedAt
    }

    mutating func retry(at now: Date) {
        (triedAt, isRetried) = (now, true)
    }

    /// The clock may have been set back.
    func isDue(at now: Date) -> Bool {
        abs(now.timeIntervalSince(triedAt)) >= (isRetried ? Self.longWait : Self.wait)
    }
}

/// One time of looking at a feed.
struct FeedRound: Sendable {
    let feed: FeedID
    let mailbox: MailboxName
    /// Nil where labels say in which mailboxes a message is.
    let mailboxID: RemoteMailboxID?
    let since: Date?
    /// A hash of the labels; 0 if there are none.
    let labels: UInt64

    var hasLabels: Bool { mailboxID == nil }
}
