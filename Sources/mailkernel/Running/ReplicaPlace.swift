import Care
import MailKernelAPI
import PluginHost
import Store

/// The copy on this device of a store on a server: in a folder of its own, kept by the first other storage plugin that
/// keeps its data on this device.
struct ReplicaPlace {
    private let records: [PluginRecord]
    private let options: CommonOptions
    private let signals: StopSignals

    init(_ records: [PluginRecord], _ options: CommonOptions, _ signals: StopSignals) {
        (self.records, self.options, self.signals) = (records, options, signals)
    }

    /// Opens it beside the store. If there is none, the program works without, and the log says why.
    func open(for store: MailStore) async -> MailStore? {
        guard case .server = store.place else { return nil }
        do {
            return try await open()
        } catch {
            warn(error)
            return nil
        }
    }

    /// The copy, if the server does not respond and the copy has had everything once.
    func standIn(for store: MailStore, _ error: StorageError) async -> MailStore? {
        guard case .unreachable(let reason) = error, case .server(let name) = store.place else { return nil }
        do {
            guard let copy = try await open() else { return nil }
            guard try await Replica.isComplete(copy) else {
                await copy.close()
                return nil
            }
            options.log.write(
                .warning, "mailkernel",
                "The store on \(name) does not respond: \(reason). mailkernel works with the copy on this computer."
            )
            return copy.standingIn(for: name)
        } catch {
            warn(error)
            return nil
        }
    }

    private func open() async throws -> MailStore? {
        for record in candidates {
            guard let id = record.manifest?.id else { continue }
            let folder = options.folders.replica.appending(path: id)
            let found = try options.loadStorage(
                in: record.folder, id, dataFolder: folder, unless: signals.check)
            guard let copy = try? StorageChoice.choose(from: found, id: id).store, copy.place == .device
            else {
                continue
            }
            let opening = try await copy.open()
            // What survived damage is compared with the store again.
            if case .recovered = opening { try await Replica.reset(copy) }
            return copy
        }
        return nil
    }

    private var candidates: [PluginRecord] {
        records.filter { if case .notChosen = $0.state { $0.manifest?.kind == .storage } else { false } }
            .sorted { $0.id < $1.id }
    }

    private func warn(_ error: any Error) {
        options.log.write(
            .warning, "mailkernel", "The copy of the store on this computer cannot be used. \(error.logged)")
    }
}
