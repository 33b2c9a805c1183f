import Accounts
import Care
import Compose
import FoundationEssentials
import Intelligence
import Mail
import MailKernelAPI
import Network
import PluginCalls
import PluginHost
import Rules
import Secrets
import Store

/// The kernel: everything that the program does with mail, over the providers that it was given.
package struct MailKernel: Sendable {
    package let store: MailStore
    package let preferences: Preferences
    package let presence: Presence
    package let accounts: Accounts
    package let signIns: SignIns
    package let blobs: Blobs
    package let mail: MailActions
    package let knownFeatures: KnownFeatures
    package let actions: Actions
    package let outbox: Outbox
    package let drafts: Drafts
    package var prefill: Prefill { Prefill(store: store) }
    package var sending: DraftSending { DraftSending(store: store, drafts: drafts, outbox: outbox) }
    package var invitations: InvitationDesk {
        InvitationDesk(store: store, blobs: blobs, sending: sending, clock: clock)
    }
    /// Asks to be taken off mailing lists.
    package var unsubscribing: UnsubscribeDesk {
        UnsubscribeDesk(store: store, sending: sending, network: listNetwork, clock: clock)
    }
    private let listNetwork: (any PluginNetwork)?
    package let senders: Senders
    package let imports: Imports
    package var notices: Notices { Notices(store: store) }
    package let notifications: Notifications
    package let intelligence: Intelligence
    package let reading: Reading
    package var attachments: AttachmentSearch { AttachmentSearch(store: store) }
    package var about: About {
        About(version: program.version, facts: program.facts, data: program.folders?.data)
    }
    package let appLock: AppLock
    package let exports: Exports
    package var vault: SecretVault { SecretVault(keeper: keeper, accounts: accounts, news: store.news) }
    private let keeper: SecretKeeper?
    package let connections: Connections
    package let clock: any HostClock
    package let program: ProgramAccess
    package let storeWatch: StoreWatch
    package var storeChoices: StoreChoices {
        StoreChoices(store: store, plugins: plugins, program: program, keeper: vault.keeper)
    }
    /// The copy on this device of a store on a server, if there is one.
    package let replica: Replica?
    private let housekeeping: Housekeeping
    package let rulebook: Rulebook
    private let muting: Muting
    package let snoozing: Snoozing
    private let log: LogOutput
    /// What the program calls itself where plugins have their ids.
    package static let ownName = "mailkernel"
    /// What became of each plugin at this start.
    package let plugins: [PluginRecord]
    package let pluginCalls: ProviderCalls

    /// - Parameters:
    ///   - enteredHosts: records the hosts that the user enters for accounts.
    ///   - network: for the kernel's own requests, which load remote images. Without it there are none.
    ///   - listNetwork: for requests to mailing lists; follows no redirects. Without it there are none.
    ///   - discovery: for finding the mail services of addresses. Without it only the built-in list is used.
    ///   - keeper: the secret store, if it can be unlocked here.
    ///   - ledger: the list of connections.
    ///   - machine: reports when background work must pause.
    ///   - uptime: the clock for undo delays; nil for `clock`.
    ///   - program: the kernel's environment.
    ///   - proof: verifies the user when unlocking.
    ///   - calls: records pending plugin calls.
    ///   - replica: follows the store.
    package init(
        store: MailStore, plugins: [PluginRecord], clock: any HostClock, log: LogOutput,
        secrets: AccountDrawers = .absent, enteredHosts: EnteredHosts = EnteredHosts(),
        network: (any PluginNetwork)? = nil, listNetwork: (any PluginNetwork)? = nil,
        discovery: DiscoveryNetwork = .none, keeper: SecretKeeper? = nil, ledger: LedgerReader? = nil,
        machine: Machine = .linux, uptime: (any SteadyClock)? = nil, program: ProgramAccess = ProgramAccess(),
        proof: any UserProof = AbsentProof(), calls: ProviderCalls = ProviderCalls(), replica: Replica? = nil
    ) {
        let (ids, copies) = (IDMaker(clock: clock), ServerCopies(store: store, clock: clock, log: log))
        (self.store, self.plugins, self.clock, self.program, self.log) = (store, plugins, clock, program, log)
        (pluginCalls, self.replica, self.listNetwork, self.keeper) = (calls, replica, listNetwork, keeper)
        (connections, preferences) = (Connections(reader: ledger), Preferences(store))
        (senders, presence) = (Senders(store: store, clock: clock), Presence(news: store.news))
        appLock = AppLock(store: store, presence: presence, proof: proof, clock: clock, program: program)
        accounts = Accounts(
            store: store, providers: plugins.accounts(calls, log), ids: ids, clock: clock, log: log,
            secrets: secrets, hosts: AccountHosts(store: store, entered: enteredHosts), step: copies,
            presence: presence, disk: program.folders.map { DiskSpace(folder: $0.data) })
        signIns = SignIns(accounts: accounts, store: store, ids: ids, clock: clock, network: discovery)
        reading = Reading(store: store, images: RemoteImages(network: network, ids: ids), ids: ids)
        blobs = Blobs(store: store, services: accounts, images: reading.images, ids: ids, clock: clock)
        mail = MailActions(store: store, services: accounts, blobs: blobs, ids: ids, clock: clock)
        knownFeatures = KnownFeatures(store: store, mail: mail, clock: clock)
        actions = Actions(store: store, mail: mail, ids: ids, clock: clock, log: log)
        muting = Muting(store: store, actions: actions, clock: clock, log: log)
        snoozing = Snoozing(store: store, mail: mail, clock: clock, log: log)
        imports = Imports(accounts: accounts, ids: ids, clock: clock, news: store.news)
        exports = Exports(store: store, accounts: accounts, program: program, ids: ids, clock: clock)
        drafts = Drafts(
            store: store, accounts: accounts, blobs: blobs, mail: mail, copies: copies, presence: presence,
            ids: ids, clock: clock, log: log)
        outbox = Outbox(
            store: store, accounts: accounts, blobs: blobs, mail: mail, drafts: drafts,
            preferences: preferences, presence: presence, ids: ids, clock: clock,
            uptime: uptime ?? WallUptime(clock: clock), log: log)
        rulebook = Rulebook(
            store: store, mail: mail, actions: actions, blobs: blobs, outbox: outbox, clock: clock, log: log)
        intelligence = Intelligence(
            store: store, plugins: plugins, machine: machine, clock: clock, log: log, calls: calls)
        notifications = Notifications(
            sinks: plugins.sinks(calls, log), store: store, actions: actions, presence: presence,
            preferences: preferences, appLock: appLock, program: program, clock: clock, log: log)
        storeWatch = StoreWatch(store: store, clock: clock) { [accounts] in await accounts.tryAgain() }
        housekeeping = Housekeeping(store: store, blobs: blobs, actions: actions, clock: clock, log: log)
    }

    /// Repairs the state that the last run left behind: before requests are served, and before `start`.
    package func recover() async throws {
        try await Onboarding(store: store).beginAgainWithoutAccounts()
        for account in try await store.read.accounts() { try await followWaiting(in: account.id) }
        // Another kernel may be at work on a shared store: each account is recovered when its turn begins here.
        if store.sharing == nil || store.standsInFor != nil { await outbox.recover() }
        if let replica {
            try await OfflineMerge(
                store: store, replica: replica, drafts: drafts, sending: sending, actions: actions,
                clock: clock, log: log
            ).run()
        }
    }

    /// While the server that keeps an account's mail is silent, nothing can be changed in it either.
    private func followWaiting(in accountID: Id<Account>) async throws(StorageError) {
        do throws(StorageError) {
            try await mail.followWaiting(in: accountID)
        } catch {
            guard error.isOfServer else { throw error }
        }
    }

    /// Starts syncing all accounts and sending due messages. Returns immediately.
    package func start() async throws(StorageError) {
        await storeWatch.start()
        if store.sharing != nil { await followTurns() }
        await drafts.start()
        try await notifications.start()
        await rulebook.start()
        await accounts.whenRemoved { [weak service = rulebook.service] in await service?.leave($0) ?? nil }
        try await accounts.start()
        try await actions.start()
        await muting.start()
        await snoozing.start()
        await outbox.start()
        await housekeeping.start()
        await intelligence.start()
        await replica?.start()
    }

    /// On a store that several kernels share, this one works for the accounts whose leases it holds.
    private func followTurns() async {
        await accounts.whenTurnBegins(
            Accounts.TurnSteps(
                before: { [outbox, actions, mail, log] account in
                    do {
                        try await mail.followWaiting(in: account.id)
                    } catch {
                        log.write(.info, Self.ownName, "Waiting changes could not be read. \(error.logged)")
                    }
                    await outbox.turnBegan(account.id)
                    await actions.turnBegan(account.id)
                },
                after: { [outbox, snoozing, rulebook, notifications] account in
                    await outbox.accountOpened()
                    await snoozing.turnBegan()
                    await rulebook.turnBegan(account.id)
                    await notifications.offerNotices(in: account.id)
                },
                lost: { [outbox] id in await outbox.turnLost(id) }))
    }

    /// Stops all work; the next start continues it.
    package func stop() async {
        // At once, even if a plugin keeps the rest waiting.
        async let withdrawal: Void = notifications.stop()
        await storeWatch.stop()
        await appLock.stop()
        await signIns.stop()
        await intelligence.stop()
        await imports.stopAll()
        await exports.stopAll()
        await housekeeping.stop()
        await muting.stop()
        await snoozing.stop()
        await rulebook.stop()
        await actions.stop()
        await outbox.stop()
        await drafts.stop()
        await accounts.stop()
        await replica?.stop(catchesUp: storeWatch.problem == nil)
        await withdrawal
    }
}

extension [PluginRecord] {
    /// The loaded account plugins by id; of two with the same id, the first.
    fileprivate func accounts(_ calls: ProviderCalls, _ log: LogOutput) -> [String: ContainedProvider] {
        Dictionary(
            compactMap { record -> (String, ContainedProvider)? in
                guard case .account(let provider) = record.provider else { return nil }
                let caller = PluginCaller(record, calls: calls, log: log)
                return (record.id, ContainedProvider(inner: provider, caller: caller))
            }, uniquingKeysWith: { first, _ in first })
    }

    fileprivate func sinks(_ calls: ProviderCalls, _ log: LogOutput) -> [ContainedSink] {
        compactMap { record in
            guard case .notification(let sink) = record.provider else { return nil }
            return ContainedSink(sink, PluginCaller(record, calls: calls, log: log))
        }
    }
}
