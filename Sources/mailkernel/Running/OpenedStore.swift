import Care
import FoundationEssentials
import Glibc
import JMAP
import Kernel
import MailKernelAPI
import PluginCalls
import PluginHost
import Store

/// What every command needs that works on the user's mail: the data folder held, the plugins loaded, and the
/// store open.
struct OpenedStore {
    let records: [PluginRecord]
    let name: String
    let mail: MailStore
    /// It was damaged when it was opened. The log has the details.
    let wasReplaced: Bool
    private let lock: InstanceLock
    private let signals: StopSignals
    /// Of the plugin.
    let storageID: String
    private let log: LogOutput
    /// The copy on this device of a store on a server that responds.
    let replica: MailStore?
    /// The store of a server that does not respond, while `mail` is the copy of it.
    let silent: MailStore?

    /// Nil if a signal arrived.
    ///
    /// - Parameter keepsReplica: whether a store on a server has a copy here, which is used if the server does not
    ///   respond.
    init?(
        _ options: CommonOptions, _ signals: StopSignals, vault: VaultOptions? = nil,
        keepsReplica: Bool = false
    ) async throws {
        try options.folders.create()
        lock = try InstanceLock(folder: options.folders.data)
        self.signals = signals
        log = options.log
        records = try options.loadPlugins(unless: { signals.isStopped })
        Self.report(records, options.log)
        guard !signals.isStopped else { return nil }
        let storage = try Self.choose(from: records, options)
        Self.watch(storage.store, of: storage.id, signals, options.log)
        // The store may need a password that is kept there.
        try await vault?.open(options.secrets, options.log, unless: { signals.isStopped })
        guard !signals.isStopped else { return nil }
        (storageID, name) = (storage.id, storage.name)
        let place = keepsReplica ? ReplicaPlace(records, options, signals) : nil
        do throws(StorageError) {
            wasReplaced = try await Self.open(storage.store, of: storage.id, options)
            (mail, silent) = (storage.store, nil)
            replica = await place?.open(for: storage.store)
        } catch {
            guard let copy = await place?.standIn(for: storage.store, error) else {
                throw CommandError(error.sentence)
            }
            (mail, silent, replica, wasReplaced) = (copy, storage.store, nil, false)
        }
    }

    /// Ends the program if stopping takes too long.
    private static func watch(
        _ store: MailStore, of id: String, _ signals: StopSignals, _ log: LogOutput
    ) {
        signals.whenLate { [weak signals] lateness in
            var calls = signals?.calls.outstanding ?? []
            // Without threads, calls of the store do not return either, and it need not be to blame.
            if lateness != .blocked {
                calls += store.calls.outstanding.map {
                    ProviderCalls.Call(pluginID: id, name: $0)
                }
            }
            switch lateness {
            case .blocked:
                log.write(
                    .warning, MailKernel.ownName,
                    "The store or a plugin blocks all threads, so mailkernel stopped without waiting for it.")
            case .waits where calls.isEmpty:
                log.write(
                    .warning, MailKernel.ownName,
                    "Some work did not end in time, such as reading a very large message. It starts again at the next "
                        + "start.")
            case .waits: break
            }
            endWithout(calls, log, restarts: signals?.wantsRestart ?? false)
        }
    }

    private static func choose(
        from records: [PluginRecord], _ options: CommonOptions
    ) throws -> (id: String, name: String, store: MailStore) {
        do {
            return try StorageChoice.choose(from: records, id: options.chosenStorage())
        } catch {
            throw CommandError("\(error)")
        }
    }

    /// Ends or restarts the program, and logs the plugins that it waited for. Stored data is safe at any moment, so the
    /// next start continues as after a power cut.
    private static func endWithout(_ calls: [ProviderCalls.Call], _ log: LogOutput, restarts: Bool) {
        name(calls, log)
        fflush(nil)
        if restarts {
            do {
                try Restart.now()
            } catch {
                log.write(.error, MailKernel.ownName, "\(error)")
            }
        }
        _exit(1)
    }

    private static func name(_ calls: [ProviderCalls.Call], _ log: LogOutput) {
        var named: Set<ProviderCalls.Call> = []
        for call in calls where named.insert(call).inserted {
            log.write(
                .warning, call.pluginID,
                "The plugin did not return from “\(call.name)”, so mailkernel stopped without waiting for it."
            )
        }
    }

