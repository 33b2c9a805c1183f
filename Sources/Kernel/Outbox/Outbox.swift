public import FoundationEssentials
public import MailKernelAPI

/// Sends what was submitted: after the undo delay, in order, once.
public actor Outbox {
    private static let pauses: [Double] = [30, 120, 480]
    private static let longestPause = 480.0
    private static let longestWait = 86_400.0
    /// While an account cannot be reached.
    private static let lookAgain = 30.0

    let store: MailStore
    private let accounts: Accounts
    private let blobs: Blobs
    let drafts: Drafts
    let returned: ReturnedDraft
    let preferences: Preferences
    let presence: Presence
    private let ids: IDMaker
    let clock: any HostClock
    let uptime: any SteadyClock
    let log: LogOutput
    private var loop: Task<Void, Never>?
    private var alarm: Task<Void, Never>?
    private var accountNews: Task<Void, Never>?
    private var wake: CheckedContinuation<Void, Never>?
    private var isDue = true
    private var isBusy = false
    private var settled: [CheckedContinuation<Void, Never>] = []
    /// The submission that is being handed over: it cannot be called back.
    var sending: Id<EmailSubmission>?
    /// Those that somebody is changing: they are not handed over meanwhile.
    var held: Set<Id<EmailSubmission>> = []
    /// Accounts that nothing can be sent from for now, and when to look again.
    var waiting: [Id<Account>: Date] = [:]
    /// How long each can still be called back. None outlives the program: what it counted is a draft then.
    var countdowns: [Id<EmailSubmission>: UndoCountdown] = [:]
    private var listener: Task<Void, Never>?
    var waitingNotice: Task<Void, Never>?

    init(
        store: MailStore, accounts: Accounts, blobs: Blobs, mail: MailActions, drafts: Drafts,
        preferences: Preferences, presence: Presence, ids: IDMaker, clock: any HostClock,
        uptime: any SteadyClock, log: LogOutput
    ) {
        self.store = store
        self.accounts = accounts
        self.blobs = blobs
        self.drafts = drafts
        returned = ReturnedDraft(store: store, mail: mail)
        self.preferences = preferences
        self.presence = presence
        self.uptime = uptime
        self.ids = ids
        self.clock = clock
        self.log = log
    }

    func start() async {
        guard loop == nil else { return }
        let news = store.news.listen()
        listener = Task { [weak self] in
            for await states in news
            where states.keys.contains(where: { [Presence.dataType, Preferences.dataType].contains($0.type) })
            {
                await self?.windowsChanged()
            }
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
        listener?.cancel()
        waitingNotice?.cancel()
        resume()
        await loop?.value
    }

    // MARK: Taking messages

    /// Takes a message to be sent. It is on disk when this returns.
    ///
    /// - Parameter pausesWhenClosed: the undo time stands still while no window of the page is open.
    public func submit(
        _ message: Data, of email: StoredEmail, as identity: Identity, envelope: Envelope,
        pausesWhenClosed: Bool = false
    ) async throws -> EmailSubmission {
        let submission = try await newSubmission(of: email, as: identity, envelope: envelope)
        let header = email.email.header
        let kept = try await blobs.keep(
            OutgoingMessage.withoutBcc(message), as: submission.snapshotBlobID, type: "message/rfc822",
            in: submission.accountID)
        let sightings = Self.sightings(of: header.to + header.cc + header.bcc, envelope, at: clock.now)
        let counted = StorageChange.countContacts(sightings, in: submission.accountID)
        try await enqueue(submission, with: [kept, counted], pausesWhenClosed: pausesWhenClosed)
        return submission
    }

    /// A submission as it begins. Nothing is stored.
    func newSubmission(
        of email: StoredEmail, as identity: Identity, envelope: Envelope
    ) async throws -> EmailSubmission {
        let id: Id<EmailSubmission> = ids.next("S")
        return EmailSubmission(
            id: id, accountID: email.email.accountID, identityID: identity.id, emailID: email.email.id,
            threadID: email.threadID, snapshotBlobID: Id("S" + id.rawValue), envelope: envelope,
            sendAt: clock.now.addingTimeInterval(Double(try await preferences.undoSendDelay)),
            undoStatus: .pending, sendState: .queued, queuedAt: clock.now)
    }

    /// Stores a submission together with what belongs to it, and only then begins to count.
    func enqueue(
        _ submission: EmailSubmission, with changes: [StorageChange], pausesWhenClosed: Bool
    ) async throws {
        held.insert(submission.id)
        defer { held.remove(submission.id) }
        try await store.commit([.putSubmission(submission)] + changes)
        countdowns[submission.id] = UndoCountdown(
            seconds: submission.sendAt.timeIntervalSince(submission.queuedAt), at: uptime.uptime,
            pausesWhenClosed: pausesWhenClosed, isWatched: await presence.isAnyOpen)
        changed()
    }

    /// Whoever is written to, under the name that the header gives.
    static func sightings(
        of named: [EmailAddress], _ envelope: Envelope, at date: Date
    ) -> [ContactSighting] {
        envelope.rcptTo.map { recipient in
            let name = named.first { $0.email.lowercased() == recipient.lowercased() }?.name
            return ContactSighting(address: EmailAddress(name: name, email: recipient), seenAt: date)
        }
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
            guard let due = due(submission) else { continue }
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

    /// When a submission is to be tried; nil while its undo time stands still.
    private func due(_ submission: EmailSubmission) -> Date? {
        if let countdown = countdowns[submission.id], submission.undoStatus == .pending {
            guard !countdown.isPaused else { return nil }
            return clock.now.addingTimeInterval(countdown.seconds(at: uptime.uptime))
        }
        guard let next = submission.nextTryAt else { return clock.now }
        // The clock was set back: no pause is as long as that.
        return next.timeIntervalSince(clock.now) > Self.longestPause ? clock.now : next
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
        if let again = try await assemble(&submission) { return again }
        guard submission.sendState != .failed else { return nil }
        submission.undoStatus = .final
        submission.sendState = .sending
        try await store.commit([.putSubmission(submission)])
        countdowns[submission.id] = nil
        let source = try await StoredBlob(submission.snapshotBlobID, in: submission.accountID, store.backend)
        let (tried, problem) = try await SendAttempt(session: session).carryOut(submission, source) {
            [store] marked in try await store.commit([.putSubmission(marked)])
        }
        return try await conclude(tried, problem)
    }

    /// Makes the message of a submission that was queued before all of it was here.
    ///
    /// - Returns: when to try again, if it still is not.
    private func assemble(_ submission: inout EmailSubmission) async throws -> Date? {
        guard try await store.backend.blobInfo(submission.snapshotBlobID, in: submission.accountID) == nil
        else { return nil }
        submission.undoStatus = .final
        countdowns[submission.id] = nil
        var next: Date?
        switch try await drafts.assemble(submission) {
        case .ready: return nil
        case .waiting(let reason):
            next = clock.now.addingTimeInterval(Self.lookAgain)
            submission.sendState = .queued
            submission.failure = reason
        case .failed(let reason):
            submission.sendState = .failed
            submission.failure = reason
        }
        submission.nextTryAt = next
        try await store.commit([.putSubmission(submission)])
        return next
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
            // Should the program end here, this is done at the next start.
            try await drafts.sent(submission)
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
    var isOnItsWay: Bool { sendState == .queued || sendState == .sending }
}
