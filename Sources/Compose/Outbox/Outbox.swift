import Accounts
import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// Sends submissions: after the undo delay, in order, exactly once.
///
///     reading the accounts (`OutboxLoop`) ──▶ a round for each (`OutboxAccount`)
///         ──▶ each of its submissions (`OutboxSubmission`)
package actor Outbox {
    /// While an account cannot be reached, or the store has trouble.
    static let lookAgain = RetrySchedule.store.longest
    /// The longest wait for the clock, which may be set, and stands still while the computer sleeps.
    private static let step = 4.0

    let store: MailStore
    let accounts: Accounts
    let blobs: Blobs
    let drafts: Drafts
    let returned: ReturnedDraft
    package let preferences: Preferences
    let presence: Presence
    let ids: IDMaker
    let clock: any HostClock
    let uptime: any SteadyClock
    let log: LogOutput
    private var loop = OutboxLoop.due
    var states: [Id<Account>: OutboxAccount] = [:]
    var submissions: [Id<EmailSubmission>: OutboxSubmission] = [:]
    /// Those whose undo delay another kernel counts.
    var unattended: [Id<EmailSubmission>: UnattendedSubmission] = [:]
    /// Accounts with a notice about waiting messages.
    var noticed: Set<Id<Account>> = []
    /// Accounts with messages that the user takes back from the service, and those that were looked at for such.
    var takingBack: Set<Id<Account>> = []
    var lookedForHeld: Set<Id<Account>> = []
    private var settled: [CheckedContinuation<Void, Never>] = []
    private var running: Task<Void, Never>?
    private var alarm: Task<Void, Never>?
    private var accountNews: Task<Void, Never>?
    private var listener: Task<Void, Never>?
    private var others: Task<Void, Never>?
    var heartbeat: Task<Void, Never>?
    var waitingNotice: Task<Void, Never>?

    package init(
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

    package func start() async {
        guard running == nil else { return }
        let news = store.news.listen()
        listener = Task { [weak self] in
            for await states in news
            where states.keys.contains(where: { [Presence.dataType, Preferences.dataType].contains($0.type) })
            {
                await self?.windowsChanged()
            }
        }
        running = Task { await run() }
        await accounts.whenAsked { [weak self] id in await self?.goOn(id) }
        // An account that has signed in again can send again.
        accountNews = Task { [weak self, news = store.news] in
            for await states in news.listen() where states.keys.contains(where: { $0.type == .account }) {
                await self?.changed()
            }
        }
        guard store.sharing != nil else { return }
        let newsOfOthers = store.newsOfOthers.listen()
        others = Task { [weak self] in
            for await states in newsOfOthers where states.keys.contains(where: { $0.type == .submission }) {
                await self?.othersChanged(Set(states.keys.compactMap(\.accountID)))
            }
        }
    }

    package func stop() async {
        others?.cancel()
        heartbeat?.cancel()
        accountNews?.cancel()
        running?.cancel()
        alarm?.cancel()
        listener?.cancel()
        waitingNotice?.cancel()
        for case .round(let task, _) in states.values.map(\.work) { task.cancel() }
        resume()
        await running?.value
    }

    /// Something may be due: a new submission, or an account that can send again.
    func changed() {
        switch loop {
        case .due: break
        case .reading: loop = .reading(isDueAgain: true)
        case .resting(let wake, _):
            loop = .due
            wake?.resume()
        }
    }

    // MARK: The rounds

    private func run() async {
        while !Task.isCancelled {
            loop = .reading(isDueAgain: false)
            var retryAt: Date?
            do {
                let accounts = try await store.read.accounts()
                states = states.filter { known in
                    known.value.isInRound || accounts.contains { $0.id == known.key }
                }
                if !Task.isCancelled { for account in accounts { begin(account) } }
            } catch {
                log.write(.warning, "mailkernel", "The outbox could not continue. \(error.sentence)")
                retryAt = clock.now.addingTimeInterval(Self.lookAgain)
            }
            if case .reading(isDueAgain: true) = loop {
                loop = .due
            } else {
                loop = .resting(wake: nil, retryAt: retryAt)
            }
            await pause()
        }
        for case .round(let task, _) in states.values.map(\.work) { await task.value }
        alarm?.cancel()
        resumeSettled()
    }

    private func begin(_ account: Account) {
        if case .round(let task, _) = states[account.id]?.work {
            states[account.id]?.work = .round(task, isDueAgain: true)
            return
        }
        let task = Task {
            let next = await due(of: account)
            if case .round(_, isDueAgain: true) = states[account.id]?.work { changed() }
            states[account.id]?.work = .rest(until: next)
            setAlarm()
            resumeSettled()
        }
        states[account.id, default: OutboxAccount()].work = .round(task, isDueAgain: false)
    }

    /// Waits until something may be due.
    private func pause() async {
        setAlarm()
        resumeSettled()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard case .resting(_, let retryAt) = loop, !Task.isCancelled else {
                    return continuation.resume()
                }
                loop = .resting(wake: continuation, retryAt: retryAt)
            }
        } onCancel: {
            Task { await self.resume() }
        }
    }

    private func setAlarm() {
        alarm?.cancel()
        var dates = states.values.compactMap(\.next)
        if case .resting(_, let retryAt?) = loop { dates.append(retryAt) }
        guard let date = dates.min() else {
            alarm = nil
            return
        }
        alarm = Task { [clock, weak self] in
            var left = date.timeIntervalSince(clock.now)
            while left > 0, clock.now < date {
                let now = clock.now
                let nap = min(Self.step, left, date.timeIntervalSince(now))
                guard (try? await clock.sleep(until: now.addingTimeInterval(nap))) != nil else { return }
                left -= nap
            }
            await self?.changed()
        }
    }

    /// Returns once everything that is due now has been tried.
    package func settle() async {
        guard !isSettled, running?.isCancelled == false else { return }
        await withCheckedContinuation { settled.append($0) }
    }

    private var isSettled: Bool {
        if case .resting = loop { !states.values.contains(where: \.isInRound) } else { false }
    }

    private func resumeSettled() {
        guard isSettled || running?.isCancelled != false else { return }
        for continuation in settled { continuation.resume() }
        settled = []
    }

    private func resume() {
        guard case .resting(let wake?, let retryAt) = loop else { return }
        loop = .resting(wake: nil, retryAt: retryAt)
        wake.resume()
    }
}
