public import FoundationEssentials
public import MailKernelAPI
import MailKernelConformance

/// What sessions are told to do wrong, and what they were asked.
public final class Script: Sendable {
    public struct Contents: Sendable {
        /// Thrown by the next lists of mailboxes, in this order.
        public var mailboxErrors: [AccountError] = []
        /// Thrown by the next calls of `apply`, in this order.
        public var applyErrors: [AccountError] = []
        /// The next call of `apply` does its work, and its answer is lost.
        public var losesApplyAnswer = false
        /// Messages that are moved get new names, which nobody is told.
        public var namesNoMoves = false
        /// Run once, when a call of `apply` has done its work and its answer is on its way.
        public var afterApply: (@Sendable () async -> Void)?
        /// Answered by the next calls of `apply` for each mutation, instead of doing anything.
        public var applyOutcomes: [MutationOutcome] = []
        /// Thrown by the next fetches, in this order.
        public var fetchErrors: [AccountError] = []
        /// Run after each piece of a message that is fetched.
        public var duringFetch: (@Sendable () async throws -> Void)?
        public var fetches = 0
        public var appendErrors: [AccountError] = []
        /// The next message that is added is there, and nobody is told.
        public var losesAppendAnswer = false
        /// Run once, when a message was added and the answer is on its way.
        public var afterAppend: (@Sendable () async -> Void)?
        /// Thrown by the next submissions; `unknownAfter` hands the message over before.
        public var submitErrors: [AccountError] = []
        public var submitOutcomes: [SMTPOutcome] = []
        /// The next submission does its work, and its answer is lost.
        public var losesAnswer = false
        /// Run once, when a message was read and before it is handed over, canceled or not.
        public var afterReading: (@Sendable () async -> Void)?
        /// Run before a message is handed over.
        public var beforeSubmit: (@Sendable (Envelope) async -> Void)?
        /// The batch of `changes` with this number, counted from 1, throws, and so do all that follow.
        public var failingBatch: (number: Int, error: AccountError)?
        /// Mailboxes that the next lists leave out, with their feeds.
        public var hiddenMailboxes: Set<RemoteMailboxID> = []
        /// What the user may do in these mailboxes, instead of what the service says.
        public var rights: [RemoteMailboxID: MailboxRights] = [:]
        /// Of a server with labels: there are folders instead, and nothing that holds all mail.
        public var hidesAllMail = false
        /// Nobody is told of changes of these feeds.
        public var quietFeeds: Set<FeedID> = []
        /// Reading these feeds fails.
        public var failingFeeds: [FeedID: AccountError] = [:]
        /// How often the mailboxes were asked for, which every round begins with.
        public var rounds = 0
        public var batches = 0
        /// Run before the batch with this number is asked for.
        public var beforeBatch: (@Sendable (Int) async -> Void)?
        /// Says when messages came instead of the service, by their places in a batch; nil for what it says.
        public var receivedAt: (@Sendable (Int) -> Date?)?
        /// Changes each batch on its way, given what was asked for.
        public var rewritesBatch: (@Sendable (inout ChangeBatch, SyncCursor?) -> Void)?
        /// Changes each list of mailboxes on its way.
        public var rewritesListing: (@Sendable (inout MailboxListing) -> Void)?
        /// Changes the outcomes of `apply` on their way.
        public var rewritesOutcomes: (@Sendable (inout [MutationOutcome]) -> Void)?
        /// Reports changes without end and without pause.
        public var watchesWithoutEnd = false
        public var applied: [RemoteMutation] = []
        public var submitted: [(message: Data, envelope: Envelope)] = []
        public var searches = 0
        /// Run before each call that reads or changes what the service has, and once it has done its work.
        public var aroundCalls: (@Sendable () async -> Void)?
        /// Messages are added without a name, whatever the service says.
        public var namesNoAppends = false
        /// What the account can do besides what it can.
        public var moreFeatures: AccountFeatures = []
    }

    private let contents = Watched(Contents())

    public init() {}

    public func change(_ body: (inout Contents) -> Void) { contents.withLock { body(&$0) } }
    public var now: Contents { contents.value }
    public func changes() -> AsyncStream<Void> { contents.changes() }

    func take<Value: Sendable>(_ path: WritableKeyPath<Contents, Value?> & Sendable) -> Value? {
        contents.withLock { contents in
            defer { contents[keyPath: path] = nil }
            return contents[keyPath: path]
        }
    }

    func next<Value: Sendable>(_ path: WritableKeyPath<Contents, [Value]> & Sendable) -> Value? {
        contents.withLock { $0[keyPath: path].isEmpty ? nil : $0[keyPath: path].removeFirst() }
    }
}

private struct ScriptedSink: ByteSink {
    let sink: any ByteSink
    let script: Script

    func write(_ bytes: Data) async throws {
        try await sink.write(bytes)
        try await script.now.duringFetch?()
    }
}

/// A session that follows a script, and else does what the one behind it does.
public struct ScriptedSession: AccountSession {
    let inner: any AccountSession
    let script: Script

    public init(_ inner: any AccountSession, _ script: Script) {
        self.inner = inner
        self.script = script
    }

    public var features: AccountFeatures {
        get async {
            let all = await inner.features.union(script.now.moreFeatures)
            return script.now.hidesAllMail ? all.subtracting(.labels) : all
        }
    }

