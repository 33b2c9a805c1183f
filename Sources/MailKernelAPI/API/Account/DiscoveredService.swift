public import FoundationEssentials

/// A mail service that a provider knows without asking any server.
public struct KnownService: Sendable, Hashable, Codable {
    /// Identifies the service within the setup; comes back in `DiscoveredService.knownID`.
    public var id: String
    /// The name of the service in sentences: "Fastmail".
    public var name: String
    /// The domains of its addresses, in lower case: `gmail.com`. Empty if all its customers have their own.
    public var domains: [String]
    /// The names of its mail exchangers, in lower case: an address whose domain delivers mail to one of these
    /// names, or to a name below one, is at this service.
    public var mailHosts: [String]
    /// Where its mail is read; nil if the user need not know.
    public var incoming: DiscoveredServer?
    /// Where its mail is sent; nil if the user need not know.
    public var submission: DiscoveredServer?
    /// Why accounts of this service cannot be added, as sentences for the user; empty if they can be.
    public var refusal: String

    public init(
        id: String, name: String, domains: [String] = [], mailHosts: [String] = [],
        incoming: DiscoveredServer? = nil, submission: DiscoveredServer? = nil, refusal: String = ""
    ) {
        self.id = id
        self.name = name
        self.domains = domains
        self.mailHosts = mailHosts
        self.incoming = incoming
        self.submission = submission
        self.refusal = refusal
    }
}

/// A protocol that an account is read through.
public enum MailProtocol: String, Sendable, Hashable, Codable, CaseIterable {
    /// IMAP for reading and SMTP for sending.
    case imap
    /// JMAP for both.
    case jmap
}

/// A server of a discovered service.
public struct DiscoveredServer: Sendable, Hashable, Codable {
    /// Its host, in lower case, and port.
    public var endpoint: Endpoint
    /// When the connection becomes encrypted.
    public var security: TransportSecurity

    /// A server with TLS from the first byte, unless `security` says otherwise.
    public init(_ host: String, port: Int, security: TransportSecurity = .tls) {
        endpoint = Endpoint(host: host, port: port)
        self.security = security
    }
}

/// What the kernel found out about the mail service of an address. The user has seen its hosts.
///
/// The kernel permits the plugin to connect to these hosts during the sign-in, and the added account
/// afterwards. They come from strangers: verify certificates as always.
public struct DiscoveredService: Sendable, Hashable, Codable {
    /// A way to sign in there.
    public enum Authentication: Sendable, Hashable, Codable {
        /// With a password.
        case password
        /// OAuth, with the metadata of this issuer (RFC 8414).
        case oauth(issuer: URL)
    }

    /// The address that the user typed.
    public var address: String
    /// The name to sign in with; usually the address.
    public var userName: String
    /// The `KnownService.id` that the address belongs to; nil for a service that was found by asking.
    public var knownID: String?
    /// The IMAP server; nil if none was found.
    public var incoming: DiscoveredServer?
    /// The SMTP server; nil if none was found.
    public var submission: DiscoveredServer?
    /// The address of the JMAP session resource, https; nil if none was found.
    public var jmap: URL?
    /// The ways to sign in, the best first; empty if unknown.
    public var authentication: [Authentication]
    /// The name of the service, or the domain that named the servers: "Fastmail", "example.org".
    public var source: String
    /// Whether the user wants to change what was found: begin with a form of the servers, filled with these.
    public var isToBeChanged: Bool

    public init(
        address: String, userName: String? = nil, knownID: String? = nil, incoming: DiscoveredServer? = nil,
        submission: DiscoveredServer? = nil, jmap: URL? = nil, authentication: [Authentication] = [],
        source: String = "", isToBeChanged: Bool = false
    ) {
        self.isToBeChanged = isToBeChanged
        self.address = address
        self.userName = userName ?? address
        self.knownID = knownID
        self.incoming = incoming
        self.submission = submission
        self.jmap = jmap
        self.authentication = authentication
        self.source = source
    }
}
