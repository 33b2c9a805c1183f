public import MailKernelAPI

/// Everything that an account is, as values: where it is, how one signs in, and how it behaves.
public struct IMAPConfiguration: Sendable {
    public var imap: MailServer
    /// Nil for an account that only receives.
    public var submission: MailServer?
    /// The ManageSieve server, where the service keeps scripts; nil for none.
    public var scripts: MailServer?
    public var login: IMAPLogin
    public var behavior: IMAPBehavior
    /// What the ledger of connections says.
    public var purpose = "mail"

    public init(
        imap: MailServer, submission: MailServer?, login: IMAPLogin,
        behavior: IMAPBehavior = IMAPBehavior()
    ) {
        self.imap = imap
        self.submission = submission
        self.login = login
        self.behavior = behavior
    }

    var compresses: Bool {
        switch behavior.compression {
        case .always: true
        case .never: false
        // To one's own machine the way is shorter than the packing.
        case .automatic: !["localhost", "127.0.0.1", "::1"].contains(imap.endpoint.host)
        }
    }
}

public struct MailServer: Sendable, Hashable, Codable {
    public var endpoint: Endpoint
    public var security: TransportSecurity

    public init(_ host: String, port: Int, security: TransportSecurity = .tls) {
        endpoint = Endpoint(host: host, port: port)
        self.security = security
    }

    /// Reads `{"host": …, "port": …, "security": "tls" or "startTLS"}`, as settings have it; nil if it is
    /// something else. TLS from the start may be left out.
    public init?(_ value: JSONValue) {
        guard let host = value["host"]?.stringValue, !host.isEmpty,
            let port = value["port"]?.intValue, (1...65_535).contains(port),
            let security = TransportSecurity(rawValue: value["security"]?.stringValue ?? "tls")
        else { return nil }
        self.init(host, port: port, security: security)
    }

    /// The same, to be kept in settings.
    public var settings: JSONValue {
        [
            "host": .string(endpoint.host), "port": .number(Double(endpoint.port)),
            "security": .string(security.rawValue),
        ]
    }
}

extension PluginSettings {
    /// A server in the settings, as `MailServer` reads it.
    ///
    /// - Parameter usual: for settings without one. One that is no server is ignored, with a warning.
    public func mailServer(_ name: String, usual: MailServer, log: PluginLog) -> MailServer {
        guard let value = self[name] else { return usual }
        guard let server = MailServer(value) else {
            log.warning("The setting “\(public: name)” is not a mail server and is ignored.")
            return usual
        }
        return server
    }
}

/// How one signs in. Secrets are asked for at the moment they are needed, and not kept.
public enum IMAPLogin: Sendable {
    /// `token` gives a token that is valid now. It is called again with the token that the server
    /// refused, and then has to get a new one, or throw `.authenticationRequired`.
    case oauth(user: String, token: @Sendable (_ refused: Secret?) async throws(AccountError) -> Secret)
    case password(user: String, password: @Sendable () async throws(AccountError) -> Secret)

    /// With one token that is not renewed, for trying an account before it is added.
    public static func trial(user: String, token: Secret) -> IMAPLogin {
        .oauth(user: user) { refused throws(AccountError) in
            guard refused == nil else {
                throw .authenticationRequired(reason: "The mail server did not accept this sign-in.")
            }
            return token
        }
    }

    var user: String {
        switch self {
        case .oauth(let user, _), .password(let user, _): user
        }
    }
}

/// Server-specific behavior that the server does not report.
public struct IMAPBehavior: Sendable, Hashable {
    public enum Compression: Sendable, Hashable {
        case automatic, always, never
    }

    /// Capabilities that the server claims and that are not used, because they do not work there.
    public var ignoredCapabilities: Set<String> = []
    /// The service saves sent messages in Sent itself.
    public var savesSentCopies = false
    public var compression = Compression.automatic
    /// At once, the one that watches included.
    public var connections = 5
    /// Messages up to this many bytes are fetched as a whole; of larger ones only header and text.
    public var wholeMessageLimit = 128 * 1_024
    /// For a text, in transferred bytes. The rest stays on the server.
    public var textLimit = 10 * 1_024 * 1_024
    /// In the first batch of a feed, which the user waits for.
    public var firstBatch = 50
    public var batch = 400
    /// Of a mailbox with more messages than this, only the newest are looked at for the first batch: to look at the
    /// dates of all takes some servers seconds.
    public var largeMailbox: UInt32 = 10_000
    /// Of the messages of one batch together, about.
    public var batchBytes = 9 * 1_024 * 1_024
    /// After this many messages in a row, IDLE is restarted: Dovecot notifies clients half a minute late if
    /// its mailbox log was rotated since they started listening.
    public var longReading = 1_000
    /// Servers end an idle connection after 29 minutes.
    public var idleRenewal: Double = 25 * 60

    public init() {}
}
