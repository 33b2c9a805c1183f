import Care
import Dispatch
import FoundationEssentials
import Kernel
import MailKernelAPI
import PluginHost
import Store

/// Opens a store with settings that are not saved yet, and closes it again.
struct StoreTrial: Sendable {
    let memoryFolder: URL
    /// The services that plugins get, with these settings before the ones in files.
    let services: @Sendable ([String: PluginSettings]) -> PluginServices

    /// - Returns: a sentence if the store cannot be used.
    func run(
        _ folder: URL, _ id: String, _ settings: PluginSettings, _ secrets: [String: Secret]
    ) async -> String? {
        let loaded = await withCheckedContinuation { continuation in
            // Loading waits for the plugin, on a thread of its own.
            DispatchQueue.global().async {
                continuation.resume(returning: load(folder, id, settings, secrets))
            }
        }
        guard let store = loaded.store else { return loaded.problem }
        var problem: String?
        do throws(StorageError) {
            _ = try await store.open()
        } catch {
            problem = error.sentence
        }
        await store.close()
        return problem
    }

    private func load(
        _ folder: URL, _ id: String, _ settings: PluginSettings, _ secrets: [String: Secret]
    ) -> (store: MailStore?, problem: String) {
        let services = services([id: settings])
        let loader = PluginLoader(
            memoryFolder: memoryFolder, makeHost: { try services.host(for: $0).trying(secrets) })
        do {
            let records = try loader.load(PluginSelection(folders: [folder], storageID: id))
            if let chosen = try? StorageChoice.choose(from: records, id: id) { return (chosen.store, "") }
            guard let record = records.first else { return (nil, "The plugin is no longer there.") }
            if case .refused(.factoryThrew(let why)) = record.state {
                return (nil, why.prefix(1).uppercased() + why.dropFirst())
            }
            return (nil, PluginListing(record).reason)
        } catch {
            return (nil, "\(error)")
        }
    }
}

extension CommonOptions {
    /// Tries other stores; nil where the command line names the store, because a restart uses that one again.
    var storeTrial: ProgramAccess.StoreTrial? {
        guard storageID == nil else { return nil }
        let trial = StoreTrial(memoryFolder: folders.pluginMemory) { self.services($0) }
        return { await trial.run($0, $1, $2, $3) }
    }
}

extension HostServices {
    fileprivate func trying(_ secrets: [String: Secret]) -> HostServices {
        HostServices(
            pluginID: pluginID, log: log, settings: settings,
            secrets: EnteredSecrets(entered: secrets, saved: self.secrets), dataFolder: dataFolder,
            clock: clock,
            network: network)
    }
}

/// Secrets that the user entered, over those that are saved. Nothing is written.
private struct EnteredSecrets: SecretStore {
    let entered: [String: Secret]
    let saved: any SecretStore

    func secret(named name: String) async throws(SecretError) -> Secret? {
        if let secret = entered[name] { return secret }
        return try await saved.secret(named: name)
    }

    func store(_ secret: Secret, named name: String) throws(SecretError) { throw Self.trial }

    func removeSecret(named name: String) throws(SecretError) { throw Self.trial }

    private static var trial: SecretError { .unavailable(reason: "the store is only being tried") }
}
