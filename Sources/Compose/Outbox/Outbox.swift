import Accounts
import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// Sends submissions: after the undo delay, in order, exactly once.
package actor Outbox {
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
    /// The current work per account: problems of one account do not delay the others.
    private var rounds: [Id<Account>: Task<Void, Never>] = [:]
    /// Accounts to be looked at once more when their round is over.
    private var anew: Set<Id<Account>> = []
    /// When each account is to be looked at next.
    private var next: [Id<Account>: Date] = [:]
    /// When the accounts, which could not be read, are to be read again.
    private var nextReading: Date?
    /// The submissions that are being handed over: they cannot be called back.
    package var sending: Set<Id<EmailSubmission>> = []
    /// Submissions being changed, which must not be sent at the same time.
    var held: Set<Id<EmailSubmission>> = []
    /// Sent submissions whose follow-up steps failed.
    var unfinished: Set<Id<EmailSubmission>> = []
    /// Accounts that nothing can be sent from for now, and the uptime at which to look again.
    var waiting: [Id<Account>: Double] = [:]
    /// Waiting accounts that need the user to unlock something.
    var waitingForUser: Set<Id<Account>> = []
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
        for round in rounds.values { round.cancel() }
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
                next = next.filter { known in accounts.contains { $0.id == known.key } }
                if !Task.isCancelled { for account in accounts { begin(account) } }
            } catch {
                log.write(.warning, "mailkernel", "The outbox could not continue. \(error.sentence)")
                nextReading = clock.now.addingTimeInterval(Self.lookAgain)
            }
            isBusy = false
            await pause()
        }
        for round in Array(rounds.values) { await round.value }
        alarm?.cancel()
        resumeSettled()
    }

    private func begin(_ account: Account) {
        guard rounds[account.id] == nil else {
            anew.insert(account.id)
            return
        }
        next[account.id] = nil
        rounds[account.id] = Task {
            let date = await due(of: account)
            rounds[account.id] = nil
            next[account.id] = date
            if anew.remove(account.id) != nil { isDue = true }
            setAlarm()
            if isDue { resume() } else { resumeSettled() }
        }
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
        guard let date = (Array(next.values) + [nextReading].compactMap { $0 }).min() else {
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

    private var isSettled: Bool { !isDue && !isBusy && rounds.isEmpty }

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
