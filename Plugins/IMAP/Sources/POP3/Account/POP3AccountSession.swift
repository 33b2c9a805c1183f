import FoundationEssentials
import IMAP
import LocalFolders
public import MailKernelAPI

/// A session of an account whose mail is fetched by POP3 and kept on this device.
///
/// The kernel is answered from the folder here. Asking for changes also starts a visit to the server, which goes on by
/// itself: the first may take long. Its failure is reported once everything that it brought has been.
public actor POP3AccountSession: AccountSession {
    /// Between two visits, unless the last one failed: the kernel asks again after each change here.
    private static let pause = 30.0
    /// How long a call waits for the visit to bring something.
    private static let patience = 60.0

    private let configuration: POP3Configuration
    private let host: HostServices
    private let mail: KeptMail
    private let sender: IMAPAccountSession

    private var visit: Task<Void, Never>?
    private var progress: SyncProgress?
    private var failure: AccountError?
    /// Nil until a visit was finished, or after one that failed.
    private var visitedAt: Date?
    private var pause = POP3AccountSession.pause
    private var waiting: [UUID: CheckedContinuation<Bool, Never>] = [:]
    private var isClosed = false

    /// - Parameter address: of the account, which its folder is named after.
    public init(
        _ configuration: POP3Configuration, address: String, host: HostServices
    ) throws(AccountError) {
        self.configuration = configuration
        self.host = host
        mail = try KeptMail(of: address, in: host.dataFolder, log: host.log)
        sender = IMAPAccountSession(configuration.sending, host: host)
    }

    /// Deletes the mail of an account that was removed.
    public static func remove(_ address: String, host: HostServices) async throws(AccountError) {
        try await KeptMail(of: address, in: host.dataFolder, log: host.log).remove()
    }

    public nonisolated var features: AccountFeatures {
        let all: AccountFeatures = [
            .local, .labels, .replacesAtomically, .mailboxChanges, .keywords, .imports,
        ]
        return configuration.submission == nil ? all : all.union(.submission)
    }

    public func mailboxes() async throws(AccountError) -> MailboxListing {
        // The kernel learns here that a password is missing or locked away.
        if case .password = configuration.login {
            _ = try await configuration.login.credentials(refused: nil)
        }
        return try await mail.listing()
    }

    public func changes(
        in feed: FeedID, after cursor: SyncCursor?, since: Date?, known: any KnownMessages
    ) async throws(AccountError) -> ChangeBatch {
        guard feed == KeptMail.feed else { throw .notFound }
        let mark = WaitMark(cursor)
        startVisit()
        while true {
            // Asked for first: what comes in between is seen by the next look, and not waited for.
            let isUnderWay = visit != nil
            var batch = try await mail.changes(after: mark.cursor, since: since)
            let isEmpty = batch.messages.isEmpty && batch.updates.isEmpty && batch.removed.isEmpty
            if !isEmpty || batch.hasMore || !batch.failures.isEmpty {
                batch.hasMore = batch.hasMore || isUnderWay || failure != nil
                if isUnderWay { batch.progress = progress ?? batch.progress }
                return batch
            }
            if !isUnderWay {
                if let failure {
                    self.failure = nil
                    throw failure
                }
                return batch
            }
            if Task.isCancelled { throw .cancelled }
            if await !news() {
                if Task.isCancelled { throw .cancelled }
                batch.hasMore = true
                batch.progress = progress
                batch.cursor = mark.next(batch.cursor)
                return batch
            }
        }
    }

    // MARK: Visits

    private func startVisit() {
        guard visit == nil, failure == nil, !isClosed else { return }
        if let visitedAt, abs(host.clock.now.timeIntervalSince(visitedAt)) < pause { return }
        progress = nil
        let visit = DropVisit(configuration: configuration, host: host, mail: mail) { [weak self] progress in
            await self?.note(progress)
        }
        self.visit = Task { [weak self] in
            do throws(AccountError) {
                await self?.finish(nil, delay: try await visit.run())
            } catch {
                await self?.finish(error, delay: nil)
            }
        }
    }

    private func note(_ progress: SyncProgress) {
        self.progress = progress
        wake(true)
    }

    private func finish(_ error: AccountError?, delay: Double?) {
        visit = nil
        failure = error
        visitedAt = error == nil ? host.clock.now : nil
        pause = max(Self.pause, delay ?? 0)
        wake(true)
    }

    /// Waits until the visit brings something or ends; false if it did neither in time.
    private func news() async -> Bool {
        guard visit != nil else { return true }
        let id = UUID()
        let limit = Task { [clock = host.clock] in
            guard (try? await clock.sleep(for: Self.patience)) != nil else { return }
            self.wake(id)
        }
        defer { limit.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(returning: false)
                } else {
                    waiting[id] = continuation
                }
            }
        } onCancel: {
            Task { await self.wake(id) }
        }
    }

    private func wake(_ id: UUID) { waiting.removeValue(forKey: id)?.resume(returning: false) }

    private func wake(_ isNews: Bool) {
        let all = waiting.values
        waiting = [:]
        for continuation in all { continuation.resume(returning: isNews) }
    }

    public func close() async {
        guard !isClosed else { return }
        isClosed = true
        let visit = visit
        visit?.cancel()
        // Before the folder closes, so that nothing is left in it.
        await visit?.value
        wake(false)
        await mail.close()
        await sender.close()
    }
}

// Everything else is done here, without the server.
extension POP3AccountSession {
    public func fetch(
        _ message: RemoteMessageID, feed: FeedID, partID: String?, into sink: any ByteSink
    ) async throws(AccountError) {
        // Messages are reported whole, so there are no parts to fetch.
        guard feed == KeptMail.feed, partID == nil else { throw .notFound }
        try await mail.fetch(message, into: sink)
    }

    public func apply(_ mutations: [RemoteMutation]) async throws(AccountError) -> [MutationOutcome] {
        try await mail.apply(mutations)
    }

    public func append(
        _ message: any ByteSource, to mailbox: RemoteMailboxID, keywords: Set<Keyword>, receivedAt: Date,
        replacing: RemoteAddress?
    ) async throws(AccountError) -> AppendOutcome {
        try await mail.append(
            message, to: mailbox, keywords: keywords, receivedAt: receivedAt, replacing: replacing)
    }

    public func importMessages(_ messages: [ImportedMessage]) async throws(AccountError) -> [ImportOutcome] {
        try await mail.importMessages(messages)
    }

    public func submit(
        _ message: any ByteSource, envelope: Envelope
    ) async throws(AccountError) -> SubmissionOutcome {
        guard configuration.submission != nil else { throw .unsupported("sending mail") }
        let id = try await mail.noteSending(message)
        let outcome: SubmissionOutcome
        do throws(AccountError) {
            outcome = try await sender.submit(message, envelope: envelope)
        } catch {
            // Refused before it was handed over. A canceled call may have got through.
            if error != .cancelled { try await mail.noteEnd(ofSending: id, .notSent) }
            throw error
        }
        let state: SentState =
            switch outcome {
            case .accepted: .sent
            case .rejected: .notSent
            case .unknown: .unknown
            }
        // It may be for this account, too.
        if pause == Self.pause { visitedAt = nil }
        // The outcome counts, whatever the disk does now: it is unknown here then.
        try? await mail.noteEnd(ofSending: id, state)
        return outcome
    }

    public func findSent(messageID: String) async throws(AccountError) -> Bool {
        switch try await mail.state(ofSending: messageID) {
        case .sent: return true
        case .notSent: return false
        case .unknown: throw .unsupported("looking for sent mail at a service without folders")
        }
    }
}
