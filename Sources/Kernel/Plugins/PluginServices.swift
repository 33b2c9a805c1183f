public import FoundationEssentials
public import MailKernelAPI
public import Network
public import PluginHost
public import Secrets

/// Creates the host services of each plugin.
public struct PluginServices: Sendable {
    private let folders: KernelFolders
    private let log: LogOutput
    private let network: Network
    private let secrets: SecretKeeper
    private let enteredHosts: EnteredHosts
    private let settings: [String: PluginSettings]

    /// - Parameter settings: by plugin, those of this start. They go before the ones in files.
    public init(
        folders: KernelFolders, log: LogOutput, network: Network, secrets: SecretKeeper,
        enteredHosts: EnteredHosts, settings: [String: PluginSettings] = [:]
    ) {
        self.settings = settings
        self.enteredHosts = enteredHosts
        self.folders = folders
        self.log = log
        self.network = network
        self.secrets = secrets
    }

    public func host(for manifest: PluginManifest) throws -> HostServices {
        for key in manifest.unknownKeys {
            log.write(.warning, manifest.id, "plugin.json has an unknown key “\(key)”")
        }
        let dataFolder = folders.dataFolder(of: manifest.id)
        try KernelFolders.makePrivate(dataFolder)
        let preferences = PluginPreferences(folders)
        let inFile = try preferences.settings(of: manifest.id).values
        return HostServices(
            pluginID: manifest.id,
            log: log.pluginLog(manifest.id),
            settings: PluginSettings(
                inFile.merging(settings[manifest.id]?.values ?? [:], uniquingKeysWith: { $1 })),
            secrets: secrets.drawer(of: .plugin(manifest.id)),
            dataFolder: dataFolder,
            clock: WallClock(),
            network: network.access(
                for: manifest.id, hosts: manifest.hosts + (try preferences.hosts(of: manifest.id)),
                entered: enteredHosts)
        )
    }
}

/// The system's clock.
public struct WallClock: HostClock {
    /// Longer than the program runs. A time without end cannot be counted.
    private static let longest = 1e9

    public init() {}

    public var now: Date { Date() }

    public func sleep(for seconds: Double) async throws(CancellationError) {
        let time = seconds.isNaN ? 0 : min(max(0, seconds), Self.longest)
        do {
            try await Task.sleep(for: .seconds(time))
        } catch {
            throw CancellationError()
        }
    }
}

/// Stands where there is nothing to keep secrets in.
public struct AbsentSecrets: SecretStore {
    public init() {}

    private static let error = SecretError.unavailable(reason: "No secret store is available.")

    public func secret(named name: String) throws(SecretError) -> Secret? { throw Self.error }
    public func store(_ secret: Secret, named name: String) throws(SecretError) { throw Self.error }
    public func removeSecret(named name: String) throws(SecretError) { throw Self.error }
}
