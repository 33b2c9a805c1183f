import FoundationEssentials
import MailKernelAPI
import Network
import PluginHost
import Secrets
import Store

/// Creates the host services of each plugin.
package struct PluginServices: Sendable {
    private let folders: KernelFolders
    private let log: LogOutput
    private let network: Network
    private let secrets: SecretKeeper
    private let enteredHosts: EnteredHosts
    private let settings: [String: PluginSettings]
    private let dataFolder: URL?

    /// - Parameters:
    ///   - settings: by plugin, those of this start. They go before the ones in files.
    ///   - dataFolder: for a plugin that keeps other data than usual.
    package init(
        folders: KernelFolders, log: LogOutput, network: Network, secrets: SecretKeeper,
        enteredHosts: EnteredHosts, settings: [String: PluginSettings] = [:],
        dataFolder: URL? = nil
    ) {
        self.dataFolder = dataFolder
        self.settings = settings
        self.enteredHosts = enteredHosts
        self.folders = folders
        self.log = log
        self.network = network
        self.secrets = secrets
    }

    package func host(for manifest: PluginManifest) throws -> HostServices {
        for key in manifest.unknownKeys {
            log.write(.warning, manifest.id, "plugin.json has an unknown key “\(key)”")
        }
        let dataFolder = dataFolder ?? folders.dataFolder(of: manifest.id)
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
