public import FoundationEssentials
public import MailKernelAPI

/// Sends what was submitted: after the undo delay, in order, once.
public actor Outbox {
    private static let pauses: [Double] = [30, 120, 480]
    private static let longestWait = 86_400.0
    /// While an account cannot be reached.
    private static let lookAgain = 30.0

    private let store: MailStore
    private let accounts: Accounts
    private let blobs: Blobs
    private let drafts: ReturnedDraft
    private let preferences: Preferences
    private let ids: IDMaker
    private let clock: any HostClock
    private let log: LogOutput
    private var loop: Task<Void, Never>?
    private var alarm: Task<Void, Never>?
    private var accountNews: Task<Void, Never>?
    private var wake: CheckedContinuation<Void, Never>?
    private var isDue = true
    private var isBusy = false
    private var settled: [CheckedContinuation<Void, Never>] = []
    /// The submission that is being handed over: it cannot be called back.
    private var sending: Id<EmailSubmission>?
    /// Those that somebody is changing: they are not handed over meanwhile.
    private var held: Set<Id<EmailSubmission>> = []
    /// Accounts that nothing can be sent from for now, and when to look again.
    private var waiting: [Id<Account>: Date] = [:]

    init(
        store: MailStore, accounts: Accounts, blobs: Blobs, mail: MailActions, preferences: Preferences,
        ids: IDMaker, clock: any HostClock, log: LogOutput
    ) {
        self.store = store
        self.accounts = accounts
        self.blobs = blobs
        drafts = ReturnedDraft(store: store, mail: mail)
        self.preferences = preferences
        self.ids = ids
        self.clock = clock
        self.log = log
    }

    func start() async {
        do {
            for account in try await store.backend.accounts() { try await recover(account.id) }
        } catch {
            log.write(.warning, "mailkernel", "The outbox could not be read. \(error)")
        }
        loop = Task { await run() }
        // An account that has signed in again can send again.
        accountNews = Task { [weak self, news = store.news] in
            for await states in news.listen() where states.keys.contains(where: { $0.type == .account }) {
                await self?.changed()
            }
        }
    }

    func stop() async {
        accountNews?.cancel()
        loop?.cancel()
        alarm?.cancel()
        resume()
        await loop?.value
    }

    /// What was in its undo window when the program ended is not sent: it is a draft again, and the user
    /// decides anew (FR-COMP-02).
    private func recover(_ accountID: Id<Account>) async throws {
        for var submission in try await store.backend.submissions(nil, in: accountID) {
            if submission.undoStatus == .pending {
                try await drafts.restore(submission, asDraft: true)
                submission.undoStatus = .canceled
                submission.sendState = .none
                try await store.commit([.putSubmission(submission)])
                try await store.backend.removeBlob(submission.snapshotBlobID, in: accountID)
            } else if submission.sendState == .sending {
                submission.sendState = .queued
                try await store.commit([.putSubmission(submission)])
            }
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
    public func cancel(_ id: Id<EmailSubmission>, in accountID: Id<Account>) async throws -> EmailSubmission?
    {
        try await holding(id) {
            guard var submission = try await store.backend.submissions([id], in: accountID).first,
                submission.undoStatus == .pending
            else { return nil }
            // A client may have had the email destroyed: what was written is not lost with it.
            try await drafts.restore(submission, asDraft: false)
            submission.undoStatus = .canceled
            submission.sendState = .none
            try await store.commit([.putSubmission(submission)])
            try await store.backend.removeBlob(submission.snapshotBlobID, in: accountID)
            return submission
        } ?? nil
    }

    /// Tries a message again that could not be sent, or that waits for its next try.
    public func retry(_ id: Id<EmailSubmission>, in accountID: Id<Account>) async throws -> Bool {
        let isRetried: Bool? = try await holding(id) {
            guard var submission = try await store.backend.submissions([id], in: accountID).first,
                submission.undoStatus == .final, [.failed, .queued].contains(submission.sendState)
            else { return false }
            submission.sendState = .queued
            submission.tries = 0
            submission.nextTryAt = nil
            submission.queuedAt = clock.now
            submission.failure = nil
            try await store.commit([.putSubmission(submission)])
            return true
        }
        waiting[accountID] = nil
        changed()
        return isRetried ?? false
    }

    /// Forgets a submission that is not being sent any more.
    ///
    /// - Returns: whether it could be forgotten.
    public func forget(_ id: Id<EmailSubmission>, in accountID: Id<Account>) async throws -> Bool {
        let isForgotten: Bool? = try await holding(id) {
            guard let submission = try await store.backend.submissions([id], in: accountID).first,
                submission.undoStatus == .canceled || [.sent, .failed].contains(submission.sendState)
            else { return false }
            try await store.commit([.destroySubmission(id, in: accountID)])
            try await store.backend.removeBlob(submission.snapshotBlobID, in: accountID)
            return true
        }
        return isForgotten ?? false
    }

    /// Changes a submission while it cannot be handed over; nil if it is being handed over, or if somebody
    /// else is changing it.
    private func holding<Answer>(
        _ id: Id<EmailSubmission>, _ change: () async throws -> Answer
    ) async throws -> Answer? {
        guard sending != id, held.insert(id).inserted else { return nil }
        defer { held.remove(id) }
        return try await change()
    }

    /// Something may be due: a new submission, or an account that can send again.
    func changed() {
        isDue = true
        resume()
    }

    private func run() async {
        while !Task.isCancelled {
            isDue = false
            isBusy = true
            var next: Date?
            do {
                for account in try await store.backend.accounts() where account.status == .active {
                    let due = await due(of: account.id)
                    next = [next, due].compactMap { $0 }.min()
                }
            } catch {
                log.write(.warning, "mailkernel", "The outbox could not go on. \(error.sentence)")
                next = clock.now.addingTimeInterval(Self.lookAgain)
            }
            await pause(until: next)
        }
        resumeSettled()
    }

    /// Sends what is due of an account. Returns when to look again. Trouble with one account does not keep
    /// the others' mail.
    private func due(of accountID: Id<Account>) async -> Date? {
        do {
            if let until = waiting[accountID], until > clock.now { return until }
            waiting[accountID] = nil
            return try await sendDue(of: accountID)
        } catch is CancellationError {
            return nil
        } catch {
            log.write(.warning, "mailkernel", "The outbox of an account could not go on. \(error)")
            return clock.now.addingTimeInterval(Self.lookAgain)
        }
    }

    /// Sends what is due, oldest first. Returns when the next one is.
    private func sendDue(of accountID: Id<Account>) async throws -> Date? {
        var next: Date?
        for submission in try await store.backend.submissions(nil, in: accountID)
        where submission.isOnItsWay {
            try Task.checkCancellation()
            let due =
                submission.undoStatus == .pending
                ? submission.sendAt : submission.nextTryAt ?? submission.sendAt
            guard due <= clock.now else {
                next = min(next ?? due, due)
                continue
            }
            let again = try await send(submission)
            if let again { next = min(next ?? again, again) }
            // What was written first is sent first: the rest waits for the account as well.
            if waiting[accountID] != nil { return next }
        }
        return next
    }

    /// - Returns: when to try again.
    private func send(_ submission: EmailSubmission) async throws -> Date? {
        guard !held.contains(submission.id) else { return nil }
        sending = submission.id
        defer { sending = nil }
        // Read again: it may have been called back while others were sent.
        guard
            var submission = try await store.backend.submissions([submission.id], in: submission.accountID)
                .first, submission.isOnItsWay
        else { return nil }
        if submission.undoStatus == .final, isTooOld(submission) {
            submission.sendState = .failed
            submission.failure = "send timeout"
            try await store.commit([.putSubmission(submission)])
            return nil
        }
        guard let session = await accounts.session(submission.accountID) else {
            return wait(for: submission.accountID, until: nil)
        }
        submission.undoStatus = .final
        submission.sendState = .sending
        try await store.commit([.putSubmission(submission)])
        let source = try await StoredBlob(submission.snapshotBlobID, in: submission.accountID, store.backend)
        let (tried, problem) = try await SendAttempt(session: session).carryOut(submission, source) {
            [store] marked in try await store.commit([.putSubmission(marked)])
        }
        return try await conclude(tried, problem)
    }

    /// Stores what became of a try. Returns when there is to be another.
    private func conclude(_ tried: EmailSubmission, _ problem: SendAttempt.Problem?) async throws -> Date? {
        var submission = tried
        submission.nextTryAt = nil
        switch problem {
        case nil: break
        case .ofAccount(let until):
            try await store.commit([.putSubmission(submission)])
            return wait(for: submission.accountID, until: until)
        case .ofMessage:
            if submission.tries > Self.pauses.count {
                submission.sendState = .failed
            } else {
                submission.nextTryAt = clock.now.addingTimeInterval(Self.pauses[max(0, submission.tries - 1)])
            }
        }
        try await store.commit([.putSubmission(submission)])
        if submission.sendState == .sent {
            try await store.backend.removeBlob(submission.snapshotBlobID, in: submission.accountID)
        }
        return submission.nextTryAt
    }

    private func wait(for accountID: Id<Account>, until date: Date?) -> Date {
        let next = date ?? clock.now.addingTimeInterval(Self.lookAgain)
        waiting[accountID] = next
        return next
    }

    private func isTooOld(_ submission: EmailSubmission) -> Bool {
        clock.now.timeIntervalSince(submission.queuedAt) > Self.longestWait
    }

    private func pause(until date: Date?) async {
        if let date {
            alarm = Task { [clock, weak self] in
                let seconds = max(0, date.timeIntervalSince(clock.now))
                guard (try? await clock.sleep(for: seconds)) != nil else { return }
                await self?.changed()
            }
        }
        if !isDue { resumeSettled() }
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

    /// Returns once everything that is due now has been tried.
    public func settle() async {
        guard isDue || isBusy, loop?.isCancelled == false else { return }
        await withCheckedContinuation { settled.append($0) }
    }

    private func resumeSettled() {
        isBusy = false
        for continuation in settled { continuation.resume() }
        settled = []
    }

    private func resume() {
        wake?.resume()
        wake = nil
    }
}

extension EmailSubmission {
    /// Still to be sent. One that is `sending` while nobody sends it was left so by trouble with the store.
    fileprivate var isOnItsWay: Bool { sendState == .queued || sendState == .sending }
}
