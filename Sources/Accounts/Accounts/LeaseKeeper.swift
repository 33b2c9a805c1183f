import MailKernelAPI
import Store

/// Takes the leases of accounts that are free, so that one of the kernels on a shared store looks after each account,
/// and ends an account's work here when its lease is lost.
actor LeaseKeeper {
    /// How often free leases are tried for, and held ones confirmed.
    static let interval = 2.0
    /// A lease that could not be confirmed in so many intervals is given up before the store may give it away.
    private static let mostMisses = 3

    private let store: MailStore
    private let sharing: any StorageSharing
    private let leases: HeldLeases
    private let clock: any HostClock
    private let log: LogOutput
    private weak var accounts: Accounts?
    private var tasks: [Task<Void, Never>] = []
    private var intervals = 0
    /// The interval in which each lease was confirmed last.
    private var confirmed: [Id<Account>: Int] = [:]
    private var known: [Id<Account>: Account] = [:]
    /// A slow store is not asked again meanwhile.
    private var confirming: Set<Id<Account>> = []
    private var starting: Set<Id<Account>> = []
    private var isReading = false

    /// - Returns: nil for a store that one kernel has for itself.
    init?(store: MailStore, clock: any HostClock, log: LogOutput) {
        guard let sharing = store.sharing, let leases = store.leases else { return nil }
        (self.store, self.sharing, self.leases, self.clock, self.log) = (store, sharing, leases, clock, log)
    }

    func start(for accounts: Accounts) {
        self.accounts = accounts
        leases.whenLost { [weak self] id in Task { await self?.lost(id) } }
        let news = store.newsOfOthers.listen()
        tasks = [
            Task { [clock, weak self] in
                while (try? await clock.sleep(for: Self.interval)) != nil { await self?.intervalEnded() }
            },
            Task { [weak self] in
                for await states in news { await self?.heard(states) }
            },
        ]
    }

    /// No lease is taken any more. Those that are held are released one by one, as the work for them ends.
    func stop() {
        leases.whenLost(nil)
        for task in tasks { task.cancel() }
        tasks = []
    }

    // MARK: One lease

    /// The lease, if it was free or is held here.
    func take(_ id: Id<Account>) async throws(StorageError) -> StoreLease? {
        let interval = intervals
        do {
            guard let lease = try await sharing.takeLease(of: id) else { return nil }
            confirmed[id] = interval
            leases.hold(lease)
            return lease
        } catch .notFound {
            return nil
        }
    }

    /// Lets another kernel look after the account.
    func release(_ id: Id<Account>) async {
        confirmed[id] = nil
        guard let lease = leases.drop(id) else { return }
        // If it fails, the store ends the lease by itself soon after this kernel has gone.
        try? await sharing.releaseLease(lease)
    }

    private func confirm(_ id: Id<Account>) async {
        guard let lease = leases[id], confirming.insert(id).inserted else { return }
        defer { confirming.remove(id) }
        let interval = intervals
        do {
            let current = try await sharing.takeLease(of: id)
            guard leases[id] == lease else { return }
            if current == lease { confirmed[id] = interval } else { await lost(id) }
        } catch {
            // The store may be back before the lease ends.
            log.write(.info, "mailkernel", "A lease could not be confirmed. \(error.sentence)")
        }
    }

    private func lost(_ id: Id<Account>) async {
        log.write(.info, "mailkernel", "Another computer looks after an account now.")
        leases.drop(id)
        confirmed[id] = nil
        await accounts?.turnEnded(id)
    }

    // MARK: All accounts

    private func intervalEnded() {
        intervals += 1
        for id in leases.accountIDs {
            if intervals - (confirmed[id] ?? 0) > Self.mostMisses {
                Task { await lost(id) }
            } else {
                Task { await confirm(id) }
            }
        }
        Task { await look() }
    }

    private func heard(_ states: [StateNews.Key: State]) async {
        if states.keys.contains(where: { $0.type == .account }) { await look() }
        for (id, types) in Dictionary(grouping: states.keys, by: \.accountID) {
            if let id { await accounts?.heardOfOthers(Set(types.map(\.type)), in: id) }
        }
    }

    /// Starts, restarts and ends the work for accounts as they are in the store now.
    private func look() async {
        guard !isReading else { return }
        isReading = true
        defer { isReading = false }
        guard let accounts, let all = try? await store.read.accounts() else { return }
        for account in all where starting.insert(account.id).inserted {
            let before = known.updateValue(account, forKey: account.id)
            Task {
                await accounts.takeTurn(account, before: before)
                starting.remove(account.id)
            }
        }
        let ids = Set(all.map(\.id))
        for gone in known.values where !ids.contains(gone.id) {
            known[gone.id] = nil
            await accounts.wasRemovedElsewhere(gone)
        }
    }
}
