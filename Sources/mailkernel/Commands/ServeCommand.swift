import FoundationEssentials
import Glibc
import JMAP
import Kernel
import MailKernelAPI
import PluginHost

/// Starts the program and keeps it running until it is told to stop.
struct ServeCommand {
    private let options: CommonOptions
    private let storageID: String?
    private let server: ServerOptions

    init(_ arguments: inout Arguments) throws {
        options = try CommonOptions(&arguments)
        storageID = try arguments.value("--storage")
        server = try ServerOptions(&arguments)
        try arguments.finish()
    }

    func run() async throws {
        let began = ContinuousClock.now
        let signals = StopSignals()
        try options.folders.create()
        let lock = try InstanceLock(folder: options.folders.data)
        defer { withExtendedLifetime(lock) {} }
        let records = try options.loadPlugins(unless: { signals.isStopped })
        report(records)
        guard !signals.isStopped else { return }
        let storage: (id: String, name: String, backend: any StorageBackend)
        do {
            storage = try StorageChoice.choose(from: records, id: storageID)
        } catch {
            throw CommandError("\(error)")
        }
        do {
            report(try await storage.backend.open(), of: storage.id)
        } catch {
            throw CommandError(error.sentence)
        }
        do {
            if !signals.isStopped { try await serve(storage.backend, storage.name, records, began, signals) }
        } catch {
            await storage.backend.close()
            throw error
        }
        await storage.backend.close()
        print("mailkernel has stopped.")
    }

    private func serve(
        _ backend: any StorageBackend, _ storageName: String, _ records: [PluginRecord],
        _ began: ContinuousClock.Instant, _ signals: StopSignals
    ) async throws {
        let kernel = MailKernel(storage: backend, plugins: records, clock: WallClock(), log: options.log)
        if options.isDemo { try await addDemo(to: kernel) }
        let server = try server.serve(MailJMAPService(kernel), options.folders, options.log)
        do {
            try await kernel.start()
        } catch {
            await server.stop()
            throw CommandError(error.sentence)
        }
        announce(storageName, records, began)
        try self.server.announce(server)
        await signals.wait()
        await server.stop()
        await kernel.stop()
    }

    private func addDemo(to kernel: MailKernel) async throws {
        do {
            guard try await kernel.accounts.addDemo() else {
                throw CommandError("No account plugin that is loaded brings a demo mailbox.")
            }
        } catch let error as AccountError {
            throw CommandError("The demo mailbox could not be made. \(error.sentence)")
        }
    }

    private func report(_ opening: StorageOpening, of id: String) {
        switch opening {
        case .ready, .created:
            options.log.write(.info, id, "the store is open")
        case .migrated(let old, let new):
            options.log.write(.info, id, "the store was brought from format \(old) to \(new)")
        case .recovered(let place, let salvaged):
            options.log.write(
                .warning, id,
                "The store was damaged. It is kept in \(place), and a new one was begun, with "
                    + "\(salvaged) drafts, queued messages and settings saved from the old one.")
        }
    }

    private func announce(_ storage: String, _ records: [PluginRecord], _ began: ContinuousClock.Instant) {
        let loaded = records.filter { $0.provider != nil }.count
        let plugins = loaded == 1 ? "1 plugin" : "\(loaded) plugins"
        let milliseconds = (ContinuousClock.now - began) / .milliseconds(1)
        print("mailkernel \(Program.version) is ready after \(Int(milliseconds)) ms with \(plugins).")
        print("Mail is kept by “\(storage)”. Press Ctrl-C to stop.")
        fflush(nil)
    }

    /// Plugins that were not loaded are news to the user; those that they turned off are not.
    private func report(_ records: [PluginRecord]) {
        for record in records {
            switch record.state {
            case .loaded, .disabled, .skippedInSafeMode: continue
            case .refused(let refusal):
                options.log.write(.warning, record.id, "not loaded. \(refusal.sentence)")
            case .skippedAfterCrash:
                options.log.write(
                    .warning, record.id,
                    "\(PluginListing.crashSentence(record.id)) To start with the program's own plugins alone, "
                        + "use “mailkernel --safe-mode”.")
            }
        }
    }
}