    /// After damage, accounts read their mail again. If the program is killed before that is recorded, the
    /// store would look sound at the next start; an unfinished opening therefore has the same effect. Returns
    /// whether there was damage.
    private static func open(
        _ store: MailStore, of id: String, _ options: CommonOptions
    ) async throws(StorageError) -> Bool {
        let note = OpeningNote(options.folders.storeOpening)
        let didNotEnd = note.isThere
        do throws(StorageError) {
            try note.write()
        } catch .full {
            options.log.write(.warning, "mailkernel", StorageError.full.sentence)
        }
        let opening = try await opening(store, didNotEnd ? nil : note)
        let damage = report(opening, of: id, options.log)
        try await refuseUnfinished(store, id, note)
        do throws(StorageError) {
            if didNotEnd || damage != nil { try await store.readAnew(clock: WallClock()) }
            if let damage { try await tell(damage, store) }
            note.remove()
        } catch .full {
            // The note stays, and existing mail can be read: the next start tries again.
            options.log.write(.warning, "mailkernel", StorageError.full.sentence)
        }
        return damage != nil
    }

    /// - Parameter note: goes if the server does not respond, because then nothing was changed.
    private static func opening(
        _ store: MailStore, _ note: OpeningNote?
    ) async throws(StorageError) -> StorageOpening {
        do throws(StorageError) {
            return try await store.open()
        } catch {
            if case .unreachable = error { note?.remove() }
            throw error
        }
    }

    /// A store that a move has filled in part must not be used, because its accounts would look as if mail were missing.
    private static func refuseUnfinished(
        _ store: MailStore, _ id: String, _ note: OpeningNote
    ) async throws(StorageError) {
        guard let source = try await StoreMove.unfinishedSource(in: store) else { return }
        await store.close()
        note.remove()
        throw .unsupported(
            "A move of your mail from “\(source)” to this store was not finished. To finish it, run “mailkernel storage "
                + "move --storage \(source) --to \(id)”. Until then, use “--storage \(source)”.")
    }

    /// Closes the store, and names plugins with calls that never returned.
    func close() async {
        await replica?.close()
        await mail.close()
        let ofStore = mail.calls.outstanding.map { ProviderCalls.Call(pluginID: storageID, name: $0) }
        Self.name(signals.calls.stuck + ofStore, log)
        withExtendedLifetime(lock) {}
    }

    /// The page shows it: few users read the log.
    private static func tell(_ damage: String, _ store: MailStore) async throws(StorageError) {
        let now = WallClock().now
        let notice = Notice(accountID: ProgramAccount.id, text: damage, at: now)
        // A page that stays open shows each id once.
        let id = "store-damaged-\(Int(now.timeIntervalSince1970))"
        if let change = try? notice.change(id: id) { try await store.commit([change]) }
    }

    /// Returns what the user has to know, if the store was damaged.
    private static func report(_ opening: StorageOpening, of id: String, _ log: LogOutput) -> String? {
        switch opening {
        case .ready, .created:
            log.write(.info, id, "the store is open")
        case .migrated(let old, let new):
            log.write(.info, id, "the store was migrated from format \(old) to \(new)")
        case .recovered(let copy, let salvaged):
            let kept = copy.map { "It is kept in \($0). " } ?? ""
            let damage =
                "The store was damaged. \(kept)A new one was created, with \(salvaged) unsynced messages, drafts, "
                + "changes and settings recovered from the old one. Other mail is downloaded again."
            log.write(.warning, id, damage)
            return damage
        }
        return nil
    }

    /// Plugins that were not loaded or ended the program are news to the user; those that they turned off are not.
    private static func report(_ records: [PluginRecord], _ log: LogOutput) {
        for record in records {
            switch record.state {
            case .loaded:
                guard let crash = record.pastCrash else { continue }
                log.write(.warning, record.id, crash.sentence(isLoaded: true))
            case .disabled, .skippedInSafeMode, .notChosen: continue
            case .refused(let refusal):
                log.write(.warning, record.id, "not loaded. \(refusal.sentence)")
            case .skippedAfterCrash(let crash):
                log.write(
                    .warning, record.id,
                    "\(crash.sentence(isLoaded: false)) To start with the program's own plugins alone, "
                        + "use “mailkernel --safe-mode”.")
            }
        }
    }
}
