public import FoundationEssentials
public import MailKernelAPI

/// How the server is set up.
public struct LocalServerConfiguration: Sendable {
    public enum Port: Sendable, Hashable {
        /// The last port if it is free, so that an open page works after a restart; otherwise any.
        case any
        case number(Int)
    }

    public var port = Port.any
    /// Nil for no TLS.
    public var tlsPort: Port? = .any
    /// A private folder, for sessions, start links and the certificate authority.
    public var data: URL
    /// The folder with the tokens.
    public var configuration: URL
    /// The folder with the page's files; nil, or not there, if this build has no page.
    public var page: URL?
    public var log: PluginLog
    var addresses = ["127.0.0.1", "::1"]
    /// Certificates are for 90 days; a program that runs longer makes another in time.
    var certificateRenewal = Duration.seconds(30 * 24 * 3600)
    var limits = ConnectionWatch.Limits()
    var sockets = WebSocketLimits()
    /// How many requests of one client wait while as many as allowed are answered.
    var mostWaiting = 256
    /// Half of what the first wrong secret waits for its answer; later ones wait longer.
    var slowdown = Duration.milliseconds(100)

    public init(data: URL, configuration: URL, page: URL?, log: PluginLog) {
        self.data = data
        self.configuration = configuration
        self.page = page
        self.log = log
    }
}
