public import FoundationEssentials

/// Everything that the kernel lends a plugin. A plugin reaches for nothing else: no environment
/// variables, no files outside `dataFolder`, no connection but through `network`.
public struct HostServices: Sendable {
    /// The `id` of the plugin's manifest.
    public let pluginID: String
    /// Writes to the program's log. Private data is masked unless marked as public.
    public let log: PluginLog
    /// What the user set for this plugin, as it was when the program started.
    public let settings: PluginSettings
    /// The plugin's own drawer in the secret store; it cannot see anybody else's.
    public let secrets: any SecretStore
    /// A folder of the plugin's own, mode 0700, that exists. It goes when the user wipes all data.
    public let dataFolder: URL
    /// The time. Never ask the system for it: tests move this clock.
    public let clock: any HostClock
    /// The only way out of this machine.
    public let network: any PluginNetwork

    public init(
        pluginID: String, log: PluginLog, settings: PluginSettings, secrets: any SecretStore,
        dataFolder: URL, clock: any HostClock, network: any PluginNetwork
    ) {
        self.pluginID = pluginID
        self.log = log
        self.settings = settings
        self.secrets = secrets
        self.dataFolder = dataFolder
        self.clock = clock
        self.network = network
    }
}

/// The clock on the wall, and a way to wait for it.
public protocol HostClock: Sendable {
    var now: Date { get }

    /// Waits. Throws `CancellationError` as soon as the task is cancelled.
    func sleep(for seconds: Double) async throws(CancellationError)

    /// Waits until a moment, which may be over already. Throws as `sleep(for:)` does.
    func sleep(until date: Date) async throws(CancellationError)
}

extension HostClock {
    public func sleep(until date: Date) async throws(CancellationError) {
        try await sleep(for: max(0, date.timeIntervalSince(now)))
    }
}
