public import FoundationEssentials
public import MailKernelAPI

/// The program around the kernel, as far as the kernel reaches into it.
public struct ProgramAccess: Sendable {
    public var version: String
    /// What the build noted of the program; nil if it noted nothing.
    public var facts: URL?
    /// Nil where there are none, as in tests.
    public var folders: KernelFolders?
    /// The user's downloads folder.
    public var downloads: URL?
    /// Forgets every secret there is.
    public var removeSecrets: @Sendable () async throws -> Void
    /// Restarts the program soon after this returns; nil if that is not possible.
    public var restart: (@Sendable () -> Void)?
    /// Opens the page, with a conversation on it where one is given; nil if there is none to open.
    public var openPage: (@Sendable ((accountID: Id<Account>, threadID: Id<EmailThread>)?) -> Void)?
    /// Yields each time the user's screen locks or the computer goes to sleep.
    public var screenLocks: @Sendable () -> AsyncStream<Void>

    public init(
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
