import CMicroHTTPD
import FoundationEssentials
import Glibc
import Synchronization

/// A listening socket served by libmicrohttpd on a separate thread. The only code that uses that library.
///
/// @unchecked Sendable: mutable state is behind locks; the library's functions may be called from any thread
/// as they are called here.
final class HTTPDaemon: @unchecked Sendable {
    struct Settings: Sendable {
        var connectionLimit: Int
        /// PEM; nil for plain HTTP.
        var tls: (key: String, certificate: String)?
        /// Decides about each request, on the server's thread: it must not wait.
        var admit: @Sendable (HTTPRequest) -> Admission
        /// The headers that every answer has which does not bring its own.
        var headers: [(name: String, value: String)]
        var log: @Sendable (String) -> Void
    }

    let listener: HTTPRequest.Listener
    let settings: Settings
    let watch: ConnectionWatch
    let peers = PeerUsers()
    private let exchanges = Mutex<[ObjectIdentifier: Exchange]>([:])
    let isStopping = Atomic(false)
    private let socket: LoopbackSocket
    private var daemon: OpaquePointer?
    private let options: UnsafeMutablePointer<cmicrohttpd_settings>

    /// Begins to listen. The socket belongs to the daemon from here on.
    init(_ socket: LoopbackSocket, _ watch: ConnectionWatch, _ settings: Settings) throws(LocalServerError) {
        listener = HTTPRequest.Listener(port: socket.port, isTLS: settings.tls != nil)
        self.settings = settings
        self.watch = watch
        self.socket = socket
        options = .allocate(capacity: 1)
        options.initialize(to: cmicrohttpd_settings())
        guard settings.tls == nil || MHD_is_feature_supported(.FEATURE_TLS) == .YES else {
            socket.close()
            throw .cannotStart("this libmicrohttpd was built without TLS; use --tls-port none")
        }
        // Whether the library closes a socket it could not use depends on the error, so it gets a duplicate.
        fill(dup(socket.descriptor))
        daemon = Self.start(options, settings.tls)
        guard daemon != nil else {
            Unmanaged.passUnretained(self).release()
            socket.close()
            throw .cannotStart("libmicrohttpd failed; see the log")
        }
    }

    deinit {
        options.deallocate()
    }

