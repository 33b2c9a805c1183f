import FoundationEssentials
import Glibc
import Kernel
import MailKernelAPI
import Network
import PluginHost
import Secrets
import Store

/// The options that every command has which loads plugins.
struct CommonOptions {
    let folders: KernelFolders
    /// `--demo`: the demo mailbox is meant, and not the user's own mail.
    let isDemo: Bool
    let log: LogOutput
    let secrets: SecretKeeper
    let network: Network
    let enteredHosts = EnteredHosts()
    private let pluginFolders: [URL]
    private let settings: [String: PluginSettings]
    /// The storage plugin that the user chose for this start.
    let storageID: String?
    private let isSafeMode: Bool

    init(_ arguments: inout Arguments) throws {
        isDemo = arguments.flag("--demo")
        folders = try Self.folders(&arguments, isDemo: isDemo)
        let level = try arguments.value("--log-level") ?? "warning"
        guard let least = PluginLog.Level.allCases.first(where: { "\($0)" == level }) else {
            throw UsageError("--log-level must be error, warning, info or debug, not “\(level)”.")
        }
        log = LogOutput(least: least)
        secrets = SecretKeeper(folder: folders.data, environment: ProcessInfo.processInfo.environment)
        network = Network(
            NetworkSettings(
                version: Installation.version, environment: ProcessInfo.processInfo.environment,
                moreCertificates: folders.moreCertificates),
            ledger: ConnectionLedger(folder: folders.connections))
        storageID = try arguments.value("--storage")
        isSafeMode = arguments.flag("--safe-mode")
        pluginFolders = try arguments.values("--plugins").map { URL(filePath: $0) }
        settings = try SettingOption.read(&arguments)
    }

    /// The folders, also for commands that load no plugins. Unless the user names one, the demo has its own
    /// data folder, so that it never mixes with real mail.
    static func folders(_ arguments: inout Arguments, isDemo: Bool) throws(UsageError) -> KernelFolders {
        let standard = KernelFolders.standard(environment: ProcessInfo.processInfo.environment)
        let demo = standard.data.deletingLastPathComponent().appending(path: "mailkernel-demo")
        return KernelFolders(
            data: try arguments.value("--data").map { URL(filePath: $0) } ?? (isDemo ? demo : standard.data),
            configuration: try arguments.value("--config").map { URL(filePath: $0) } ?? standard.configuration
        )
    }

    /// Finds and loads the plugins as a start does.
    func loadPlugins(unless isStopped: () -> Bool = { false }) throws -> [PluginRecord] {
        try load(try selection(), unless: isStopped)
    }

    /// Loads a storage plugin that was not chosen, beside the one that was.
    ///
    /// - Parameter dataFolder: nil for the plugin's own.
    func loadStorage(
        in folder: URL, _ id: String, dataFolder: URL? = nil, unless isStopped: () -> Bool
    ) throws -> [PluginRecord] {
        var selection = try selection()
        selection.folders = [folder]
        selection.storageID = id
        return try load(selection, dataFolder: dataFolder, unless: isStopped)
    }

    private func load(
        _ selection: PluginSelection, dataFolder: URL? = nil, unless isStopped: () -> Bool
    ) throws -> [PluginRecord] {
        try folders.create()
        let log = log
        let services = services(settings, dataFolder: dataFolder)
        let loader = PluginLoader(
            memoryFolder: folders.pluginMemory, watches: true,
            willLoad: { log.write(.info, "mailkernel", "loading \($0)") },
            cannotRemember: { log.write(.warning, "mailkernel", "\($0)") },
            makeHost: { try services.host(for: $0) })
        return try loader.load(selection, unless: isStopped).map(withAllowedHosts)
    }

    /// Creates the services of plugins. Settings of the command line go before those that are passed.
    func services(_ passed: [String: PluginSettings], dataFolder: URL? = nil) -> PluginServices {
        let merged = passed.merging(settings) { passed, given in
            PluginSettings(passed.values.merging(given.values) { $1 })
        }
        return PluginServices(
            folders: folders, log: log, network: network, secrets: secrets, enteredHosts: enteredHosts,
            settings: merged, dataFolder: dataFolder)
    }

    /// The storage plugin that the user chose for this start, or else for all starts.
    func chosenStorage() throws -> String? { try storageID ?? PluginPreferences(folders).storageID() }

    /// A plugin may contact the hosts of its manifest and those that the user adds.
    private func withAllowedHosts(_ record: PluginRecord) -> PluginRecord {
        guard var manifest = record.manifest,
            // Settings that cannot be read have kept the plugin from being loaded, and are reported there.
            let hosts = try? PluginPreferences(folders).hosts(of: record.id)
        else { return record }
        manifest.hosts += hosts
        return PluginRecord(
            folder: record.folder, id: record.id, manifest: manifest, state: record.state,
            pastCrash: record.pastCrash)
    }

    /// The user's own plugins, once there is a folder of them.
    private static var addedPlugins: [URL] {
        let folder = KernelFolders.addedPlugins(environment: ProcessInfo.processInfo.environment)
        return access(folder.path, F_OK) == 0 ? [folder] : []
    }

    private func selection() throws -> PluginSelection {
        let bundled = Installation.bundledPlugins
        var chosen = pluginFolders.isEmpty ? Self.addedPlugins : pluginFolders
        if pluginFolders.isEmpty || isSafeMode, let bundled { chosen.insert(bundled, at: 0) }
        guard !chosen.isEmpty else {
            throw UsageError("This program has no plugins of its own. Name a folder with --plugins.")
        }
        // The same folder under two names is one folder.
        var seen: Set<String> = []
        chosen = chosen.filter { seen.insert($0.resolvingSymlinksInPath().path).inserted }
        return PluginSelection(
            folders: chosen, disabledIDs: try PluginPreferences(folders).disabledIDs(),
            storageID: try chosenStorage(),
            safeModeFolder: isSafeMode ? bundled ?? URL(filePath: "/nonexistent") : nil)
    }
}
