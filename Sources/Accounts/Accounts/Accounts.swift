import FoundationEssentials
import Mail
import MailKernelAPI
import Store
import Sync

/// The accounts of this program and the way to each.
package actor Accounts: MailServices {
    let store: MailStore
    let providers: [String: ContainedProvider]
    let ids: IDMaker
    let clock: any HostClock
    let log: LogOutput
    package let secrets: AccountDrawers
    let step: (any RoundStep)?
    private let presence: Presence
    /// Tells the accounts whether a window is visible.
    private var attention: Task<Void, Never>?
    /// Finishes pending removals.
    private var removals: Task<Void, Never>?
    /// Does so again, after trouble with the store.
    private var nextRemovals: Task<Void, Never>?
    /// What each account is doing.
    package nonisolated let status: SyncStatuses
    let onboarding: Onboarding
    nonisolated let reports: ServiceReports
    package nonisolated let hosts: AccountHosts
    var syncs: [Id<Account>: AccountSync] = [:]
    /// On a store that several kernels share.
    let keeper: LeaseKeeper?
    var localSignIns = LocalSignIns()
    var turnSteps: TurnSteps?
    /// Sessions that do not sync, for accounts that other kernels look after.
    var visits: [Id<Account>: any AccountSession] = [:]
    /// Addresses that are being added, each with its plugin.
    var adding: Set<[String]> = []
    private(set) var isRunning = false
    /// Called for every account that the user or a client retries.
    private(set) var asked: (@Sendable (Id<Account>) async -> Void)?
    /// Called for every account that is to be removed, while its service can still be told.
    private(set) var leaving: Leaving?
    /// Starting, changing and ending an account are mutually exclusive.
    private var queue = Turns<Id<Account>>()

    package init(
        store: MailStore, providers: [String: ContainedProvider], ids: IDMaker, clock: any HostClock,
        log: LogOutput, secrets: AccountDrawers, hosts: AccountHosts, step: (any RoundStep)?,
        presence: Presence, disk: DiskSpace? = nil
    ) {
        self.presence = presence
        self.hosts = hosts
        self.step = step
        status = SyncStatuses(news: store.news, disk: disk)
        onboarding = Onboarding(store: store)
        self.store = store
        self.providers = providers
        self.ids = ids
        self.clock = clock
        self.log = log
        self.secrets = secrets
        keeper = LeaseKeeper(store: store, clock: clock, log: log)
        reports = ServiceReports(clock: clock)
    }

    package func start() async throws(StorageError) {
        isRunning = true
        let news = store.news.listen()
        attention = Task { [weak self] in
            for await states in news where states.keys.contains(where: { $0.type == Presence.dataType }) {
                await self?.attend()
            }
        }
        let all = try await store.read.accounts()
        for account in all { try await begin(account) }
        removals = Task { [weak self] in await self?.finishRemovals() }
        await keeper?.start(for: self)
    }

    private func begin(_ account: Account) async throws(StorageError) {
        do throws(StorageError) {
            try await hosts.allowAll(of: [account])
            if account.status == .active {
                try await exclusively(account.id) { () throws(StorageError) in try await startIfSetUp(account)
                }
            } else if let problem = try await SignInProblem.load(account.id, from: store) {
                status.set(problem.status, of: account.id)
            }
        } catch {
            // The others are on servers that respond. The keeper tries again.
            guard keeper != nil, error.isOfServer else { throw error }
            status.setSilent(error, of: account.id)
        }
    }

    func finishRemovalsLater() {
        guard isRunning else { return }
        nextRemovals?.cancel()
        nextRemovals = Task { [clock, weak self] in
            guard (try? await clock.sleep(for: 60)) != nil else { return }
            await self?.finishRemovals()
        }
    }

    /// Begins the first sync of the accounts that were added before onboarding was complete.
    package func onboardingCompleted() async throws(StorageError) {
        for account in try await store.read.accounts() where try await onboarding.release(account.id) {
            if account.status == .active { await exclusively(account.id) { await start(account) } }
        }
    }

    package func stop() async {
        isRunning = false
        attention?.cancel()
        removals?.cancel()
        nextRemovals?.cancel()
        await keeper?.stop()
        let ids = Set(syncs.keys).union(store.leases?.accountIDs ?? [])
        for id in ids { await exclusively(id) { await end(id) } }
        await endVisits()
    }

    /// Runs while no other task starts, changes or ends this account.
    func exclusively<Answer, Failure: Error>(
        _ id: Id<Account>, _ body: () async throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        if !queue.take(id) { await withCheckedContinuation { queue.wait(for: id, $0) } }
        defer { queue.giveBack(id) }
        return try await body()
    }

    /// The ways to add an account, those of each plugin in its order.
    package nonisolated var setups: [(pluginID: String, setup: AccountSetup)] {
        get async {
            var all: [(pluginID: String, setup: AccountSetup)] = []
            for (id, provider) in providers.sorted(by: { $0.key < $1.key }) {
                all += await provider.setups.map { (id, $0) }
            }
            return all
        }
    }

    package nonisolated func provider(_ pluginID: String) -> ContainedProvider? { providers[pluginID] }

    /// Changes what the user may change of an account: how it is called, and how much of it is kept here.
    package func update(_ wanted: Account) async throws {
        try await exclusively(wanted.id) {
            guard let old = try await store.account(wanted.id) else {
                throw StorageError.notFound("an account")
            }
            // A wider window includes older mail that was skipped before.
            let isWider = wanted.syncWindowDays > old.syncWindowDays
            try await change(wanted.id, with: { isWider ? [SyncEpoch.begin(wanted.id, ids: ids)] : [] }) {
                account in
                account.displayName = wanted.displayName
                account.syncWindowDays = wanted.syncWindowDays
                account.attachmentCacheLimit = wanted.attachmentCacheLimit
            }
        }
        await syncs[wanted.id]?.changed()
    }

    /// Changes the current version of an account, which may just have been changed or removed.
    ///
    /// - Parameter changes: committed with it; computed again if submissions change in between.
    @discardableResult
    package func change(
        _ id: Id<Account>, with changes: () async throws -> [StorageChange] = { [] },
        _ body: (inout Account) -> Void
    ) async throws -> Account {
        while true {
            let state = try await store.read.state(of: .account, in: nil)
            let sending = try await store.read.state(of: .submission, in: id)
            guard var account = try await store.account(id) else { throw AccountError.notFound }
            body(&account)
            let wanted = try await changes()
            do throws(StorageError) {
                try await store.commit(
                    [.putAccount(account)] + wanted,
                    preconditions: [
                        ChangeSet.Precondition(.account, in: nil, is: state),
                        ChangeSet.Precondition(.submission, in: id, is: sending),
                    ])
                return account
            } catch {
                guard case .stateMismatch = error else { throw error }
            }
        }
    }

    package func whenAsked(_ tell: @escaping @Sendable (Id<Account>) async -> Void) { asked = tell }

    /// Returns what to do if the account cannot be removed and stays.
    package typealias Leaving = @Sendable (Id<Account>) async -> (@Sendable () async -> Void)?

    package func whenRemoved(_ tell: @escaping Leaving) { leaving = tell }

    /// What keeps an account in step; nil if it is inactive, its plugin is not there, or another kernel does.
    package func sync(_ id: Id<Account>) -> AccountSync? { syncs[id] }

    package func session(_ id: Id<Account>) async -> (any AccountSession)? {
        if let sync = syncs[id] { return sync.session }
        return await visit(id)
    }

    package func changed(_ id: Id<Account>) async { await syncs[id]?.changed() }

    private func attend() async {
        let isSeen = await presence.isAnyVisible
        for sync in syncs.values { await sync.setSeen(isSeen) }
    }

    /// The user opened a mailbox of an account, and expects its current content.
    package func opened(_ id: Id<Account>) async {
        await syncs[id]?.opened()
    }

    /// Checks an account's service for new mail at once, unless the service asked to wait.
    package func refresh(_ id: Id<Account>) async {
        if let sync = syncs[id] { await sync.asked() } else { await beginOrAskOther(id) }
        await asked?(id)
    }

    /// Returns once an account has nothing more to fetch or to tell the server for now.
    package func settle(_ id: Id<Account>) async {
        await syncs[id]?.settle()
    }

    /// The first steps come before the first mail.
    func startIfSetUp(_ account: Account) async throws(StorageError) {
        let waits = try await onboarding.isAwaited(by: account.id)
        let isSetUp = try await onboarding.isComplete
        guard isSetUp || !waits, try await hasSettledSecrets(account) else { return }
        await start(account)
    }

    package func start(_ account: Account) async {
        guard isRunning, syncs[account.id] == nil else { return }
        guard let provider = providers[account.pluginID] else {
            log.write(
                .warning, "mailkernel",
                "An account is unavailable because the plugin “\(account.pluginID)” is not loaded.")
            return
        }
        if keeper == nil {
            await open(account, provider, store)
        } else {
            await startTurn(account, provider)
        }
    }

    /// - Parameter store: the view of it for this turn.
    /// - Returns: whether it was opened.
    @discardableResult
    func open(_ account: Account, _ provider: ContainedProvider, _ store: MailStore) async -> Bool {
        do {
            let session = try await provider.session(for: account, secrets: secrets.drawer(account))
            let sync = AccountSync(
                account: account, session: session, store: store, status: status, ids: ids,
                step: step?.with(store), clock: clock, log: log)
            syncs[account.id] = sync
            await sync.setSeen(presence.isAnyVisible)
            await sync.start { [weak self, weak sync] reason in
                guard let sync else { return }
                await self?.deactivate(account.id, because: reason, after: sync)
            }
            return true
        } catch {
            log.write(.warning, account.pluginID, "The account could not be opened. \(error.logSentence)")
            status.set(SyncStatus(.failed, because: error), of: account.id)
            return false
        }
    }

    /// Ends what keeps an account in step.
    ///
    /// - Parameter releases: whether another kernel may continue.
    package func end(_ id: Id<Account>, releases: Bool = true) async {
        if let sync = syncs.removeValue(forKey: id) { await sync.stop() }
        await reports.forget(id)
        if releases { await keeper?.release(id) }
    }
}
