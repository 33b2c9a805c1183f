import FoundationEssentials
import MailKernelAPI
import Store

/// The program around the kernel, as far as the kernel reaches into it.
package struct ProgramAccess: Sendable {
    package typealias StoreTrial =
        @Sendable (
            _ folder: URL, _ pluginID: String, _ settings: PluginSettings, _ secrets: [String: Secret]
        ) async -> String?

    package var version: String
    /// What the build noted of the program; nil if it noted nothing.
    package var facts: URL?
    /// Nil where there are none, as in tests.
    package var folders: KernelFolders?
    /// The user's downloads folder.
    package var downloads: URL?
    /// Forgets every secret there is.
    package var removeSecrets: @Sendable () async throws -> Void
    /// Opens and closes the store of the plugin in a folder, with settings and secrets that are not saved. Returns a
    /// sentence if that fails. Nil where another store cannot be chosen, as with `--storage`.
    package var tryStore: StoreTrial?
    /// Whether a vault is opened when the program starts, before the store is.
    package var opensVault: Bool
    /// Restarts the program soon after this returns; nil if that is not possible.
    package var restart: (@Sendable () -> Void)?
    /// Opens the page, with a conversation on it where one is given; nil if there is none to open.
    package var openPage: (@Sendable ((accountID: Id<Account>, threadID: Id<EmailThread>)?) -> Void)?
    /// Yields each time the user's screen locks or the computer goes to sleep.
    package var screenLocks: @Sendable () -> AsyncStream<Void>

    package init(
        version: String = "", facts: URL? = nil, folders: KernelFolders? = nil, downloads: URL? = nil,
        removeSecrets: @escaping @Sendable () async throws -> Void = {},
        tryStore: StoreTrial? = nil, opensVault: Bool = false,
        restart: (@Sendable () -> Void)? = nil,
        openPage: (@Sendable ((accountID: Id<Account>, threadID: Id<EmailThread>)?) -> Void)? = nil,
        screenLocks: @escaping @Sendable () -> AsyncStream<Void> = { AsyncStream { $0.finish() } }
    ) {
        self.version = version
        self.facts = facts
        self.folders = folders
        self.downloads = downloads
        self.removeSecrets = removeSecrets
        self.tryStore = tryStore
        self.opensVault = opensVault
        self.restart = restart
        self.openPage = openPage
        self.screenLocks = screenLocks
    }
}
