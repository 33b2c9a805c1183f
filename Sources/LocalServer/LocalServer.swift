public import FoundationEssentials
import Glibc
public import JMAP
import MailKernelAPI
import Synchronization

/// Offers JMAP and the page on this computer, to this computer alone.
///
/// The page is on plain HTTP, which browsers treat as secure on loopback. Other mail programs can use the same
/// port, or one with TLS, whose certificate comes from an authority made for this installation.
public final class LocalServer: Sendable {
    /// Where the page is: `http://127.0.0.1:PORT/`.
    public let pageURL: String
    /// Where other mail programs find JMAP with TLS; nil without it.
    public let tlsURL: String?
    private let links: StartLinks
    private let daemons: Mutex<[HTTPDaemon]>
    private let watch: ConnectionWatch
    private let isStopped = Atomic(false)
    private let authority: LocalAuthority
    private let log: PluginLog
    private let renewal = Mutex<Task<Void, Never>?>(nil)
    private let noting = Mutex<Task<Void, Never>?>(nil)

    /// Begins to listen.
    ///
    /// - Throws: a sentence for the user, and nothing listens then.
    public init(_ configuration: LocalServerConfiguration, service: any JMAPService) throws(LocalServerError)
    {
        let memory = ServerMemory(folder: configuration.data)
        authority = LocalAuthority(folder: configuration.data)
        log = configuration.log
        let sockets = try memory.open(configuration.port, on: configuration.addresses, last: \.http)
        let tlsSockets: [LoopbackSocket]
        let certificate: (key: String, certificate: String)?
        do {
            certificate = configuration.tlsPort == nil ? nil : try Self.certificate(authority, log)
            if certificate != nil, let port = configuration.tlsPort {
                tlsSockets = try memory.open(port, on: configuration.addresses, last: \.https)
            } else {
                tlsSockets = []
            }
        } catch {
            for socket in sockets { socket.close() }
            throw error
        }
        watch = try ConnectionWatch(configuration.limits)
        links = StartLinks(folder: configuration.data)
        let router = Router(configuration, service, links)
        let started = try Self.start(sockets + tlsSockets, watch) { socket in
            HTTPDaemon.Settings(
                connectionLimit: configuration.limits.connections,
                tls: tlsSockets.contains { $0.descriptor == socket.descriptor } ? certificate : nil,
                admit: router.admit, headers: PageHeaders.all,
                log: { [log = configuration.log] line in log.info("http: \(public: line)") })
        }
        daemons = Mutex(started)
        pageURL = "http://127.0.0.1:\(sockets[0].port)/"
        tlsURL = tlsSockets.first.map { "https://localhost:\($0.port)/" }
        remember(in: memory, ServerMemory.Ports(http: sockets.first?.port, https: tlsSockets.first?.port))
        if tlsURL != nil { renewCertificate(every: configuration.certificateRenewal) }
    }

    /// Nil where it cannot be written, as on a full disk: the page needs none.
    private static func certificate(
        _ authority: LocalAuthority, _ log: PluginLog
    ) throws(LocalServerError) -> (key: String, certificate: String)? {
        do {
            return try authority.makeLeaf()
        } catch {
            guard case .certificate = error else { throw error }
            log.warning("\(public: error.description)")
            return nil
        }
    }

    /// Authenticated clients still get access if this cannot be written, for example on a full disk.
    private func remember(in memory: ServerMemory, _ ports: ServerMemory.Ports) {
        do {
            try links.begin(page: pageURL)
            try memory.save(ports)
        } catch {
            log.warning("\(public: error.description)")
            rememberLater(in: memory, ports)
        }
    }

    /// The program's commands find it as soon as there is room.
    private func rememberLater(in memory: ServerMemory, _ ports: ServerMemory.Ports) {
        let task = Task { [links] in
            while (try? await Task.sleep(for: .seconds(5))) != nil {
                do {
                    try links.note()
                    return try memory.save(ports)
                } catch {
                    continue
                }
            }
        }
        noting.withLock { $0 = task }
    }

    /// A link that opens the page, once, within ten minutes.
    public func startLink() throws(LocalServerError) -> String {
        try links.make() ?? pageURL
    }

    /// The session resources of the running program, or of the last time: with TLS first.
    public static func lastPlaces(folder: URL) -> [String] {
        let ports = ServerMemory(folder: folder).last
        return [ports.https.map { "https://localhost:\($0)" }, ports.http.map { "http://localhost:\($0)" }]
            .compactMap { $0.map { $0 + "/.well-known/jmap" } }
    }

    /// Ends event streams, lets answers under way finish for two seconds, and closes all connections.
    public func stop() async {
        guard !isStopped.exchange(true, ordering: .relaxed) else { return }
        let renewal = renewal.withLock { $0.take() }
        renewal?.cancel()
        await renewal?.value
        let noting = noting.withLock { $0.take() }
        noting?.cancel()
        await noting?.value
        try? links.end()
        let daemons = daemons.withLock { $0 }
        for daemon in daemons { daemon.quiesce() }
        // Threads are waited for, which tasks must not do.
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            OwnThread.start { [watch] in
                Self.end(daemons, watch, patience: watch.limits.stopping)
                done.resume()
            }
        }
    }

    private static func start(
        _ sockets: [LoopbackSocket], _ watch: ConnectionWatch,
        _ settings: (LoopbackSocket) -> HTTPDaemon.Settings
    ) throws(LocalServerError) -> [HTTPDaemon] {
        var daemons: [HTTPDaemon] = []
        for (index, socket) in sockets.enumerated() {
            do {
                daemons.append(try HTTPDaemon(socket, watch, settings(socket)))
            } catch {
                for other in sockets[(index + 1)...] { other.close() }
                end(daemons, watch, patience: .zero)
                throw error
            }
        }
        return daemons
    }

    private static func end(_ daemons: [HTTPDaemon], _ watch: ConnectionWatch, patience: Duration) {
        for daemon in daemons { daemon.quiesce() }
        watch.closeWaiting()
        let limit = ContinuousClock.now + patience
        for daemon in daemons { daemon.stop(patienceUntil: limit) }
        watch.stop()
    }
}

// MARK: A new certificate

extension LocalServer {
    private func renewCertificate(every pause: Duration) {
        let task = Task { [weak self] in
            while (try? await Task.sleep(for: pause)) != nil, let self {
                do {
                    try await self.renewCertificate()
                } catch {
                    self.log.error("The certificate could not be renewed: \(public: "\(error)")")
                }
            }
        }
        renewal.withLock { $0 = task }
    }

    /// Gives new connections a new certificate. Existing connections end when they are idle, and their
    /// clients reconnect.
    ///
    /// - Parameter grace: time for connections that are just being made.
    func renewCertificate(grace: Duration = .seconds(15)) async throws(LocalServerError) {
        let leaf = try authority.makeLeaf()
        for old in daemons.withLock({ $0 }) where old.listener.isTLS {
            let new = try old.successor(tls: leaf)
            daemons.withLock { daemons in daemons = daemons.map { $0 === old ? new : $0 } }
            old.acceptNoMore()
            await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
                OwnThread.start {
                    let begun = ContinuousClock.now
                    while .now < begun + grace, !self.isStopped.load(ordering: .relaxed) { usleep(50_000) }
                    old.stop(patienceUntil: .now + .seconds(60)) {
                        self.isStopped.load(ordering: .relaxed)
                    }
                    done.resume()
                }
            }
        }
    }
}
