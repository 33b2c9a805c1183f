import FoundationEssentials
public import MailKernelAPI

/// The accounts of this program and the way to each.
public actor Accounts {
    private let store: MailStore
    private let providers: [String: any AccountProvider]
    private let ids: IDMaker
    private let clock: any HostClock
    private let log: LogOutput
    private let secrets: AccountDrawers
    private let step: (any RoundStep)?
    /// What each account is doing.
    public nonisolated let status: SyncStatuses
    private var syncs: [Id<Account>: AccountSync] = [:]
    private var isRunning = false

    init(
        store: MailStore, providers: [String: any AccountProvider], ids: IDMaker, clock: any HostClock,
        log: LogOutput, secrets: AccountDrawers, step: (any RoundStep)?, runID: String
    ) {
        self.step = step
        status = SyncStatuses(news: store.news, runID: runID)
        self.store = store
        self.providers = providers
        self.ids = ids
        self.clock = clock
        self.log = log
        self.secrets = secrets
    }

    public func start() async throws(StorageError) {
        isRunning = true
        for account in try await store.backend.accounts() where account.status == .active {
            await start(account)
        }
    }

    public func stop() async {
        isRunning = false
        for sync in syncs.values { await sync.stop() }
        syncs = [:]
    }

    /// The ways to add an account, those of each plugin in its order.
    public nonisolated var setups: [(pluginID: String, setup: AccountSetup)] {
        providers.sorted { $0.key < $1.key }.flatMap { id, provider in provider.setups.map { (id, $0) } }
    }

    public nonisolated func provider(_ pluginID: String) -> (any AccountProvider)? { providers[pluginID] }

    /// Adds the accounts of the demo mailbox, if they are not there yet.
    ///
    /// - Returns: whether a plugin brings a demo.
    public func addDemo() async throws -> Bool {
        guard let (pluginID, setup) = setups.first(where: { $0.setup.kind == .demo }),
            let provider = providers[pluginID]
        else { return false }
        guard try await store.backend.accounts().isEmpty else { return true }
        let request = AuthorizationRequest(setupID: setup.id, redirect: Self.noRedirect)
        guard case .finished(let candidates) = try await provider.authorize(.begin(request)) else {
            throw AccountError.badAnswer("a demo asks for something")
        }
        for candidate in candidates { try await add(candidate, of: pluginID) }
        return true
    }

    /// Adds an account that keeps its mail on this device, with the values that its form begins with.
    func addLocal() async throws -> Account {
        guard let (pluginID, setup) = setups.first(where: { $0.setup.kind == .local }),
            let provider = providers[pluginID]
        else { throw ImportProblem.noAccount }
        let request = AuthorizationRequest(setupID: setup.id, redirect: Self.noRedirect)
        var step = try await provider.authorize(.begin(request))
        if case .form(let fields, let memory) = step {
            let values = Dictionary(fields.map { ($0.name, Secret($0.initialValue)) }) { first, _ in first }
            step = try await provider.authorize(.form(values, memory: memory))
        }
        guard case .finished(let candidates) = step, let candidate = candidates.first else {
            throw AccountError.badAnswer("a local account asks for more than its form")
        }
        return try await add(candidate, of: pluginID)
    }

    /// What stays on this machine needs no browser.
    private static let noRedirect = URL(filePath: "/")

    /// Tries an account that has signed in, and adds it. Nothing is added if it throws.
    @discardableResult
    public func add(_ candidate: AccountCandidate, of pluginID: String) async throws -> Account {
        guard let provider = providers[pluginID] else { throw AccountError.notFound }
        let valid = try await provider.validate(candidate)
        let existing = try await store.backend.accounts()
        if let same = existing.first(where: {
            $0.pluginID == pluginID && $0.address.lowercased() == valid.address.lowercased()
        }) {
            throw AccountProblem.alreadyThere(same.address)
        }
        let account = Account(
            id: ids.next("A"), pluginID: pluginID, address: valid.address, displayName: valid.displayName,
            addedAt: clock.now, settings: candidate.settings)
        let drawer = secrets.drawer(account)
        for (name, secret) in candidate.secrets { try await drawer.store(secret, named: name) }
        let identities =
            valid.identities.isEmpty
            ? [EmailAddress(name: valid.displayName, email: valid.address)] : valid.identities
        try await store.commit(
            [.putAccount(account)]
                + identities.map { address in
                    .putIdentity(
                        Identity(
                            id: ids.next("I"), accountID: account.id, name: address.name ?? valid.displayName,
                            email: address.email))
                })
        if isRunning { await start(account) }
        return account
    }

    /// Changes what the user may change of an account.
    public func update(_ account: Account) async throws(StorageError) {
        var changes = [StorageChange.putAccount(account)]
        if let old = try await store.account(account.id), account.syncWindowDays > old.syncWindowDays {
            // Older mail is wanted now, which was passed by before.
            let feeds = try await RemoteMap.load(account.id, from: store).feeds
            changes += feeds.map { FeedSync.forgetCursor(of: $0.id, in: account.id) }
        }
        try await store.commit(changes)
        await syncs[account.id]?.changed()
    }

    public func remove(_ id: Id<Account>) async throws {
        let account = try await store.account(id)
        if let sync = syncs.removeValue(forKey: id) { await sync.stop() }
        guard let account else { return }
        try await store.removeAccount(id)
        status.set(nil, of: id)
        // The mail is gone from here; a service that cannot be told is no reason to keep the account.
        try? await providers[account.pluginID]?.revoke(account, secrets: secrets.drawer(account))
        do {
            try await secrets.remove(account)
        } catch {
            log.write(
                .warning, "mailkernel",
                "The secrets of a removed account could not be removed. \(AccountError.secrets(error).sentence)"
            )
        }
    }

    /// What keeps an account in step; nil if it is inactive or its plugin is not there.
    func sync(_ id: Id<Account>) -> AccountSync? { syncs[id] }

    /// The way to an account's mail.
    func session(_ id: Id<Account>) -> (any AccountSession)? { syncs[id]?.session }

    /// Returns once an account has nothing more to fetch or to tell the server for now.
    public func settle(_ id: Id<Account>) async {
        await syncs[id]?.settle()
    }

    private func start(_ account: Account) async {
        guard syncs[account.id] == nil else { return }
        guard let provider = providers[account.pluginID] else {
            log.write(
                .warning, "mailkernel",
                "The plugin “\(account.pluginID)” is not there: an account waits for it.")
            return
        }
        do {
            let session = try await provider.session(for: account, secrets: secrets.drawer(account))
            let sync = AccountSync(
                account: account, session: session, store: store, status: status, ids: ids, step: step,
                clock: clock, log: log)
            syncs[account.id] = sync
            await sync.start()
        } catch {
            log.write(.warning, account.pluginID, "The account could not be opened. \(error.sentence)")
        }
    }
}

public enum AccountProblem: Error, Sendable, Hashable, CustomStringConvertible {
    case alreadyThere(String)

    public var description: String {
        switch self {
        case .alreadyThere(let address): "\(address) is already one of your accounts."
        }
    }
}
