import Accounts
import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// Sends submissions: after the undo delay, in order, exactly once.
package actor Outbox {
    /// The work for one account.
    ///
    ///     rest ──due──▶ round ──▶ rest
    ///
    /// A change during a round leads to another.
    private enum Work {
        case round(Task<Void, Never>, isDueAgain: Bool)
        /// - Parameter until: nil if nothing will be due by itself.
        case rest(until: Date?)

        var isRound: Bool { if case .round = self { true } else { false } }
        var next: Date? { if case .rest(let date) = self { date } else { nil } }
    }

    /// How long nothing is sent from an account.
    struct Hold {
        /// The uptime at which to look again.
        let until: Double
        /// The user has to unlock something.
        let isForUser: Bool
    }

    /// While an account cannot be reached, or the store has trouble.
    static let lookAgain = 30.0

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
    private var loop: Task<Void, Never>?
    private var alarm: Task<Void, Never>?
    private var accountNews: Task<Void, Never>?
    private var wake: CheckedContinuation<Void, Never>?
    private var isDue = true
    private var isBusy = false
    private var settled: [CheckedContinuation<Void, Never>] = []
    /// Per account, so that problems of one do not delay the others.
    private var work: [Id<Account>: Work] = [:]
    /// When the accounts, which could not be read, are to be read again.
    private var nextReading: Date?
    /// The submissions that are being handed over: they cannot be called back.
    package var sending: Set<Id<EmailSubmission>> = []
    /// Submissions being changed, which must not be sent at the same time.
    var held: Set<Id<EmailSubmission>> = []
    /// Sent submissions whose follow-up steps failed.
    var unfinished: Set<Id<EmailSubmission>> = []
    /// Accounts that nothing can be sent from for now.
    var waiting: [Id<Account>: Hold] = [:]
    /// Accounts that were asked to continue since their last attempt began.
    var asked: Set<Id<Account>> = []
    /// The sign-ins that were refused when something was to be sent.
    var refusals: [Id<Account>: RefusedSending] = [:]
    /// The remaining undo delay of each submission. It does not survive the program: its message then becomes
    /// a draft.
    var countdowns: [Id<EmailSubmission>: UndoCountdown] = [:]
    private var listener: Task<Void, Never>?
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
        await accounts.whenAsked { [weak self] id in await self?.goOn(id) }
        // An account that has signed in again can send again.
        accountNews = Task { [weak self, news = store.news] in
            for await states in news.listen() where states.keys.contains(where: { $0.type == .account }) {
                await self?.changed()
            }
        }
    }

    package func stop() async {
        accountNews?.cancel()
        loop?.cancel()
        alarm?.cancel()
        listener?.cancel()
        waitingNotice?.cancel()
        for case .round(let task, _) in work.values { task.cancel() }
        resume()
        await loop?.value
    }

    /// Something may be due: a new submission, or an account that can send again.
    func changed() {
        isDue = true
        resume()
    }

    // MARK: The rounds

    private func run() async {
        while !Task.isCancelled {
            isDue = false
            isBusy = true
            do {
                let accounts = try await store.read.accounts()
                nextReading = nil
                work = work.filter { known in known.value.isRound || accounts.contains { $0.id == known.key }
                }
                if !Task.isCancelled { for account in accounts { begin(account) } }
            } catch {
                log.write(.warning, "mailkernel", "The outbox could not continue. \(error.sentence)")
                nextReading = clock.now.addingTimeInterval(Self.lookAgain)
            }
            isBusy = false
            await pause()
        }
        for case .round(let task, _) in Array(work.values) { await task.value }
        alarm?.cancel()
        resumeSettled()
    }

    private func begin(_ account: Account) {
        if case .round(let task, _) = work[account.id] {
            work[account.id] = .round(task, isDueAgain: true)
            return
        }
        let task = Task {
            let next = await due(of: account)
            if case .round(_, isDueAgain: true) = work[account.id] { isDue = true }
            work[account.id] = .rest(until: next)
            setAlarm()
            if isDue { resume() } else { resumeSettled() }
        }
        work[account.id] = .round(task, isDueAgain: false)
    }

    /// Waits until something may be due.
    private func pause() async {
        setAlarm()
        resumeSettled()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if isDue || Task.isCancelled { continuation.resume() } else { wake = continuation }
            }
        } onCancel: {
            Task { await self.resume() }
        }
    }

    private func setAlarm() {
        alarm?.cancel()
        guard let date = (work.values.map(\.next) + [nextReading]).compactMap({ $0 }).min() else {
            alarm = nil
            return
        }
        alarm = Task { [clock, weak self] in
            guard (try? await clock.sleep(until: date)) != nil else { return }
            await self?.changed()
        }
    }

    /// Returns once everything that is due now has been tried.
    package func settle() async {
        guard !isSettled, loop?.isCancelled == false else { return }
        await withCheckedContinuation { settled.append($0) }
    }

    private var isSettled: Bool { !isDue && !isBusy && !work.values.contains(where: \.isRound) }

    private func resumeSettled() {
        guard isSettled || loop?.isCancelled != false else { return }
        for continuation in settled { continuation.resume() }
        settled = []
    }

    private func resume() {
        wake?.resume()
        wake = nil
    }
}
