import FoundationEssentials
import MailKernelAPI
import Store

/// The program around the kernel, as far as the kernel reaches into it.
package struct ProgramAccess: Sendable {
    package var version: String
    /// What the build noted of the program; nil if it noted nothing.
    package var facts: URL?
    /// Nil where there are none, as in tests.
    package var folders: KernelFolders?
    /// The user's downloads folder.
    package var downloads: URL?
    /// Forgets every secret there is.
    package var removeSecrets: @Sendable () async throws -> Void
    /// Restarts the program soon after this returns; nil if that is not possible.
    package var restart: (@Sendable () -> Void)?
    /// Opens the page, with a conversation on it where one is given; nil if there is none to open.
    package var openPage: (@Sendable ((accountID: Id<Account>, threadID: Id<EmailThread>)?) -> Void)?
    /// Yields each time the user's screen locks or the computer goes to sleep.
    package var screenLocks: @Sendable () -> AsyncStream<Void>

    package init(
        version: String = "", facts: URL? = nil, folders: KernelFolders? = nil, downloads: URL? = nil,
        removeSecrets: @escaping @Sendable () async throws -> Void = {},
        restart: (@Sendable () -> Void)? = nil,
        openPage: (@Sendable ((accountID: Id<Account>, threadID: Id<EmailThread>)?) -> Void)? = nil,
        screenLocks: @escaping @Sendable () -> AsyncStream<Void> = { AsyncStream { $0.finish() } }
    ) {
        self.version = version
        self.facts = facts
        self.folders = folders
        self.downloads = downloads
        self.removeSecrets = removeSecrets
        self.restart = restart
        self.openPage = openPage
        self.screenLocks = screenLocks
    }
}
