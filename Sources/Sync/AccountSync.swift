import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// Keeps one account in sync with its service: sends local changes, then reads remote ones, round after
/// round. One round at a time, so the two never interfere.
///
/// Its rounds (`SyncWork`) and its watch for changes (`SyncWatch`) change independently:
///
///     rest ──due──▶ round ──▶ rest ──▶ … ──stopped, or the sign-in refused──▶ over
///     off ──next round──▶ opening ──event──▶ open ──ended──▶ off
package actor AccountSync {
    /// The polling interval for a service without push.
    private static let pollInterval = 300.0
    /// The polling interval for a service with push, in case it missed something.
    private static let longestSilence = 1500.0
    /// The polling interval while a window is visible: on most servers, push covers only the inbox.
    private static let attentiveInterval = 120.0
    /// A watch that lasted so long counts as working.
    private static let lastingWatch = 60.0
    /// Mail read this recently counts as current.
    private static let freshFor = 15.0

    package nonisolated let accountID: Id<Account>
    package nonisolated let session: any AccountSession

    private let store: MailStore
    private let board: SyncStatuses
    private let ids: IDMaker
    private let step: (any RoundStep)?
    private let clock: any HostClock
    private let log: LogOutput

    private(set) var status = SyncStatus(.idle)
    private var loop: Task<Void, Never>?
    private var work = SyncWork.rest(.change)
    private var watching = SyncWatch.off(again: nil)
    /// How often watching has ended in a row.
    private var watchFailures = 0
    private var alarm: Task<Void, Never>?
    private let pluginID: String
    private var wake: CheckedContinuation<Void, Never>?
    private var settled: [CheckedContinuation<Void, Never>] = []
    /// Whether a window can be seen.
    private var isSeen = false
    private var readAt: Date?
    /// When a change that the service did not take is due again.
    private var pushAt: Date?
    /// A local account reports all changes.
    private var isLocal = false

    package init(
        account: Account, session: any AccountSession, store: MailStore, status board: SyncStatuses,
        ids: IDMaker, step: (any RoundStep)?, clock: any HostClock, log: LogOutput
    ) {
        self.step = step
        self.board = board
        accountID = account.id
        pluginID = account.pluginID
        self.session = session
        self.store = store
        self.ids = ids
        self.clock = clock
        self.log = log
    }

    /// - Parameter refused: called once, at the end, if the service no longer accepts the sign-in.
    package func start(refused: @escaping @Sendable (AccountError) async -> Void) {
        guard loop == nil else { return }
        loop = Task {
            guard let reason = await run() else { return }
            // The callee ends this actor, which waits for the loop.
            Task { await refused(reason) }
        }
    }

    package func stop() async {
        work = .over
        loop?.cancel()
        alarm?.cancel()
        resumeWake()
        await loop?.value
        watching.task?.cancel()
        await watching.task?.value
        await session.close()
    }

    /// Something changed, here or there: a round is due.
    package func changed() { request(.change) }

    /// A round was requested: a pause that waits for the user ends at once.
    package func asked() { request(.user) }

    private func request(_ request: SyncWork.Request) {
        work.request(request)
        if isDue { resumeWake() }
    }

    /// A window came into sight, or the last went out of it.
    package func setSeen(_ isSeen: Bool) {
        guard isSeen != self.isSeen else { return }
        self.isSeen = isSeen
        guard status.phase == .listening else { return }
        if isSeen { opened() }
        // A round that is due takes this up itself.
        if case .rest(.none, _) = work { wakeLater(after: silence) }
    }

    /// The user opened a mailbox: refresh unless it was read in the last 15 s.
    package func opened() {
        guard status.phase == .listening, !isLocal else { return }
        let isFresh = readAt.map { abs(clock.now.timeIntervalSince($0)) < Self.freshFor } ?? false
        if !isFresh { changed() }
    }

    private var isDue: Bool { work.isDue(at: clock.now) }

    /// Returns once the rounds that are due now are done.
    package func settle() async {
        if case .round = work {} else if !isDue { return }
        await withCheckedContinuation { settled.append($0) }
    }

    /// Returns why the service refuses the sign-in, if that is how it ended.
    private func run() async -> AccountError? {
        var failures = RoundFailures()
        var refusal: AccountError?
        while !Task.isCancelled, refusal == nil {
            work = .round(.none)
            do {
                pushAt = try await round()
                failures = RoundFailures()
                readAt = clock.now
                setStatus(SyncStatus(.listening), isSignInRefused: false)
                work.end()
                wakeLater(after: silence)
            } catch {
                if Task.isCancelled || error is CancellationError || error.isLostLease { break }
                let refused = error as? AccountError
                let logged = refused?.logSentence ?? RoundFailures.sentence(error)
                log.write(.warning, pluginID, "An account could not be synced. \(logged)")
                let next = nextTry(after: error, &failures)
                if next == nil { refusal = refused }
                setStatus(
                    SyncStatus(.waiting, because: error, retryAt: next),
                    isSignInRefused: refused?.retry == .afterSignIn)
            }
            if !isDue, refusal == nil { await pause() }
        }
        alarm?.cancel()
        work = .over
        resumeSettled()
        if refusal == nil { setStatus(SyncStatus(.idle)) }
        return Task.isCancelled ? nil : refusal
    }

    /// Returns when another round will be tried, if any.
    private func nextTry(after error: any Error, _ failures: inout RoundFailures) -> Date? {
        var isAsked = false
        if case .round(.user) = work { isAsked = true }
        let next = failures.next(after: error, isAsked: isAsked, pushAt: pushAt, at: clock.now)
        guard let next else { return nil }
        work.end(next.hold)
        wakeLater(after: next.seconds)
        return clock.now.addingTimeInterval(next.seconds)
    }

    /// Returns when a change that the service did not take now has to be pushed again.
    private func round() async throws -> Date? {
        // Read before the account, so that a wider sync window is not missed, at worst read twice.
        let epoch = try await SyncEpoch.current(accountID, in: store)
        // What the user may have changed since: how far back mail is wanted.
        guard let account = try await store.account(accountID) else { throw CancellationError() }
        setStatus(SyncStatus(.connecting))
        try await LeavingPlace(account: account, store: store, step: step, clock: clock, log: log).run()
        watch()
        try await MailboxSync(account: account, session: session, store: store, ids: ids, clock: clock)
            .update()
        setStatus(SyncStatus(.syncing))
        try await recognize(account, epoch)
        // Additions and moves that may have succeeded are looked for before they are repeated.
        let pending = try await PendingChanges(store: store, accountID: accountID).all().map(\.change)
        var unread = UnreadFeeds()
        if pending.contains(where: { !$0.emailsThatMayBeThere.isEmpty }) {
            unread = try await read(account, epoch)
        }
        let pushAgain = [
            try await MutationPush(
                account: account, session: session, store: store, clock: clock, log: log, unread: unread
            ).push(), try await step?.push(account, session),
        ].compactMap { $0 }.min()
        let began = clock.now
        unread = try await read(account, epoch)
        let settleAgain = try await UnnamedEmails(store: store, accountID: accountID).settle(
            readFrom: began, since: isLocal ? nil : account.windowStart(at: began), except: unread,
            besides: step)
        try await step?.wasRead(account, except: unread)
        let again = [pushAgain, settleAgain].compactMap { $0 }.min()
        if let first = unread.first {
            pushAt = again
            throw first
        }
        // All changes were sent: remaining ones were found by reading, or made in between.
        if pushAgain == nil,
            try await !PendingChanges(store: store, accountID: accountID).isEmpty
        {
            return clock.now
        }
        return again
    }

    /// After a move to another place, changes can only be sent once messages were recognized there.
    private func recognize(_ account: Account, _ epoch: SyncEpoch) async throws {
        guard let place = try await FormerPlace.load(account.id, from: store) else { return }
        if place.phase == .recognizing, try await !read(account, epoch).isEmpty { return }
        try await FormerPlaceEnd(account: account, store: store, clock: clock).run()
    }

    /// Returns the feeds that could not be read. The rest is read anyway.
    private func read(_ account: Account, _ epoch: SyncEpoch) async throws -> UnreadFeeds {
        let map = try await RemoteMap.load(account.id, from: store)
        isLocal = map.features.contains(.local)
        let reading = AccountReading(
            account: account, session: session, store: store, ids: ids, clock: clock, log: log, epoch: epoch)
        return try await reading.read(map) { progress, mailbox in await self.report(progress, of: mailbox) }
    }

    private func report(_ progress: SyncProgress?, of mailbox: Id<Mailbox>?) {
        var mailboxes = status.mailboxes
        if let mailbox, let progress { mailboxes[mailbox] = progress }
        setStatus(SyncStatus(.syncing, progress: progress, mailboxes: mailboxes))
    }

    private func setStatus(_ new: SyncStatus, isSignInRefused: Bool? = nil) {
        status = new.after(status, isSignInRefused: isSignInRefused)
        status.syncedAt = readAt
        board.set(status, of: accountID)
    }

    /// Listens for changes while the program runs, from before the first reading on, so that none falls
    /// in between.
    private func watch() {
        guard case .off(let again) = watching, !work.isOver else { return }
        let task = Task { [session, weak self] in
            var failed = false
            var pace = WatchPace()
            do {
                for try await event in session.watch() {
                    if let pause = pace.wait() { try await Task.sleep(for: pause) }
                    await self?.watched(event)
                }
            } catch {
                // The next round reports the error if it persists.
                failed = true
            }
            await self?.stoppedWatching(failed: failed)
        }
        watching = .opening(task, again: again)
    }

    private func watched(_ event: WatchEvent) {
        guard let task = watching.task else { return }
        if event == .listening {
            watching = .open(task, since: clock.now)
        } else {
            if case .opening = watching { watching = .open(task, since: nil) }
            watchFailures = 0
        }
        changed()
    }

    private func stoppedWatching(failed: Bool) {
        var failed = failed
        if case .open(_, let since) = watching {
            failed = true
            // A server, or a router on the way, that ends it each time at once is asked less and less often.
            if let since, abs(clock.now.timeIntervalSince(since)) >= Self.lastingWatch { watchFailures = 0 }
        }
        if failed { watchFailures += 1 }
        // Later changes are not reported: watching restarts with the next round.
        watching = .off(again: failed ? RetrySchedule.account.pause(after: watchFailures) : nil)
        // A round under way, or one that failed, knows when the next is due.
        if !work.isOver, status.phase == .listening { wakeLater(after: silence) }
    }

    /// How long to wait for events before polling, or before a change is retried.
    private var silence: Double {
        let longest =
            switch watching {
            case .open: Self.longestSilence
            case .off(let again), .opening(_, let again): again ?? Self.pollInterval
            }
        let asked = isSeen && !isLocal ? min(longest, Self.attentiveInterval) : longest
        return min(asked, pushAt?.timeIntervalSince(clock.now) ?? asked)
    }

    private func pause() async {
        resumeSettled()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if isDue || Task.isCancelled { continuation.resume() } else { wake = continuation }
            }
        } onCancel: {
            Task { await self.resumeWake() }
        }
    }

    private func wakeLater(after seconds: Double) {
        alarm?.cancel()
        let date = clock.now.addingTimeInterval(seconds)
        alarm = Task { [clock, weak self] in
            guard (try? await clock.sleep(until: date)) != nil else { return }
            await self?.timeHasCome()
        }
    }

    private func timeHasCome() {
        // The clock may have been set back.
        if case .rest = work { work.end() }
        changed()
    }

    private func resumeWake() {
        wake?.resume()
        wake = nil
    }

    private func resumeSettled() {
        for continuation in settled { continuation.resume() }
        settled = []
    }
}
