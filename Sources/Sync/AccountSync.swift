import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// Keeps one account in sync with its service: sends local changes, then reads remote ones, round after
/// round. One round at a time, so the two never interfere.
package actor AccountSync {
    /// The polling interval for a service without push.
    private static let pollInterval = 300.0
    /// How often one is asked that does, should it have forgotten to.
    private static let longestSilence = 1500.0
    /// The polling interval while a window is visible: on most servers, push covers only the inbox.
    private static let attentiveInterval = 120.0
    /// Who listened for so long can listen.
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
    private var watcher: Task<Void, Never>?
    private var isWatching = false
    /// How often watching has ended in a row.
    private var watchFailures = 0
    private var listensSince: Date?
    /// The pause after watching has failed; nil if it has not, or if the service has no push.
    private var watchAgain: Double?
    private var alarm: Task<Void, Never>?
    private let pluginID: String
    private var isWanted = true
    private var wake: CheckedContinuation<Void, Never>?
    private var settled: [CheckedContinuation<Void, Never>] = []
    private var isStopping = false
    private var isInRound = false
    /// Whether a window can be seen.
    private var isSeen = false
    private var readAt: Date?
    /// When a change that the service did not take is due again.
    private var pushAt: Date?
    /// A local account reports all changes.
    private var isLocal = false
    /// Nothing is tried before this time: the service asked to wait.
    private var heldUntil: Date?
    /// The pause waits for the user, who should not be asked repeatedly.
    private var waitsForUser = false
    /// Since the last round that got through. It is tried a few times more before the account becomes inactive.
    private var isSignInRefused = false
    /// Whether a round was requested since the current one began.
    private var isAsked = false

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
        isStopping = true
        loop?.cancel()
        alarm?.cancel()
        resumeWake()
        await loop?.value
        watcher?.cancel()
        await watcher?.value
        await session.close()
    }

    /// Something changed, here or there: a round is due.
    package func changed() {
        isWanted = true
        if isDue { resumeWake() }
    }

    /// A round was requested: a pause that waits for the user ends at once.
    package func asked() {
        isAsked = true
        if waitsForUser { heldUntil = nil }
        changed()
    }

    /// A window came into sight, or the last went out of it.
    package func setSeen(_ isSeen: Bool) {
        guard isSeen != self.isSeen else { return }
        self.isSeen = isSeen
        guard status.phase == .listening else { return }
        if isSeen { opened() }
        // A round that is due takes this up itself.
        if !isWanted { wakeLater(after: silence) }
    }

    /// The user opened a mailbox: refresh unless it was read in the last 15 s.
    package func opened() {
        guard status.phase == .listening, !isLocal else { return }
        let isFresh = readAt.map { abs(clock.now.timeIntervalSince($0)) < Self.freshFor } ?? false
        if !isFresh { changed() }
    }

    private var isDue: Bool { isWanted && heldUntil.map { $0 <= clock.now } ?? true }

    /// Returns once the rounds that are due now are done.
    package func settle() async {
        guard !isStopping, isDue || isInRound else { return }
        await withCheckedContinuation { settled.append($0) }
    }

    /// Returns why the service refuses the sign-in, if that is how it ended.
    private func run() async -> AccountError? {
        var failures = Failures()
        var refusal: AccountError?
        while !Task.isCancelled, refusal == nil {
            (isWanted, isInRound, waitsForUser, isAsked) = (false, true, false, false)
            do {
                pushAt = try await round()
                (failures, heldUntil, isSignInRefused) = (Failures(), nil, false)
                setStatus(SyncStatus(.listening))
                readAt = clock.now
                wakeLater(after: silence)
            } catch {
                if Task.isCancelled || error is CancellationError { break }
                let problem = Self.sentence(error)
                let logged = (error as? AccountError)?.logSentence ?? problem
                log.write(.warning, pluginID, "An account could not be synced. \(logged)")
                isSignInRefused = (error as? AccountError)?.retry == .afterSignIn
                setStatus(SyncStatus(.waiting, problem: problem))
                refusal = waitAfter(error, &failures)
            }
            isInRound = false
            if !isDue, refusal == nil { await pause() }
        }
        alarm?.cancel()
        (isWanted, isInRound) = (false, false)
        resumeSettled()
        if refusal == nil { setStatus(SyncStatus(.idle)) }
        return Task.isCancelled ? nil : refusal
    }

    /// How often rounds have failed since the last one that succeeded.
    private struct Failures {
        var rounds = 0
        var signIns = 0
        /// Rounds that read all but some mailboxes.
        var mailboxes = 0
    }

    /// Returns the error if nothing should be tried any more.
    private func waitAfter(_ error: any Error, _ failures: inout Failures) -> AccountError? {
        if error is UnreadFeed {
            failures.mailboxes += 1
            // All the rest was read: the sign-in was accepted.
            failures.signIns = 0
            // A pending change is still due.
            let due = max(5, pushAt?.timeIntervalSince(clock.now) ?? .infinity)
            heldUntil = nil
            wakeLater(after: min(RetrySchedule.mailbox.pause(after: failures.mailboxes) ?? due, due))
            return nil
        }
        let error = error as? AccountError
        switch error?.retry {
        case .afterSignIn:
            failures.signIns += 1
            guard let pause = RetrySchedule.signIn.pause(after: failures.signIns) else { return error }
            hold(for: pause)
        case .afterUnlocking where !isAsked:
            waitsForUser = true
            hold(for: RetrySchedule.longestHold)
        case .notBefore(let until):
            let pause = max(until.timeIntervalSince(clock.now), nextPause(&failures))
            hold(for: min(pause, RetrySchedule.longestHold))
        case .afterUnlocking, .onSchedule, .never, nil:
            heldUntil = nil
            wakeLater(after: nextPause(&failures))
        }
        return nil
    }

    private func nextPause(_ failures: inout Failures) -> Double {
        failures.rounds += 1
        return RetrySchedule.account.pause(after: failures.rounds) ?? Self.pollInterval
    }

    private func hold(for seconds: Double) {
        heldUntil = clock.now.addingTimeInterval(seconds)
        wakeLater(after: seconds)
    }

    /// Returns when a change that the service did not take now has to be pushed again.
    private func round() async throws -> Date? {
        // Read before the account, so that a wider sync window is not missed, at worst read twice.
        let epoch = try await SyncEpoch.current(accountID, in: store)
        // What the user may have changed since: how far back mail is wanted.
        guard let account = try await store.account(accountID) else { throw CancellationError() }
        setStatus(SyncStatus(.connecting))
        watch()
        try await MailboxSync(account: account, session: session, store: store, ids: ids, clock: clock)
            .update()
        setStatus(SyncStatus(.syncing))
        // Additions and moves that may have succeeded are looked for before they are repeated.
        let pending = try await PendingChanges(store: store, accountID: accountID).all().map(\.change)
        let appended = AppendedMail(store: store, accountID: accountID)
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
        let clearAgain = unread.isEmpty ? try await appended.neverArrived(readFrom: began) : nil
        let settleAgain = try await appended.settle(
            readFrom: began, since: isLocal ? nil : account.windowStart(at: began), except: unread,
            besides: step)
        try await step?.wasRead(account, except: unread)
        let again = [pushAgain, settleAgain, clearAgain].compactMap { $0 }.min()
        if let first = unread.first {
            pushAt = again
            throw first
        }
        // All changes were sent: remaining ones were found by reading, or made in between.
        if pushAgain == nil,
            try await !PendingChanges(store: store, accountID: accountID).all().isEmpty
        {
            return clock.now
        }
        return again
    }

    /// Returns the feeds that could not be read. The rest is read anyway.
    private func read(_ account: Account, _ epoch: SyncEpoch) async throws -> UnreadFeeds {
        var unread = UnreadFeeds()
        let map = try await RemoteMap.load(account.id, from: store)
        isLocal = map.features.contains(.local)
        // Whether a move has happened shows in the mailbox that it leaves.
        let pending = try await PendingChanges(store: store, accountID: account.id).all().map(\.change)
        let left = Set(pending.flatMap(\.mailboxesThatMayBeLeft))
        func rank(_ feed: Feed) -> Int {
            feed.mailboxID.flatMap { map.local($0) }.map(left.contains) == true ? 0 : 1
        }
        for feed in map.feeds.sorted(by: {
            (rank($0), $0.priority, $0.id) < (rank($1), $1.priority, $1.id)
        }) {
            try Task.checkCancellation()
            let reader = FeedSync(
                account: account, session: session, store: store, ids: ids, clock: clock, log: log,
                feed: feed, isLocal: map.features.contains(.local), epoch: epoch)
            let mailbox = feed.mailboxID.flatMap { map.local($0) }
            do {
                try await reader.read { progress in await self.report(progress, of: mailbox) }
            } catch {
                guard let error = error as? AccountError, !error.concernsWholeAccount else { throw error }
                let name = try await store.read.mailboxes(mailbox.map { [$0] } ?? [], in: account.id)
                    .first?.mailbox.name
                let failure = UnreadFeed(feed: feed.id, mailbox: name, error: error)
                log.write(.warning, pluginID, failure.logSentence)
                unread.add(failure)
            }
        }
        return unread
    }

    private func report(_ progress: SyncProgress?, of mailbox: Id<Mailbox>?) {
        var mailboxes = status.mailboxes
        if let mailbox, let progress { mailboxes[mailbox] = progress }
        setStatus(SyncStatus(.syncing, progress: progress, mailboxes: mailboxes))
    }

    private func setStatus(_ new: SyncStatus) {
        status = new
        status.isSignInRefused = isSignInRefused
        board.set(status, of: accountID)
    }

    /// Listens for changes while the program runs, from before the first reading on, so that none falls
    /// in between.
    private func watch() {
        guard watcher == nil, !isStopping else { return }
        watcher = Task { [session, weak self] in
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
    }

    private func watched(_ event: WatchEvent) {
        isWatching = true
        watchAgain = nil
        if event == .listening { listensSince = clock.now } else { watchFailures = 0 }
        changed()
    }

    private func stoppedWatching(failed: Bool) {
        // A server, or a router on the way, that ends it each time at once is asked less and less often.
        if let since = listensSince, abs(clock.now.timeIntervalSince(since)) >= Self.lastingWatch {
            watchFailures = 0
        }
        listensSince = nil
        // Later changes are not reported: watching restarts with the next round.
        if isWatching || failed { watchFailures += 1 }
        watchAgain = isWatching || failed ? RetrySchedule.account.pause(after: watchFailures) : nil
        watcher = nil
        isWatching = false
        // A round under way, or one that failed, knows when the next is due.
        if !isStopping, status.phase == .listening { wakeLater(after: silence) }
    }

    /// How long to wait for events before polling, or before a change is retried.
    private var silence: Double {
        let longest = isWatching ? Self.longestSilence : watchAgain ?? Self.pollInterval
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
        heldUntil = nil
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

    private static func sentence(_ error: any Error) -> String {
        switch error {
        case let error as AccountError: error.sentence
        case let error as StorageError: error.sentence
        case let error as UnreadFeed: error.sentence
        default: "\(error)"
        }
    }
}
