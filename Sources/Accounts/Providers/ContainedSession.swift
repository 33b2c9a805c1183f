import FoundationEssentials
import MailKernelAPI
import PluginCalls
import Synchronization

/// A plugin's session, kept from blocking anything else: see `PluginCaller`.
final class ContainedSession: AccountSession {
    let inner: any AccountSession
    private let accountID: Id<Account>
    private let caller: PluginCaller
    private let secrets: Silence
    /// As of the last list of mailboxes.
    private let lastFeatures = Mutex<AccountFeatures?>(nil)

    /// - Parameter secrets: lasts while the plugin asks nothing of the account's secrets.
    init(
        _ inner: any AccountSession, of accountID: Id<Account>, secrets: Silence, _ caller: PluginCaller
    ) {
        self.inner = inner
        self.accountID = accountID
        self.caller = caller
        self.secrets = secrets
    }

    func call<Answer: Sendable>(
        _ kind: PluginCallKind, _ body: @escaping @Sendable (Silence) async throws(AccountError) -> Answer
    ) async throws(AccountError) -> Answer {
        try await caller.call(kind, of: accountID, shared: secrets, body)
    }

    /// Nothing if the plugin never said.
    var features: AccountFeatures {
        get async {
            if let last = lastFeatures.withLock({ $0 }) { return last }
            return (try? await call(.features) { [inner] _ in await inner.features }) ?? []
        }
    }

    /// With the features, which must not be taken for none when the plugin does not tell them.
    func mailboxes() async throws(AccountError) -> MailboxListing {
        let (listing, features) = try await call(.mailboxes) { [inner] _ throws(AccountError) in
            (try await inner.mailboxes(), await inner.features)
        }
        try listing.checkLimits()
        lastFeatures.withLock { $0 = features }
        return listing
    }

    func changes(
        in feed: FeedID, after cursor: SyncCursor?, since: Date?, known: any KnownMessages
    ) async throws(AccountError) -> ChangeBatch {
        try await call(.changes) { [inner] silence throws(AccountError) in
            try await inner.changes(
                in: feed, after: cursor, since: since,
                known: LentKnownMessages(inner: known, silence: silence))
        }
    }

    func fetch(
        _ message: RemoteMessageID, feed: FeedID, partID: String?, into sink: any ByteSink
    ) async throws(AccountError) {
        try await call(.fetch) { [inner] silence throws(AccountError) in
            try await inner.fetch(
                message, feed: feed, partID: partID, into: LentSink(inner: sink, silence: silence))
        }
    }

    func apply(_ mutations: [RemoteMutation]) async throws(AccountError) -> [MutationOutcome] {
        let outcomes = try await call(.apply) { [inner] _ throws(AccountError) in
            try await inner.apply(mutations)
        }
        // Otherwise, outcomes could not be matched to mutations.
        guard outcomes.count == mutations.count else {
            throw .badAnswer("\(outcomes.count) outcomes for \(mutations.count) mutations")
        }
        return try zip(mutations, outcomes).map { mutation, outcome throws(AccountError) in
            try outcome.held(for: mutation)
        }
    }

    func append(
        _ message: any ByteSource, to mailbox: RemoteMailboxID, keywords: Set<Keyword>, receivedAt: Date,
        replacing: RemoteAddress?
    ) async throws(AccountError) -> AppendOutcome {
        let outcome = try await call(.append) { [inner] silence throws(AccountError) in
            try await inner.append(
                LentSource(inner: message, silence: silence), to: mailbox, keywords: keywords,
                receivedAt: receivedAt, replacing: replacing)
        }
        // The message was added; the next sync finds it.
        return outcome.address?.isWithinLimits == false ? AppendOutcome(address: nil) : outcome
    }

    func importMessages(_ messages: [ImportedMessage]) async throws(AccountError) -> [ImportOutcome] {
        let outcomes = try await call(.importMessages) { [inner] silence throws(AccountError) in
            try await inner.importMessages(
                messages.map { message in
                    var message = message
                    message.bytes = LentSource(inner: message.bytes, silence: silence)
                    return message
                })
        }
        guard outcomes.count == messages.count else {
            throw .badAnswer("\(outcomes.count) outcomes for \(messages.count) messages")
        }
        return outcomes.map(\.held)
    }

    /// A call that was given up may still send the message if it has read any of it.
    func submit(
        _ message: any ByteSource, envelope: Envelope
    ) async throws(AccountError) -> SubmissionOutcome {
        let isStillSending = caller.calls.givenUp(by: caller.pluginID).contains {
            $0.kind == .submit && $0.accountID == accountID && $0.silence.hasAsked
        }
        guard !isStillSending else {
            throw .local(
                reason:
                    "The plugin “\(caller.name)” may still be sending an earlier message. Restart mailkernel."
            )
        }
        let result: Result<SubmissionOutcome, AccountError>
        do throws(PluginCaller.Unanswered) {
            result = try await caller.call(.submit, of: accountID, shared: secrets) {
                [inner] silence throws(AccountError) in
                try await inner.submit(LentSource(inner: message, silence: silence), envelope: envelope)
            }
        } catch {
            if error.hasAsked { return .unknown }
            throw .local(reason: error.sentence)
        }
        return try result.map(\.held).mapError(\.held).get()
    }

    func holdLimits() async throws(AccountError) -> HoldLimits? {
        try await call(.holdLimits) { [inner] _ throws(AccountError) in try await inner.holdLimits() }
    }

    func cancelHeld(messageID: String) async throws(AccountError) -> Bool {
        try await call(.cancelHeld) { [inner] _ throws(AccountError) in
            try await inner.cancelHeld(messageID: messageID)
        }
    }

    func findSent(messageID: String) async throws(AccountError) -> Bool {
        try await call(.findSent) { [inner] _ throws(AccountError) in
            try await inner.findSent(messageID: messageID)
        }
    }

    /// Not noted: it lasts as long as the session.
    func watch() -> AsyncThrowingStream<WatchEvent, any Error> {
        // Each event starts a sync, so events dropped from a full buffer are not missed.
        AsyncThrowingStream(bufferingPolicy: .bufferingOldest(16)) { [inner, caller] events in
            let reader = Task(executorPreference: caller.threads) {
                do {
                    for try await event in inner.watch() { events.yield(event) }
                    events.finish()
                } catch {
                    events.finish(throwing: error)
                }
            }
            events.onTermination = { _ in reader.cancel() }
        }
    }

    func search(_ filter: EmailFilter, limit: Int) async throws(AccountError) -> [RemoteAddress] {
        let found = try await call(.search) { [inner] _ throws(AccountError) in
            try await inner.search(filter, limit: limit)
        }
        return found.prefix(max(0, limit)).filter(\.isWithinLimits)
    }

    func read(_ messages: [RemoteMessageID], feed: FeedID) async throws(AccountError) -> [RemoteMessage] {
        try await call(.read) { [inner] _ throws(AccountError) in
            try await inner.read(messages, feed: feed)
        }
    }

    func close() async { try? await call(.close) { [inner] _ in await inner.close() } }
}
