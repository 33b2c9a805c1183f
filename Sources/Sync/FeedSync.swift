import FoundationEssentials
import Mail
import MailKernelAPI
import PluginCalls
import Store

/// Reads the changes of one feed, batch after batch. A batch is stored together with its cursor, so an
/// interrupted sync continues where it stopped.
struct FeedSync: Sendable {
    /// The number of unreadable messages of a batch that are logged individually.
    private static let mostReported = 20

    let account: Account
    let session: any AccountSession
    let store: MailStore
    let ids: IDMaker
    let clock: any HostClock
    let log: LogOutput
    let feed: Feed
    let isLocal: Bool
    /// As it was before `account` was read.
    let epoch: SyncEpoch
    /// For messages that were known by other names, at the account's former place.
    let recognizer: Recognizer?

    func read(progress report: @Sendable (SyncProgress?) async -> Void) async throws {
        let cursor = try await storedCursor
        var next = try await batch(after: cursor)
        var seen: Set<SyncCursor> = []
        var empty = 0
        while let parsed = next {
            guard !parsed.batch.hasMore || seen.insert(parsed.batch.cursor).inserted else {
                throw AccountError.badAnswer("a cursor repeated in the same round")
            }
            empty = parsed.batch.isEmpty ? empty + 1 : 0
            guard empty <= AnswerLimits.emptyBatches else {
                throw AccountError.badAnswer("\(empty) empty batches in a row")
            }
            // The next batch is fetched and parsed while this one is stored.
            async let following = parsed.batch.hasMore ? batch(after: parsed.batch.cursor) : nil
            if parsed.batch.cursor != cursor || !parsed.batch.isEmpty { try await keep(parsed) }
            await report(parsed.batch.progress)
            next = try await following
        }
    }

    /// Nil if the feed has to be read from the beginning.
    private var storedCursor: SyncCursor? {
        get async throws(StorageError) {
            guard let stored = try await store.read.document(cursorKey)?.value,
                stored["epoch"]?.stringValue == epoch.name
            else { return nil }
            return stored["cursor"]?.stringValue.map { SyncCursor(rawValue: $0) }
        }
    }

    /// The batch behind a cursor; nil if the feed is gone.
    private func batch(after cursor: SyncCursor?) async throws -> ParsedBatch? {
        try Task.checkCancellation()
        var batch: ChangeBatch
        do {
            batch = try await session.changes(
                in: feed.id, after: cursor, since: window,
                known: StoredMessages(store: store, feed: feed.id, accountID: account.id))
        } catch {
            if error == .notFound { return nil }
            guard error == .cursorExpired, cursor != nil else { throw error }
            try await store.commit([.destroyDocument(cursorKey)])
            return try await self.batch(after: nil)
        }
        try batch.hold(toLimitsAfter: cursor)
        report(batch.failures)
        let parsed = try await ParsedBatch(batch, of: account.id, ids: ids)
        try await recognizer?.recognize(parsed, in: feed.id)
        return parsed
    }

    private func report(_ failures: [RemoteFailure]) {
        for failure in failures.prefix(Self.mostReported) {
            log.write(
                .warning, account.pluginID, "A message could not be read and was skipped: \(failure.reason)"
            )
        }
        guard failures.count > Self.mostReported else { return }
        log.write(
            .warning, account.pluginID,
            "\(failures.count - Self.mostReported) more messages could not be read and were skipped.")
    }

    /// Mail from before this is not kept here. What lives on this machine only is kept for good.
    private var window: Date? {
        isLocal ? nil : account.windowStart(at: clock.now)
    }

    private func keep(_ parsed: ParsedBatch) async throws {
        var map = try await RemoteMap.load(account.id, from: store)
        if !parsed.batch.mailboxIDs.allSatisfy({ map.local($0) != nil }) {
            // Made since the mailboxes were listed.
            try await MailboxSync(account: account, session: session, store: store, ids: ids, clock: clock)
                .update()
            map = try await RemoteMap.load(account.id, from: store)
        }
        // The feed may be gone.
        guard map.feeds.contains(where: { $0.id == feed.id }) else { return }
        let types = recognizer == nil ? [] : [FormerPlace.dataType]
        let (changes, result) = try await store.commitNamed(in: account.id, reading: types) {
            try await self.changes(for: parsed)
        }
        store.tellDelivery(in: changes, result)
        // A named email existed before, unless it came with this batch.
        let new = Set(changes.compactMap { if case .putEmail(let email, _) = $0 { email.id } else { nil } })
        for case .putRemote(let ref) in changes where !new.contains(ref.emailID) {
            try await store.keepAsCopy(ref.emailID, in: account.id, isLocal: isLocal)
        }
    }

    private func changes(for parsed: ParsedBatch) async throws -> [StorageChange] {
        let incoming = try await IncomingMail.current(account, store, at: clock.now, isLocal: isLocal)
        let cursor = Document(
            cursorKey, value: ["cursor": .string(parsed.batch.cursor.rawValue), "epoch": .string(epoch.name)])
        let recognized = await recognizer?.matches(parsed.batch.messages.map(\.id), in: feed.id) ?? [:]
        let changes = try await incoming.changes(
            for: parsed, in: feed.id, isAnew: try await storedCursor == nil, recognized)
        let marks = try await Arrivals(store: store, accountID: account.id).marks(
            of: changes, inboxes: incoming.inboxes, at: clock.now)
        return changes + marks + [.putDocument(cursor)]
    }

    /// Makes the next sync of a feed start from the beginning.
    static func forgetCursor(of feed: FeedID, in accountID: Id<Account>) -> StorageChange {
        .destroyDocument(cursorKey(feed, accountID))
    }

    /// Both feeds have been read to the same point.
    static func carryCursor(
        from old: FeedID, to new: FeedID, in accountID: Id<Account>, _ store: MailStore
    ) async throws(StorageError) -> [StorageChange] {
        guard let cursor = try await store.read.document(cursorKey(old, accountID)) else { return [] }
        return [
            .putDocument(Document(cursorKey(new, accountID), value: cursor.value)),
            forgetCursor(of: old, in: accountID),
        ]
    }

    private static func cursorKey(_ feed: FeedID, _ accountID: Id<Account>) -> DocumentKey {
        DocumentKey(RemoteMap.cursors, feed.rawValue, accountID: accountID)
    }

    private var cursorKey: DocumentKey { Self.cursorKey(feed.id, account.id) }
}

extension ChangeBatch {
    fileprivate var isEmpty: Bool { messages.isEmpty && updates.isEmpty && removed.isEmpty }

    /// Every mailbox that it speaks of.
    fileprivate var mailboxIDs: Set<RemoteMailboxID> {
        var ids: Set<RemoteMailboxID> = []
        for message in messages { ids.formUnion(message.mailboxIDs) }
        for update in updates { ids.formUnion(update.mailboxIDs ?? []) }
        return ids
    }
}

/// The stored messages of a feed, for a provider that must detect removals.
private struct StoredMessages: KnownMessages {
    let store: MailStore
    let feed: FeedID
    let accountID: Id<Account>

    func ids(after: RemoteMessageID?, limit: Int) async throws -> [RemoteMessageID] {
        try await store.read.remoteIDs(feed: feed, after: after, limit: limit, in: accountID)
    }

    func contains(_ ids: [RemoteMessageID]) async throws -> Set<RemoteMessageID> {
        Set(try await store.read.emailIDs(for: ids, feed: feed, in: accountID).keys)
    }
}
