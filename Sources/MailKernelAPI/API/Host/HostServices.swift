public import FoundationEssentials

/// Everything that the kernel provides to a plugin. Use nothing else: no environment variables, no files
/// outside `dataFolder`, no connection except through `network`.
public struct HostServices: Sendable {
    /// The `id` in the plugin's manifest.
    public let pluginID: String
    /// The program's log, under the plugin's name. Interpolated text is masked unless marked as public.
    public let log: PluginLog
    /// The user's settings for this plugin, as read when the program started.
    public let settings: PluginSettings
    /// The plugin's own part of the secret store. It cannot see other plugins' secrets. An account's secrets
    /// are passed to `AccountProvider.session` instead.
    public let secrets: any SecretStore
    /// A folder for the plugin's own files. It exists, with mode 0700, and is deleted when the user wipes all
    /// data.
    public let dataFolder: URL
    /// The only source of time for a plugin. Tests set and move it.
    public let clock: any HostClock
    /// The only way to connect to other computers.
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

/// The current time, and a way to wait for a later one.
public protocol HostClock: Sendable {
    /// The current time. It can jump in both directions when the user or the network sets the computer's
    /// clock.
    var now: Date { get }

    /// Waits for some seconds. Throws `CancellationError` as soon as the task is canceled.
    func sleep(for seconds: Double) async throws(CancellationError)

    /// Waits until `date`, or returns at once if it has passed. Throws like `sleep(for:)`.
    func sleep(until date: Date) async throws(CancellationError)
}

extension HostClock {
    public func sleep(until date: Date) async throws(CancellationError) {
        try await sleep(for: max(0, date.timeIntervalSince(now)))
    }
}
