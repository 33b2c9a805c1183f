import Accounts
import Care
import FoundationEssentials
import Glibc
import JMAP
import Kernel
import MailKernelAPI
import Network
import PluginHost
import Secrets
import Store

/// Starts the program and keeps it running until it is stopped.
struct ServeCommand {
    private let options: CommonOptions
    private let server: ServerOptions
    private let vault: VaultOptions

    init(_ arguments: inout Arguments) throws {
        options = try CommonOptions(&arguments)
        server = try ServerOptions(&arguments)
        vault = try VaultOptions(&arguments)
        try arguments.finish()
    }

    func run() async throws {
        let began = ContinuousClock.now
        let signals = StopSignals()
        try await finishWipe()
        options.network.ledger.prune()
        guard
            let store = try await OpenedStore(
                options, signals, vault: vault, keepsReplica: !options.isDemo)
        else { return }
        do {
            if !signals.isStopped { try await serve(store, began, signals) }
        } catch {
            await store.close()
            throw error
        }
        await options.network.close()
        await store.close()
        print("mailkernel has stopped.")
        if signals.wantsRestart { try Restart.now() }
    }

    /// What a wipe removes before the end of the program, if it came too early, and the start that follows.
    private func finishWipe() async throws {
        let files = WipedFiles(options.folders)
        guard files.isUnfinished else { return }
        var problems: [String] = []
        do {
            try await options.secrets.removeAll()
        } catch {
            problems.append(AccountError.secrets(error).sentence)
        }
        let left = files.remove(keepsSecretsPlace: !problems.isEmpty)
        for problem in problems + left { options.log.write(.warning, "mailkernel", problem) }
    }

    private func serve(
        _ store: OpenedStore, _ began: ContinuousClock.Instant, _ signals: StopSignals
    ) async throws {
        let kernel = kernel(on: store, signals)
        if options.isDemo { try await addDemo(to: kernel) }
        // Before the first request can arrive.
        await kernel.appLock.begin()
        do {
            try await kernel.recover()
        } catch {
            // It goes on with the copy.
            if store.replica != nil, OfflineSwitch.isOfServer(error) { return signals.restart() }
            throw CommandError(error.logged)
        }
        let server = try server.serve(MailJMAPService(kernel), options.folders, options.log)
        do {
            try await kernel.start()
        } catch {
            await server.stop()
            throw CommandError(error.sentence)
        }
        announce(store, began)
        self.server.announce(server, options.log)
        let switching = OfflineSwitch(kernel: kernel, silent: store.silent).start()
        await signals.wait()
        switching.cancel()
        await server.stop()
        await kernel.stop()
    }

    private func kernel(on store: OpenedStore, _ signals: StopSignals) -> MailKernel {
        MailKernel(
            store: store.mail, plugins: store.records, clock: WallClock(), log: options.log,
            secrets: AccountDrawers(options.secrets), enteredHosts: options.enteredHosts,
            network: options.network.access(for: MailKernel.ownName, hosts: ["*"], addresses: .publicOnly),
            listNetwork: options.network.access(
                for: MailKernel.ownName, hosts: ["*"], addresses: .publicOnly, followsRedirects: false),
            discovery: DiscoveryNetwork(
                names: options.network.names(for: MailKernel.ownName),
                web: options.network.access(
                    for: MailKernel.ownName, hosts: ["*"], addresses: .publicOnly, followsRedirects: false)),
            keeper: options.secrets, ledger: LedgerReader(folder: options.folders.connections),
            uptime: SystemUptime(),
            program: ProgramAccess(
                version: Installation.version, facts: Installation.about, folders: options.folders,
                downloads: ProgramAccess.downloads(environment: ProcessInfo.processInfo.environment),
                removeSecrets: { [secrets = options.secrets] in try await secrets.removeAll() },
                tryStore: options.storeTrial, opensVault: vault.opensVault,
                restart: { signals.restart() },
                openPage: { [folders = options.folders, log = options.log] place in
                    Browser(log: log).openPage(
                        at: place.map { ["mail", "all", "inbox", $0.rawValue, $1.rawValue] } ?? [], folders)
                },
                screenLocks: { LoginSession(environment: ProcessInfo.processInfo.environment).locks() }),
            proof: PAMProof(environment: ProcessInfo.processInfo.environment), calls: signals.calls,
            replica: store.replica.map {
                Replica(of: store.mail, in: $0, clock: WallClock(), log: options.log)
            })
    }

    private func addDemo(to kernel: MailKernel) async throws {
        do {
            guard try await kernel.accounts.addDemo() else {
                throw CommandError("No loaded plugin provides a demo mailbox.")
            }
            // The demo needs no onboarding.
            try await kernel.preferences.set([Preference.onboarding.key: true])
        } catch let error as AccountError {
            throw CommandError("The demo mailbox could not be created. \(error.sentence)")
        }
    }

    private func announce(_ store: OpenedStore, _ began: ContinuousClock.Instant) {
        let loaded = store.records.filter { $0.provider != nil }.count
        let plugins = loaded == 1 ? "1 plugin" : "\(loaded) plugins"
        let milliseconds = (ContinuousClock.now - began) / .milliseconds(1)
        print("mailkernel \(Installation.version) is ready after \(Int(milliseconds)) ms with \(plugins).")
        print("Mail is kept by “\(store.name)”. Press Ctrl-C to stop.")
        fflush(nil)
    }
}
