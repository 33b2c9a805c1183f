public import FoundationEssentials
public import MailKernelAPI
public import Network
public import PluginHost
public import Secrets

/// Makes what each plugin is lent.
public struct PluginServices: Sendable {
    private let folders: KernelFolders
    private let log: LogOutput
    private let network: Network
    private let secrets: SecretKeeper
    private let enteredHosts: EnteredHosts

    public init(
        folders: KernelFolders, log: LogOutput, network: Network, secrets: SecretKeeper,
        enteredHosts: EnteredHosts
    ) {
        self.enteredHosts = enteredHosts
        self.folders = folders
        self.log = log
        self.network = network
        self.secrets = secrets
    }

    public func host(for manifest: PluginManifest) throws -> HostServices {
        for key in manifest.unknownKeys {
            log.write(.warning, manifest.id, "plugin.json has the key “\(key)”, which means nothing here")
        }
        let dataFolder = folders.dataFolder(of: manifest.id)
        try KernelFolders.makePrivate(dataFolder)
        let preferences = PluginPreferences(folders)
        return HostServices(
            pluginID: manifest.id,
            log: log.pluginLog(manifest.id),
            settings: try preferences.settings(of: manifest.id),
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
    public init() {}

    public var now: Date { Date() }

    public func sleep(for seconds: Double) async throws(CancellationError) {
        do {
            try await Task.sleep(for: .seconds(seconds))
        } catch {
            throw CancellationError()
        }
    }
}

/// Stands where there is nothing to keep secrets in.
public struct AbsentSecrets: SecretStore {
    public init() {}

    private static let error = SecretError.unavailable(reason: "There is no secret store here.")

    public func secret(named name: String) throws(SecretError) -> Secret? { throw Self.error }
    public func store(_ secret: Secret, named name: String) throws(SecretError) { throw Self.error }
    public func removeSecret(named name: String) throws(SecretError) { throw Self.error }
}