    public func mailboxes() async throws(AccountError) -> MailboxListing {
        script.change { $0.rounds += 1 }
        await script.now.aroundCalls?()
        if let error = script.next(\.mailboxErrors) { throw error }
        var listing = try await inner.mailboxes()
        let hidden = script.now.hiddenMailboxes
        listing.mailboxes.removeAll { hidden.contains($0.id) }
        listing.feeds.removeAll { $0.mailboxID.map(hidden.contains) == true }
        for index in listing.mailboxes.indices {
            if let rights = script.now.rights[listing.mailboxes[index].id] {
                listing.mailboxes[index].rights = rights
            }
        }
        script.now.rewritesListing?(&listing)
        return script.now.hidesAllMail ? HiddenAllMail.listing(listing) : listing
    }

    public func changes(
        in feed: FeedID, after cursor: SyncCursor?, since: Date?, known: any KnownMessages
    ) async throws(AccountError) -> ChangeBatch {
        script.change { $0.batches += 1 }
        await script.now.aroundCalls?()
        let (number, action) = (script.now.batches, script.now.beforeBatch)
        await action?(number)
        if let failing = script.now.failingBatch, failing.number <= script.now.batches { throw failing.error }
        if let error = script.now.failingFeeds[feed] { throw error }
        guard !script.now.hidesAllMail else {
            return try await HiddenAllMail.changes(in: feed, after: cursor, known, inner)
        }
        var batch = try await inner.changes(in: feed, after: cursor, since: since, known: known)
        for index in batch.messages.indices {
            if let date = script.now.receivedAt?(index) { batch.messages[index].receivedAt = date }
        }
        script.now.rewritesBatch?(&batch, cursor)
        return batch
    }

    public func fetch(
        _ message: RemoteMessageID, feed: FeedID, partID: String?, into sink: any ByteSink
    ) async throws(AccountError) {
        if let error = script.next(\.fetchErrors) { throw error }
        script.change { $0.fetches += 1 }
        try await inner.fetch(
            message, feed: feed, partID: partID, into: ScriptedSink(sink: sink, script: script))
    }

    public func apply(_ mutations: [RemoteMutation]) async throws(AccountError) -> [MutationOutcome] {
        await script.now.aroundCalls?()
        if let error = script.next(\.applyErrors) { throw error }
        if let outcome = script.next(\.applyOutcomes) { return mutations.map { _ in outcome } }
        script.change { $0.applied += mutations }
        let isHidden = script.now.hidesAllMail
        var outcomes = try await inner.apply(isHidden ? mutations.map(HiddenAllMail.inner) : mutations)
        script.now.rewritesOutcomes?(&outcomes)
        await script.take(\.afterApply)?()
        await script.now.aroundCalls?()
        let isLost = script.now.losesApplyAnswer
        script.change { $0.losesApplyAnswer = false }
        if isLost { throw .unreachable(host: "mail.example.org", reason: "The connection was lost.") }
        guard script.now.namesNoMoves else { return outcomes }
        return outcomes.map { outcome in
            if case .done(_, let mailbox) = outcome { .done(newIDs: [:], mailbox: mailbox) } else { outcome }
        }
    }

    public func append(
        _ message: any ByteSource, to mailbox: RemoteMailboxID, keywords: Set<Keyword>, receivedAt: Date,
        replacing: RemoteAddress?
    ) async throws(AccountError) -> AppendOutcome {
        await script.now.aroundCalls?()
        if let error = script.next(\.appendErrors) { throw error }
        let outcome = try await inner.append(
            message, to: mailbox, keywords: keywords, receivedAt: receivedAt, replacing: replacing)
        await script.take(\.afterAppend)?()
        await script.now.aroundCalls?()
        let isLost = script.now.losesAppendAnswer
        script.change { $0.losesAppendAnswer = false }
        if isLost { throw .unreachable(host: "mail.example.org", reason: "The connection was lost.") }
        return script.now.namesNoAppends ? AppendOutcome(address: nil) : outcome
    }

    public func submit(
        _ message: any ByteSource, envelope: Envelope
    ) async throws(AccountError) -> SMTPOutcome {
        let action = script.now.beforeSubmit
        await action?(envelope)
        if let error = script.next(\.submitErrors) { throw error }
        if let outcome = script.next(\.submitOutcomes) { return outcome }
        let bytes = (try? await message.read(at: 0, count: message.size)) ?? Data()
        script.change { $0.submitted.append((bytes, envelope)) }
        if let action = script.take(\.afterReading) {
            await action()
            return try await Task { try await inner.submit(DataSource(bytes), envelope: envelope) }.result
                .mapError { $0 as? AccountError ?? .cancelled }.get()
        }
        let outcome = try await inner.submit(message, envelope: envelope)
        let isLost = script.now.losesAnswer
        script.change { $0.losesAnswer = false }
        return isLost ? .unknown : outcome
    }

    public func findSent(messageID: String) async throws(AccountError) -> Bool {
        script.change { $0.searches += 1 }
        return try await inner.findSent(messageID: messageID)
    }

    public func search(
        _ filter: EmailFilter, limit: Int
    ) async throws(AccountError) -> [RemoteAddress] {
        try await inner.search(filter, limit: limit)
    }

    public func watch() -> AsyncThrowingStream<WatchEvent, any Error> {
        if script.now.watchesWithoutEnd { return AsyncThrowingStream { Task.isCancelled ? nil : .listening } }
        let (stream, continuation) = AsyncThrowingStream<WatchEvent, any Error>.makeStream()
        let task = Task {
            do {
                for try await event in inner.watch() {
                    if case .changed(let feed) = event, script.now.quietFeeds.contains(feed) { continue }
                    continuation.yield(event)
                }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    public func close() async { await inner.close() }
}
