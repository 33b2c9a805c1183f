import Accounts
import Care
import FoundationEssentials
import Intelligence
import JMAP
import Kernel
import MailKernelAPI
import MailKernelConformance
import Network
import PluginCalls
import PluginHost
import Secrets
import Store
import Synchronization

/// A kernel over mail in memory, with a clock that stands still until it is moved.
package struct TestKernel: Sendable {
    package static let pluginID = "org.example.memory"

    package let clock: ManualClock
    package let server: MemoryMailServer
    package let storage: any StorageBackend & StorageInsights & StorageCare
    package let kernel: MailKernel
    package let jmap: MailJMAPService
    /// Every account of the server, in the order of their addresses.
    package let accounts: [Account]

    package var ada: Id<Account> { accounts[0].id }
    package var grace: Id<Account> { accounts[1].id }

    /// - Parameters:
    ///   - messages: how many each inbox begins with.
    ///   - hasAccounts: whether all accounts of the server are added.
    ///   - providers: further plugins by their ids.
    ///   - models: providers of models by the ids of their plugins.
    ///   - sinks: where notifications are shown.
    ///   - uptime: what undo times are counted by; nil for `clock`.
    ///   - isShared: whether other kernels can use the store, too.
    ///   - copyDisk: where a copy of the store is kept, which follows it.
    ///   - standsInFor: see `MailStore.standingIn`; nil if the store is none that stands in for another.
    ///   - calls: watches over how long calls last; by the system's clock unless a test brings its own.
    ///   - wrap: puts something between the kernel and the sessions of the server.
    ///   - wrapStorage: puts something between the kernel and its store.
    package init(
        messages: Int = 0, layout: MemoryMailServer.Layout = .labels, batchSize: Int = 50,
        lacking: AccountFeatures = [], limits: JMAPLimits = JMAPLimits(), isStarted: Bool = true,
        on disk: MemoryStorage.Disk = MemoryStorage.Disk(), clock: ManualClock = ManualClock(),
        server: MemoryMailServer? = nil, secrets: SecretDrawers = SecretDrawers(),
        hasAccounts: Bool = true, isShared: Bool = false, copyDisk: MemoryStorage.Disk? = nil,
        standsInFor: String? = nil, providers: [String: any AccountProvider] = [:],
        models: [String: any AIModelProvider] = [:], sinks: [any NotificationSink] = [],
        machine: Machine = Machine { nil }, uptime: (any SteadyClock)? = nil,
        network: (any PluginNetwork)? = nil, listNetwork: (any PluginNetwork)? = nil,
        discovery: DiscoveryNetwork = .none, keeper: SecretKeeper? = nil, ledger: LedgerReader? = nil,
        program: ProgramAccess = ProgramAccess(), proof: any UserProof = AbsentProof(),
        log: LogOutput = LogOutput(least: .error), calls: ProviderCalls = ProviderCalls(),
        wrap: @escaping @Sendable (any AccountSession) -> any AccountSession = { $0 },
        wrapStorage: (any StorageBackend) -> any StorageBackend = { $0 }
    ) async throws {
        let server =
            server
            ?? MemoryMailServer(
                logins: MemoryAccountPlugin.logins, layout: layout, batchSize: batchSize, lacking: lacking,
                clock: clock)
        if messages > 0 { for login in server.logins { server.fill(login.address, count: messages) } }
        let storage = MemoryStorage(on: disk, isShared: isShared)
        _ = storage.open()
        let provider = WrappedProvider(inner: MemoryAccountProvider(server: server), wrap: wrap)
        let mail = MailStore(wrapStorage(storage))
        let copy = copyDisk.map { MailStore(MemoryStorage(on: $0, isShared: false)) }
        _ = try await copy?.open()
        kernel = MailKernel(
            store: standsInFor.map { mail.standingIn(for: $0) } ?? mail,
            plugins: providers.merging([Self.pluginID: provider]) { $1 }.map { id, provider in
                PluginRecord(
                    folder: URL(filePath: "/"), id: id, manifest: nil, state: .loaded(.account(provider)))
            }
                + models.sorted { $0.key < $1.key }.map { id, provider in
                    PluginRecord(
                        folder: URL(filePath: "/"), id: id, manifest: nil, state: .loaded(.model(provider)))
                }
                + sinks.enumerated().map { number, sink in
                    PluginRecord(
                        folder: URL(filePath: "/"), id: "org.example.sink\(number)", manifest: nil,
                        state: .loaded(.notification(sink)))
                },
            clock: clock, log: log,
            secrets: AccountDrawers(
                drawer: { HookedSecrets(inner: secrets.drawer($0.id), drawers: secrets) },
                remove: { account throws(SecretError) in try secrets.forget(account.id) }), network: network,
            listNetwork: listNetwork, discovery: discovery, keeper: keeper, ledger: ledger, machine: machine,
            uptime: uptime,
            program: program, proof: proof, calls: calls,
            replica: copy.map { Replica(of: mail, in: $0, clock: clock, log: log) })
        self.clock = clock
        self.server = server
        self.storage = storage
        jmap = MailJMAPService(kernel, limits: limits)
        if hasAccounts { _ = try await kernel.accounts.addDemo() }
        accounts = try storage.accounts().sorted { $0.address < $1.address }
        if isStarted {
            try await start()
            for account in accounts { await kernel.accounts.settle(account.id) }
        }
    }

    /// As the program starts it.
    package func start() async throws {
        try await kernel.recover()
        try await kernel.start()
    }

    package func settle() async {
        for account in accounts { await kernel.accounts.settle(account.id) }
    }

    /// The same, once all that the services have by now was read: what they report takes a moment to be heard of.
    package func read() async {
        for account in accounts { await kernel.accounts.changed(account.id) }
        await settle()
    }

    /// The mailbox with this role.
    package func mailbox(_ role: Mailbox.Role, of account: Id<Account>? = nil) async throws -> Id<Mailbox> {
        let all = try await storage.mailboxes(nil, in: account ?? ada)
        guard let found = all.first(where: { $0.mailbox.role == role }) else { throw Missing("mailbox") }
        return found.mailbox.id
    }

    /// The ids of all emails of an account, newest first.
    package func emailIDs(of account: Id<Account>? = nil) async throws -> [Id<Email>] {
        try await storage.queryEmails(EmailQuery(in: [account ?? ada], limit: 10_000)).hits.map(\.emailID)
    }

    package func email(_ id: Id<Email>, of account: Id<Account>? = nil) async throws -> Email {
        guard let stored = try await storage.emails([id], in: account ?? ada).first else {
            throw Missing("email")
        }
        return stored.email
    }

    /// Waits until something is so. It is looked at whenever the store, the server or the clock changes, and
    /// now and then for what is not reported. Fails after ten minutes with what was waited for:
    /// tests share their time with all others of their room.
    package func wait(
        for what: String, until isSo: @Sendable () async throws -> Bool
    ) async throws {
        let (bells, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (news, server, clock) = (kernel.store.news.listen(), server.changes(), clock.changes())
        let ringing = [
            Task { for await _ in news { bell.yield() } },
            Task { for await _ in server { bell.yield() } },
            Task { for await _ in clock { bell.yield() } },
            Task { while (try? await Task.sleep(for: .milliseconds(500))) != nil { bell.yield() } },
        ]
        defer { for task in ringing { task.cancel() } }
        let end = ContinuousClock.now + .seconds(600)
        for await _ in bells {
            if try await isSo() { return }
            guard ContinuousClock.now < end else { throw Missing(what) }
        }
        throw CancellationError()
    }
}

package struct Missing: Error, CustomStringConvertible {
    package let description: String

    package init(_ what: String) {
        description = "It did not come: \(what)"
    }
}

/// The secrets of each account, which outlive a kernel.
package final class SecretDrawers: Sendable {
    private let drawers = Mutex<[Id<Account>: MemorySecrets]>([:])

    package init() {}

    /// Accounts with a drawer.
    package var owners: Set<Id<Account>> { drawers.withLock { Set($0.keys) } }

    func forget(_ id: Id<Account>) throws(SecretError) {
        if isLocked.withLock({ $0 }) { throw .locked }
        drawers.withLock { $0[id] = nil }
    }

    private let isLocked = Mutex(false)
    private let hook = Mutex<(@Sendable () -> Void)?>(nil)

    /// Whether drawers can be removed, as it is while a vault is locked.
    package func setLocked(_ locked: Bool) { isLocked.withLock { $0 = locked } }

    /// Run once a secret is stored.
    package func setAfterStoring(_ hook: (@Sendable () -> Void)?) { self.hook.withLock { $0 = hook } }

    fileprivate func stored() { hook.withLock { $0 }?() }

    package func drawer(_ id: Id<Account>) -> MemorySecrets {
        drawers.withLock { drawers in
            if let drawer = drawers[id] { return drawer }
            let drawer = MemorySecrets()
            drawers[id] = drawer
            return drawer
        }
    }
}

/// A drawer whose owner wants to know when something is put into it.
private struct HookedSecrets: SecretStore {
    let inner: MemorySecrets
    let drawers: SecretDrawers

    func secret(named name: String) -> Secret? { inner.secret(named: name) }
    func removeSecret(named name: String) { inner.removeSecret(named: name) }
    func store(_ secret: Secret, named name: String) {
        inner.store(secret, named: name)
        drawers.stored()
    }
}

/// The provider in memory, whose sessions a test may stand before.
private struct WrappedProvider: AccountProvider {
    let inner: MemoryAccountProvider
    let wrap: @Sendable (any AccountSession) -> any AccountSession

    var setups: [AccountSetup] { inner.setups }

    func authorize(_ step: AuthorizationAnswer) async throws(AccountError) -> AuthorizationStep {
        try inner.authorize(step)
    }

    func validate(_ candidate: AccountCandidate) async throws(AccountError) -> ValidatedAccount {
        try inner.validate(candidate)
    }

    func session(
        for account: Account, secrets: any SecretStore
    ) async throws(AccountError) -> any AccountSession {
        wrap(try inner.session(for: account, secrets: secrets))
    }

    func revoke(_ account: Account, secrets: any SecretStore) async throws(AccountError) {}
}
