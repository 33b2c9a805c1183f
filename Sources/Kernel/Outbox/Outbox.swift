public import FoundationEssentials
public import MailKernelAPI

/// Sends what was submitted: after the undo delay, in order, once.
public actor Outbox {
    private static let pauses: [Double] = [30, 120, 480]
    private static let longestWait = 86_400.0

    private let store: MailStore
    private let accounts: Accounts
    private let blobs: Blobs
    private let preferences: Preferences
    private let ids: IDMaker
    private let clock: any HostClock
    private let log: LogOutput
    private var loop: Task<Void, Never>?
    private var alarm: Task<Void, Never>?
    private var wake: CheckedContinuation<Void, Never>?
    private var isDue = true
    /// The submission that is being handed over: it cannot be called back.
    private var sending: Id<EmailSubmission>?

    init(
        store: MailStore, accounts: Accounts, blobs: Blobs, preferences: Preferences, ids: IDMaker,
        clock: any HostClock, log: LogOutput
    ) {
        self.store = store
        self.accounts = accounts
        self.blobs = blobs
        self.preferences = preferences
        self.ids = ids
        self.clock = clock
        self.log = log
    }

    func start() async {
        do {
            for account in try await store.backend.accounts() { try await recover(account.id) }
        } catch {
            log.write(.warning, "mailkernel", "The outbox could not be read. \(error.sentence)")
        }
        loop = Task { await run() }
    }

    func stop() async {
        loop?.cancel()
        alarm?.cancel()
        resume()
        await loop?.value
    }

    /// What was in its undo window when the program ended is not sent: it is a draft again, and the user
    /// decides anew.
    private func recover(_ accountID: Id<Account>) async throws(StorageError) {
        for var submission in try await store.backend.submissions(nil, in: accountID) {
            if submission.undoStatus == .pending {
                submission.undoStatus = .canceled
                submission.sendState = .none
            } else if submission.sendState == .sending {
                submission.sendState = .queued
            } else {
                continue
            }
            try await store.commit([.putSubmission(submission)])
        }
    }

    /// Takes a message to be sent. It is on disk when this returns.
    public func submit(
        _ message: Data, of email: StoredEmail, as identity: Identity, envelope: Envelope
    ) async throws -> EmailSubmission {
        let account = email.email.accountID
        let id: Id<EmailSubmission> = ids.next("S")
        let snapshot = Id<Blob>("S" + id.rawValue)
        let kept = try await blobs.keep(
            OutgoingMessage.withoutBcc(message), as: snapshot, type: "message/rfc822", in: account)
        let delay = Double(try await preferences.undoSendDelay)
        let submission = EmailSubmission(
            id: id, accountID: account, identityID: identity.id, emailID: email.email.id,
            threadID: email.threadID, snapshotBlobID: snapshot, envelope: envelope,
            sendAt: clock.now.addingTimeInterval(delay), undoStatus: .pending, sendState: .queued,
            queuedAt: clock.now)
        try await store.commit([
            .putSubmission(submission), kept,
            .countContacts(Self.sightings(in: email.email, envelope, at: clock.now), in: account),
        ])
        changed()
        return submission
    }

    /// Whoever is written to, under the name that the header gives.
    private static func sightings(
        in email: Email, _ envelope: Envelope, at date: Date
    ) -> [ContactSighting] {
        let named = email.header.to + email.header.cc + email.header.bcc
        return envelope.rcptTo.map { recipient in
            let name = named.first { $0.email.lowercased() == recipient.lowercased() }?.name
            return ContactSighting(address: EmailAddress(name: name, email: recipient), seenAt: date)
        }
    }

    /// Calls a submission back.
    ///
    /// - Returns: nil if it can no longer be unsent.
    public func cancel(
        _ id: Id<EmailSubmission>, in accountID: Id<Account>
    ) async throws(StorageError) -> EmailSubmission? {
        guard var submission = try await store.backend.submissions([id], in: accountID).first,
            submission.undoStatus == .pending, sending != id
        else { return nil }
        submission.undoStatus = .canceled
        submission.sendState = .none
        try await store.commit([.putSubmission(submission)])
        try await store.backend.removeBlob(submission.snapshotBlobID, in: accountID)
        return submission
    }

    /// Tries a message again that could not be sent, or that waits for its next try.
    public func retry(_ id: Id<EmailSubmission>, in accountID: Id<Account>) async throws(StorageError) -> Bool
    {
        guard var submission = try await store.backend.submissions([id], in: accountID).first,
            submission.undoStatus == .final, [.failed, .queued].contains(submission.sendState)
        else { return false }
        submission.sendState = .queued
        submission.tries = 0
        submission.nextTryAt = clock.now
        submission.queuedAt = clock.now
        submission.failure = nil
        try await store.commit([.putSubmission(submission)])
        changed()
        return true
    }

    /// Forgets a submission, and the message with it if it still waits.
    public func forget(_ id: Id<EmailSubmission>, in accountID: Id<Account>) async throws(StorageError) {
        guard let submission = try await store.backend.submissions([id], in: accountID).first else { return }
        try await store.commit([.destroySubmission(id, in: accountID)])
        try await store.backend.removeBlob(submission.snapshotBlobID, in: accountID)
    }

    /// Something may be due: a new submission, or an account that can send again.
    func changed() {
        isDue = true
        resume()
    }

    private func run() async {
        while !Task.isCancelled {
            isDue = false
            var next: Date?
            do {
                for account in try await store.backend.accounts() where account.status == .active {
                    let due = try await sendDue(of: account.id)
                    next = [next, due].compactMap { $0 }.min()
                }
            } catch {
                log.write(.warning, "mailkernel", "The outbox could not go on. \(error)")
                next = clock.now.addingTimeInterval(60)
            }
            await pause(until: next)
        }
    }

    /// Sends what is due, oldest first. Returns when the next one is.
    private func sendDue(of accountID: Id<Account>) async throws -> Date? {
        var next: Date?
        for submission in try await store.backend.submissions(nil, in: accountID)
        where submission.sendState == .queued {
            try Task.checkCancellation()
            let due =
                submission.undoStatus == .pending
                ? submission.sendAt : submission.nextTryAt ?? submission.sendAt
            guard due <= clock.now else {
                next = min(next ?? due, due)
                continue
            }
            if let again = try await send(submission) { next = min(next ?? again, again) }
        }
        return next
    }

    private func send(_ waiting: EmailSubmission) async throws -> Date? {
        sending = waiting.id
        defer { sending = nil }
        // Read again: it may have been called back while others were sent.
        guard var submission = try await store.backend.submissions([waiting.id], in: waiting.accountID).first,
            submission.sendState == .queued, let session = await accounts.session(waiting.accountID)
        else { return nil }
        let attempt = SendAttempt(session: session, now: clock.now)
        submission.undoStatus = .final
        submission.sendState = .sending
        try await store.commit([.putSubmission(submission)])
        let source = try await StoredBlob(submission.snapshotBlobID, in: submission.accountID, store.backend)
        submission = try await attempt.carryOut(submission, source) { [store] marked in
            try await store.commit([.putSubmission(marked)])
        }
        if submission.sendState == .queued {
            let pause = Self.pauses[min(submission.tries, Self.pauses.count) - 1]
            submission.nextTryAt = clock.now.addingTimeInterval(pause)
            if submission.tries > Self.pauses.count {
                submission.sendState = .failed
            } else if clock.now.timeIntervalSince(submission.queuedAt) > Self.longestWait {
                submission.sendState = .failed
                submission.failure = "send timeout"
            }
        }
        try await store.commit([.putSubmission(submission)])
        if submission.sendState == .sent {
            try await store.backend.removeBlob(submission.snapshotBlobID, in: submission.accountID)
        }
        return submission.sendState == .queued ? submission.nextTryAt : nil
    }

    private func pause(until date: Date?) async {
        if let date {
            let seconds = max(0, date.timeIntervalSince(clock.now))
            alarm = Task { [clock, weak self] in
                guard (try? await clock.sleep(for: seconds)) != nil else { return }
                await self?.changed()
            }
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if isDue || Task.isCancelled { continuation.resume() } else { wake = continuation }
            }
        } onCancel: {
            Task { await self.resume() }
        }
        alarm?.cancel()
        alarm = nil
    }

    private func resume() {
        wake?.resume()
        wake = nil
    }
}