    private func fill(_ socket: CInt) {
        // Kept until `stop`: the library's thread uses it.
        options.pointee.context = Unmanaged.passRetained(self).toOpaque()
        options.pointee.listen_socket = socket
        options.pointee.connection_limit = UInt32(settings.connectionLimit)
        options.pointee.idle_seconds = 75
        options.pointee.memory_per_connection = 64 * 1024
        options.pointee.begin = { context, target, _ in
            guard let target else { return nil }
            let exchange = Exchange(target: String(cString: target))
            HTTPDaemon.from(context)?.remember(exchange)
            return Unmanaged.passRetained(exchange).toOpaque()
        }
        options.pointee.handle = { context, connection, _, method, _, bytes, count, exchange in
            guard let daemon = HTTPDaemon.from(context), let connection, let method, let count,
                let exchange = exchange?.pointee
            else { return .NO }
            let body = UnsafeRawBufferPointer(start: bytes, count: count.pointee)
            return daemon.handle(
                Unmanaged<Exchange>.fromOpaque(exchange).takeUnretainedValue(), connection,
                String(cString: method), body, &count.pointee)
        }
        options.pointee.complete = { context, connection, exchange, _ in
            guard let opaque = exchange?.pointee else { return }
            exchange?.pointee = nil
            let exchange = Unmanaged<Exchange>.fromOpaque(opaque).takeRetainedValue()
            HTTPDaemon.from(context)?.complete(exchange, connection)
        }
        options.pointee.notify = { context, connection, slot, event in
            guard let connection, let slot else { return }
            HTTPDaemon.from(context)?.notify(connection, &slot.pointee, event)
        }
        options.pointee.log = { context, line in
            guard let line else { return }
            HTTPDaemon.from(context)?.settings.log(String(cString: line).trimmedLine)
        }
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> HTTPDaemon? {
        context.map { Unmanaged<HTTPDaemon>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func start(
        _ options: UnsafeMutablePointer<cmicrohttpd_settings>, _ tls: (key: String, certificate: String)?
    ) -> OpaquePointer? {
        guard let tls else { return cmicrohttpd_start(options) }
        return tls.key.withCString { key in
            tls.certificate.withCString { certificate in
                options.pointee.key = key
                options.pointee.certificate = certificate
                defer {
                    options.pointee.key = nil
                    options.pointee.certificate = nil
                }
                return cmicrohttpd_start(options)
            }
        }
    }

    // MARK: Its end

    /// Accepts no more connections or requests; pending ones continue.
    func quiesce() {
        guard !isStopping.exchange(true, ordering: .relaxed) else { return }
        _ = MHD_quiesce_daemon(daemon)
        // Pending connections must not wait forever.
        shutdown(socket.descriptor, CInt(SHUT_RDWR))
    }

    /// Hands the port over to a successor, and continues to serve existing connections until it is stopped.
    func acceptNoMore() {
        _ = MHD_quiesce_daemon(daemon)
    }

    /// Another daemon on the same port, with another certificate. Both accept connections at first, so that
    /// none is refused in between.
    func successor(tls: (key: String, certificate: String)) throws(LocalServerError) -> HTTPDaemon {
        var settings = settings
        settings.tls = tls
        let descriptor = dup(socket.descriptor)
        guard descriptor >= 0 else { throw .cannotListen(String(cString: strerror(errno))) }
        return try HTTPDaemon(
            LoopbackSocket(descriptor: descriptor, port: socket.port), watch, settings)
    }

    /// Ends event streams, waits for pending responses, aborts the rest, and ends the thread. Call it once,
    /// after `quiesce` or `acceptNoMore`, where blocking is allowed. After `quiesce`, clients that do nothing for
    /// half a second are not waited for.
    ///
    /// - Parameter isHurried: ends the wait early.
    func stop(patienceUntil limit: ContinuousClock.Instant, orWhen isHurried: () -> Bool = { false }) {
        var limit = limit
        var nextLook = ContinuousClock.now
        while true {
            // No connection may be suspended when the library stops: connections admitted before this flag is
            // set are among the open ones.
            if openExchanges.isEmpty, isStopping.exchange(true, ordering: .relaxed) { break }
            if isHurried() { limit = min(limit, .now) }
            let looksAtClients = ContinuousClock.now >= nextLook && isStopping.load(ordering: .relaxed)
            if looksAtClients { nextLook = .now + .milliseconds(500) }
            for exchange in openExchanges {
                exchange.endStream()
                if looksAtClients { exchange.cutIfStalled() }
                guard ContinuousClock.now >= limit else { continue }
                isStopping.store(true, ordering: .relaxed)
                exchange.answer(.problem(503, "mailkernel is stopping."))
                exchange.hangUp()
            }
            // Who does not even take that is not waited for.
            if ContinuousClock.now >= limit + .seconds(1) { watch.closeAll() }
            usleep(1000)
        }
        MHD_stop_daemon(daemon)
        daemon = nil
        defer { Unmanaged.passUnretained(self).release() }
        // Not earlier: the library's thread may still be looking at it.
        Glibc.close(options.pointee.listen_socket)
        socket.close()
    }

    var openExchanges: [Exchange] { exchanges.withLock { Array($0.values) } }

    func remember(_ exchange: Exchange) {
        exchanges.withLock { $0[ObjectIdentifier(exchange)] = exchange }
    }

    func forget(_ exchange: Exchange) {
        exchanges.withLock { $0[ObjectIdentifier(exchange)] = nil }
    }
}

extension String {
    fileprivate var trimmedLine: String { String(reversed().drop(while: \.isWhitespace).reversed()) }
}
