import CCurl
import COpenSSL
public import FoundationEssentials
public import MailKernelAPI
import Synchronization

/// The one room that opens connections.
///
/// Each plugin gets a `PluginNetwork` of its own: it reaches the hosts of its manifest alone, and no other
/// plugin uses its connections. All sockets are served by one thread, and every connection stands in the
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

    /// Both are begun once, before a thread of ours uses them.
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

    /// What a plugin is lent.
    ///
    /// - Parameters:
    ///   - hosts: those of its manifest, each a name, `*.name` or `*`.
    ///   - entered: what `*` stands for; every host if it is nil.
    ///   - addresses: where the connections may lead.
    public func access(
        for pluginID: String, hosts: [String], entered: EnteredHosts? = nil, addresses: AddressRules = .any
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
                pool: pool, hosts: rules, addresses: addresses, proxies: settings.proxies, patience: patience),
            streams: StreamOpener(
                pool: pool, loop: loop, trust: trust, ledger: ledger, proxies: settings.proxies,
                patience: patience))
    }

    /// Ends the requests that are under way and closes the connections that are kept for more, so that the
    /// ledger has their ends. Streams are closed by those who opened them.
    public func close() async {
        for pool in pools.withLock({ $0.compactMap(\.pool) }) { await pool.close() }
    }
}

/// How the program connects.
public struct NetworkSettings: Sendable {
    /// The program's version, which servers are told.
    public var version: String
    public var proxies: Proxies
    /// A file of certificates to trust instead of the system's.
    public var systemCertificates: URL?
    /// A file of certificates to trust as well; it need not be there.
    public var moreCertificates: URL?

    public init(
        version: String, proxies: Proxies = .none, systemCertificates: URL? = nil,
        moreCertificates: URL? = nil
    ) {
        self.version = version
        self.proxies = proxies
        self.systemCertificates = systemCertificates
        self.moreCertificates = moreCertificates
    }

    /// Takes proxies and `SSL_CERT_FILE` from the environment.
    public init(version: String, environment: [String: String], moreCertificates: URL?) {
        let file = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : URL(filePath: $0) }
        self.init(
            version: version, proxies: Proxies(environment: environment), systemCertificates: file,
            moreCertificates: moreCertificates)
    }
}
