import FoundationEssentials
import MailKernelAPI
import MailKernelConformance

/// What sessions are told to do wrong, and what they were asked.
package final class Script: Sendable {
    package struct Contents: Sendable {
        /// Thrown by the next lists of mailboxes, in this order.
        package var mailboxErrors: [AccountError] = []
        /// Thrown by the next calls of `apply`, in this order.
        package var applyErrors: [AccountError] = []
        /// The next call of `apply` does its work, and its answer is lost.
        package var losesApplyAnswer = false
        /// Messages that are moved get new names, which are not reported.
        package var namesNoMoves = false
        /// Run once, when a call of `apply` has done its work and its answer is on its way.
        package var afterApply: (@Sendable () async -> Void)?
        /// Answered by the next calls of `apply` for each mutation, instead of doing anything.
        package var applyOutcomes: [MutationOutcome] = []
        /// Thrown by the next fetches, in this order.
        package var fetchErrors: [AccountError] = []
        /// Run after each piece of a message that is fetched.
        package var duringFetch: (@Sendable () async throws -> Void)?
        package var fetches = 0
        package var appendErrors: [AccountError] = []
        /// The next message that is added is there, and is not reported.
        package var losesAppendAnswer = false
        /// Run once, when a message was added and the answer is on its way.
        package var afterAppend: (@Sendable () async -> Void)?
        /// Thrown by the next submissions; `unknownAfter` hands the message over before.
        package var submitErrors: [AccountError] = []
        package var submitOutcomes: [SubmissionOutcome] = []
        /// The next submission does its work, and its answer is lost.
        package var losesAnswer = false
        /// Run once, when a message was read and before it is handed over, canceled or not.
        package var afterReading: (@Sendable () async -> Void)?
        /// Run before a message is handed over.
        package var beforeSubmit: (@Sendable (Envelope) async -> Void)?
        /// The batch of `changes` with this number, counted from 1, throws, and so do all that follow.
        package var failingBatch: (number: Int, error: AccountError)?
        /// Mailboxes that the next lists leave out, with their feeds.
        package var hiddenMailboxes: Set<RemoteMailboxID> = []
        /// What the user may do in these mailboxes, instead of what the service says.
        package var rights: [RemoteMailboxID: MailboxRights] = [:]
        /// Of a server with labels: there are folders instead, and nothing that holds all mail.
        package var hidesAllMail = false
        /// Changes of these feeds are not reported.
        package var quietFeeds: Set<FeedID> = []
        /// Reading these feeds fails.
        package var failingFeeds: [FeedID: AccountError] = [:]
        /// How often the mailboxes were asked for, which every round begins with.
        package var rounds = 0
        package var batches = 0
        /// Run before the batch with this number is asked for.
        package var beforeBatch: (@Sendable (Int) async -> Void)?
        /// Says when messages came instead of the service, by their places in a batch; nil for what it says.
        package var receivedAt: (@Sendable (Int) -> Date?)?
        /// Changes each batch on its way, given what was asked for.
        package var rewritesBatch: (@Sendable (inout ChangeBatch, SyncCursor?) -> Void)?
        /// Changes each list of mailboxes on its way.
        package var rewritesListing: (@Sendable (inout MailboxListing) -> Void)?
        /// Changes the outcomes of `apply` on their way.
        package var rewritesOutcomes: (@Sendable (inout [MutationOutcome]) -> Void)?
        /// Reports changes without end and without pause.
        package var watchesWithoutEnd = false
        package var applied: [RemoteMutation] = []
        package var submitted: [(message: Data, envelope: Envelope)] = []
        package var searches = 0
        package var holdLimits: HoldLimits?
        /// Reported instead of what the service says.
        package var quotas: [AccountQuota]?
        package var jmapSessionURL: URL?
        /// How often the quotas were asked for, and the errors of the next questions.
        package var quotaQuestions = 0
        package var quotaErrors: [AccountError] = []
        /// Asking for the limits fails.
        package var holdError: AccountError?
        /// What the service says about messages that are taken back, in this order; then that it was done.
        package var cancelOutcomes: [Result<Bool, AccountError>] = []
        /// The messages that were taken back, by their Message-IDs.
        package var canceledHeld: [String] = []
        /// Run before a message is taken back.
        package var beforeCancelHeld: (@Sendable () async -> Void)?
        /// The vacation reply of the service; the features say whether there is one.
        package var vacation = RemoteVacation()
        package var vacationReads = 0
        /// Thrown by the next calls that read it or set it, in this order.
        package var vacationErrors: [AccountError] = []
        package var vacationSetErrors: [AccountError] = []
        /// Run before each call that reads or changes what the service has, and once it has done its work.
        package var aroundCalls: (@Sendable () async -> Void)?
        package var beforeClose: (@Sendable () async -> Void)?
        /// Messages are added without a name, whatever the service says.
        package var namesNoAppends = false
        /// The scripts that the service keeps; nil if it keeps none.
        package var scripts: MemoryScripts?
        /// What the account can do besides what it can.
        package var moreFeatures: AccountFeatures = []
    }

    private let contents = Watched(Contents())

    package init() {}

    package func change(_ body: (inout Contents) -> Void) { contents.withLock { body(&$0) } }
    package var now: Contents { contents.value }
    package func changes() -> AsyncStream<Void> { contents.changes() }

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
package struct ScriptedSession: AccountSession {
    let inner: any AccountSession
    let script: Script

    package init(_ inner: any AccountSession, _ script: Script) {
        self.inner = inner
        self.script = script
    }

    package var features: AccountFeatures {
        get async {
            let all = await inner.features.union(script.now.moreFeatures)
            return script.now.hidesAllMail ? all.subtracting(.labels) : all
        }
    }

    package func mailboxes() async throws(AccountError) -> MailboxListing {
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

    package func changes(
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

    package func fetch(
        _ message: RemoteMessageID, feed: FeedID, partID: String?, into sink: any ByteSink
    ) async throws(AccountError) {
        if let error = script.next(\.fetchErrors) { throw error }
        script.change { $0.fetches += 1 }
        try await inner.fetch(
            message, feed: feed, partID: partID, into: ScriptedSink(sink: sink, script: script))
    }

    package func apply(_ mutations: [RemoteMutation]) async throws(AccountError) -> [MutationOutcome] {
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

    package func append(
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

    package func submit(
        _ message: any ByteSource, envelope: Envelope
    ) async throws(AccountError) -> SubmissionOutcome {
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

    package func findSent(messageID: String) async throws(AccountError) -> Bool {
        script.change { $0.searches += 1 }
        return try await inner.findSent(messageID: messageID)
    }

    package func holdLimits() async throws(AccountError) -> HoldLimits? {
        if let error = script.now.holdError { throw error }
        return script.now.holdLimits
    }

    package func cancelHeld(messageID: String) async throws(AccountError) -> Bool {
        await script.now.beforeCancelHeld?()
        script.change { $0.canceledHeld.append(messageID) }
        guard let outcome = script.next(\.cancelOutcomes) else { return true }
        return try outcome.get()
    }

    package func vacation() async throws(AccountError) -> RemoteVacation {
        script.change { $0.vacationReads += 1 }
        if let error = script.next(\.vacationErrors) { throw error }
        return script.now.vacation
    }

    package func setVacation(_ vacation: RemoteVacation) async throws(AccountError) {
        if let error = script.next(\.vacationSetErrors) { throw error }
        script.change { $0.vacation = vacation }
    }

    package func quotas() async throws(AccountError) -> [AccountQuota] {
        script.change { $0.quotaQuestions += 1 }
        if let error = script.next(\.quotaErrors) { throw error }
        if let quotas = script.now.quotas { return quotas }
        return try await inner.quotas()
    }

    package func jmapSessionURL() async throws(AccountError) -> URL? { script.now.jmapSessionURL }

    package func search(
        _ filter: EmailFilter, limit: Int
    ) async throws(AccountError) -> [RemoteAddress] {
        try await inner.search(filter, limit: limit)
    }

    package func read(
        _ messages: [RemoteMessageID], feed: FeedID
    ) async throws(AccountError) -> [RemoteMessage] {
        try await inner.read(messages, feed: feed)
    }

    package func watch() -> AsyncThrowingStream<WatchEvent, any Error> {
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

    package func close() async {
        await script.now.beforeClose?()
        await inner.close()
    }
}
