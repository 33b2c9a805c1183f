import CCurl
import COpenSSL
public import FoundationEssentials
public import MailKernelAPI
import Synchronization

/// The only code that opens connections.
///
/// Each plugin gets its own `PluginNetwork`, which reaches only the hosts of its manifest and shares no
/// connections with other plugins. One thread serves all sockets, and every connection is recorded in the
/// ledger.
public final class Network: Sendable {
    public let ledger: ConnectionLedger
    private let loop = LoopThread()
    private let trust: TrustStore
    private let settings: NetworkSettings
    private let patience: Patience
    private let pools = Mutex<[WeakPool]>([])

    private struct WeakPool: Sendable {
        weak let pool: CurlPool?
    }

    /// Both are initialized once, before one of our threads uses them.
    private static let libraries: Void = {
        _ = copenssl_start()
        curl_global_init(Int(CURL_GLOBAL_ALL))
    }()

    public convenience init(_ settings: NetworkSettings, ledger: ConnectionLedger) {
        self.init(settings, ledger: ledger, patience: Patience())
    }

    init(_ settings: NetworkSettings, ledger: ConnectionLedger, patience: Patience) {
        Self.libraries
        self.settings = settings
        self.ledger = ledger
        self.patience = patience
        trust = TrustStore(system: settings.systemCertificates, additional: settings.moreCertificates)
    }

    /// Network access for a plugin.
    ///
    /// - Parameters:
    ///   - hosts: those of its manifest, each a name, `*.name` or `*`.
    ///   - entered: the hosts for `*`; all hosts if nil.
    ///   - addresses: the allowed addresses.
    ///   - followsRedirects: otherwise a redirect is an answer like any other.
    public func access(
        for pluginID: String, hosts: [String], entered: EnteredHosts? = nil, addresses: AddressRules = .any,
        followsRedirects: Bool = true
    ) -> any PluginNetwork {
        let pool = CurlPool(
            plugin: pluginID, loop: loop, ledger: ledger, trust: trust,
            agent: "mailkernel/\(settings.version)", patience: patience, addresses: addresses)
        pools.withLock { pools in
            pools.removeAll { $0.pool == nil }
            pools.append(WeakPool(pool: pool))
        }
        let rules = HostRules(hosts) { entered?.allows($0, for: pluginID) ?? true }
        return PluginAccess(
            hosts: rules,
            requests: RequestRunner(
                pool: pool, hosts: rules, addresses: addresses, proxies: settings.proxies, patience: patience,
                followsRedirects: followsRedirects),
            streams: StreamOpener(
                pool: pool, loop: loop, trust: trust, ledger: ledger, proxies: settings.proxies,
                patience: patience))
    }

    /// Looks up names in the DNS for the kernel; nil if a proxy is set, because look-ups would go past it, unless
    /// the user named a DNS server.
    public func names(for user: String) -> (any NameLookup)? {
        guard settings.nameServer != nil || !settings.proxies.areSet else { return nil }
        return SystemNames(user: user, ledger: ledger, servers: settings.nameServer.map { [$0] })
    }

    /// Cancels pending requests and closes idle connections, so that the ledger records their ends. Streams
    /// are closed by their owners.
    public func close() async {
        for pool in pools.withLock({ $0.compactMap(\.pool) }) { await pool.close() }
    }
}

/// How the program connects.
public struct NetworkSettings: Sendable {
    /// The program's version, sent to servers.
    public var version: String
    public var proxies: Proxies
    /// A file of certificates to trust instead of the system's.
    public var systemCertificates: URL?
    /// A file of certificates to trust as well; it need not be there.
    public var moreCertificates: URL?
    /// The DNS server to ask instead of the system's.
    public var nameServer: NameServer?

    public init(
        version: String, proxies: Proxies = .none, systemCertificates: URL? = nil,
        moreCertificates: URL? = nil, nameServer: NameServer? = nil
    ) {
        self.nameServer = nameServer
        self.version = version
        self.proxies = proxies
        self.systemCertificates = systemCertificates
        self.moreCertificates = moreCertificates
    }

    /// Takes proxies, `SSL_CERT_FILE` and `MAILKERNEL_NAME_SERVER` from the environment.
    public init(version: String, environment: [String: String], moreCertificates: URL?) {
        let file = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : URL(filePath: $0) }
        self.init(
            version: version, proxies: Proxies(environment: environment), systemCertificates: file,
            moreCertificates: moreCertificates,
            nameServer: environment["MAILKERNEL_NAME_SERVER"].flatMap { NameServer($0) })
    }
}
