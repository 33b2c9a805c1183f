import CCurl
import COpenSSL
import FoundationEssentials
import Glibc
import MailKernelAPI

/// The transfers and kept connections of one plugin. Another plugin never gets to use its connections.
actor CurlPool {
    struct TransferID: Hashable, Sendable {
        fileprivate let number: Int
    }

    private static let gathering = Duration.milliseconds(100)
    /// So much of a body is read at once.
    private static let readSize = 1 << 20

    private let loop: LoopThread
    private let trust: TrustStore
    private let agent: String
    private let patience: Patience
    private let book: ConnectionBook
    private var multi: CurlMulti?
    private var transfers: [TransferID: Transfer] = [:]
    private var lastNumber = 0
    private var idleTimer: TimerID?

    init(
        plugin: String, loop: LoopThread, ledger: ConnectionLedger, trust: TrustStore, agent: String,
        patience: Patience, addresses: AddressRules
    ) {
        self.loop = loop
        self.trust = trust
        self.agent = agent
        self.patience = patience
        book = ConnectionBook(plugin: plugin, ledger: ledger, addresses: addresses)
    }

    isolated deinit {
        close()
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Ends everything that is under way and closes all connections.
    func close() {
        for id in transfers.keys { end(id, .cancelled) }
        multi?.close()
        multi = nil
        loop.cancel(idleTimer)
        idleTimer = nil
    }

    // MARK: A request

    func begin(_ request: WireRequest) throws(NetworkError) -> TransferID {
        let easy = try handle(host: request.host, proxy: request.proxy)
        easy.set(CURLOPT_PROTOCOLS_STR, to: "https")
        easy.set(CURLOPT_URL, to: request.url)
        easy.set(CURLOPT_USERAGENT, to: agent)
        easy.set(CURLOPT_LOW_SPEED_LIMIT, to: 1)
        easy.set(CURLOPT_LOW_SPEED_TIME, to: request.silence.wholeSeconds)
        if let limit = request.limit {
            easy.set(CURLOPT_TIMEOUT_MS, to: limit.wholeMilliseconds)
        } else {
            // One large body gains nothing from frames and windows within the connection, and waits for them.
            easy.set(CURLOPT_HTTP_VERSION, to: Int(CURL_HTTP_VERSION_1_1))
        }
        switch request.method {
        case "GET" where request.body == nil: easy.set(CURLOPT_HTTPGET, to: true)
        case "HEAD": easy.set(CURLOPT_NOBODY, to: true)
        default: easy.set(CURLOPT_CUSTOMREQUEST, to: request.method)
        }
        // libcurl would otherwise ask first whether a body is wanted, and wait.
        easy.add(header: "Expect:")
        for (name, value) in request.headers {
            easy.add(header: value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        if let authorization = request.authorization { easy.add(header: "Authorization: \(authorization)") }
        return try add(
            Transfer(
                easy, host: request.host, port: request.port, purpose: request.purpose,
                proxy: request.proxy.map(Self.place), isStream: false,
                upload: request.body.map { Upload(size: $0.size) }, book: book))
    }

    /// Reads the request's body as libcurl sends it, until the transfer is over.
    func send(_ body: any ByteSource, for id: TransferID) async {
        while let transfer = transfers[id], transfer.end == nil, let upload = transfer.upload {
            guard let offset = upload.wanted else {
                await pause(for: transfer, since: transfer.signal.firings)
                continue
            }
            do {
                let bytes = try await body.read(at: offset, count: Self.readSize)
                guard !bytes.isEmpty else { throw NetworkError.local(reason: "the body ended early") }
                transfer.send(bytes, from: offset)
            } catch {
                end(id, error as? NetworkError ?? .local(reason: "\(error)"))
            }
        }
    }

    /// Waits until status and headers are there.
    func head(of id: TransferID) async throws(NetworkError) -> WireHead {
        while let transfer = transfers[id] {
            if let head = transfer.head { return head }
            if let end = transfer.end {
                throw end ?? .badAnswer(host: transfer.host, reason: "it did not send an HTTP response")
            }
            await wait(for: transfer, id, since: transfer.signal.firings)
        }
        throw .cancelled
    }

    /// Waits for more of the body; nil at its end. A slow body is reported a few times a second.
    func body(of id: TransferID) async throws(NetworkError) -> Data? {
        var hasGathered = false
        while let transfer = transfers[id] {
            if Task.isCancelled {
                end(id, .cancelled)
                throw .cancelled
            }
            if transfer.hasPiece || transfer.hasBody && (hasGathered || transfer.end != nil) {
                return transfer.takeBody()
            }
            switch transfer.end {
            case .some(.some(let error)): throw error
            case .some(.none): return nil
            case .none: hasGathered = await gather(transfer, id, since: transfer.signal.firings)
            }
        }
        throw .cancelled
    }

    /// Waits for the first bytes of a piece, or for the rest of it as long as that is worth it: then true.
    private func gather(_ transfer: Transfer, _ id: TransferID, since seen: Int) async -> Bool {
        let isBegun = transfer.hasBody
        let timer = isBegun ? loop.after(Self.gathering) { transfer.signal.fire() } : nil
        await wait(for: transfer, id, since: seen)
        loop.cancel(timer)
        return isBegun
    }

    /// Lets go of a transfer. One that is not over is given up, and its connection closed.
    func forget(_ id: TransferID) {
        end(id, .cancelled)
        transfers[id] = nil
        if transfers.isEmpty, multi != nil, idleTimer == nil {
            idleTimer = loop.after(patience.idle) { [weak self] in self?.assumeIsolated { $0.closeIdle() } }
        }
    }

    // MARK: A stream

    /// Connects to a server, through the proxy if there is one. The socket is the caller's from then on,
    /// and so is saying in the ledger how it ended.
    func connect(
        to endpoint: Endpoint, proxy: String?, purpose: String
    ) async throws(NetworkError) -> (socket: CInt, ticket: ConnectionLedger.Ticket) {
        guard let url = CurlURL(scheme: "http", host: endpoint.host, port: endpoint.port) else {
            throw .unreachable(host: endpoint.host, reason: "this is not a valid server name")
        }
        let easy = try handle(host: endpoint.host, proxy: proxy)
        easy.set(CURLOPT_PROTOCOLS_STR, to: "http")
        easy.set(CURLOPT_URL, to: url.text)
        easy.set(CURLOPT_CONNECT_ONLY, to: true)
        easy.set(CURLOPT_HTTPPROXYTUNNEL, to: true)
        let id = try add(
            Transfer(
                easy, host: endpoint.host, port: endpoint.port, purpose: purpose,
                proxy: proxy.map(Self.place), isStream: true, book: book))
        defer { forget(id) }
        guard let transfer = transfers[id] else { throw .cancelled }
        while true {
            if let end = transfer.end {
                if let error = end { throw error }
                break
            }
            await wait(for: transfer, id, since: transfer.signal.firings)
        }
        guard let connected = handedOver[id] else { throw .closed(host: endpoint.host) }
        handedOver[id] = nil
        return connected
    }

    private var handedOver: [TransferID: (socket: CInt, ticket: ConnectionLedger.Ticket)] = [:]

    /// libcurl closes its own descriptor when the transfer is taken out; the connection stays with the copy.
    private func handOver(_ id: TransferID, _ transfer: Transfer) {
        guard let socket = transfer.easy.socket else { return }
        let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return }
        guard let ticket = transfer.handOverConnection() else {
            Glibc.close(copy)
            return
        }
        handedOver[id] = (copy, ticket)
    }

    // MARK: What both need

    private func handle(host: String, proxy: String?) throws(NetworkError) -> EasyHandle {
        do {
            try trust.withStore { _ in }
        } catch {
            throw .insecure(host: host, reason: error.reason)
        }
        guard let easy = EasyHandle() else { throw .local(reason: "there is not enough memory") }
        easy.set(CURLOPT_NOSIGNAL, to: true)
        // A name look-up that is given up must not hold up the thread.
        easy.set(CURLOPT_QUICK_EXIT, to: true)
        easy.set(CURLOPT_FOLLOWLOCATION, to: false)
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, to: patience.connecting.wholeMilliseconds)
        easy.set(CURLOPT_TCP_KEEPALIVE, to: true)
        easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, to: true)
        // An empty text, so that libcurl does not look into the environment by itself.
        easy.set(CURLOPT_PROXY, to: proxy ?? "")
        easy.set(CURLOPT_NOPROXY, to: "")
        easy.set(CURLOPT_SSLVERSION, to: Int(CURL_SSLVERSION_TLSv1_2))
        easy.set(CURLOPT_SSL_VERIFYPEER, to: true)
        easy.set(CURLOPT_SSL_VERIFYHOST, to: 2)
        easy.set(CURLOPT_PROXY_SSLVERSION, to: Int(CURL_SSLVERSION_TLSv1_2))
        easy.set(CURLOPT_CAINFO, to: String?.none)
        easy.set(CURLOPT_CAPATH, to: String?.none)
        easy.set(CURLOPT_PROXY_CAINFO, to: String?.none)
        easy.set(CURLOPT_PROXY_CAPATH, to: String?.none)
        // libcurl would keep using the first store it was given.
        easy.set(CURLOPT_CA_CACHE_TIMEOUT, to: 0)
        ccurl_set_tls_ready(
            easy.pointer,
            { _, tls, context in
                guard let tls, let context else { return CURLE_SSL_CACERT_BADFILE }
                let trust = Unmanaged<TrustStore>.fromOpaque(context).takeUnretainedValue()
                do {
                    try trust.withStore { SSL_CTX_set1_cert_store(OpaquePointer(tls), $0) }
                    return CURLE_OK
                } catch {
                    return CURLE_SSL_CACERT_BADFILE
                }
            })
        easy.set(CURLOPT_SSL_CTX_DATA, to: Unmanaged.passUnretained(trust).toOpaque())
        return easy
    }

    private func add(_ transfer: Transfer) throws(NetworkError) -> TransferID {
        if Task.isCancelled { throw .cancelled }
        loop.cancel(idleTimer)
        idleTimer = nil
        if multi == nil {
            multi = CurlMulti(on: loop) { [weak self] easy, code in
                self?.assumeIsolated { $0.didFinish(easy, code) }
            }
        }
        guard let multi else { throw .local(reason: "there is not enough memory") }
        lastNumber += 1
        let id = TransferID(number: lastNumber)
        transfers[id] = transfer
        guard multi.add(transfer.easy) else {
            transfers[id] = nil
            throw .local(reason: "libcurl did not accept the request")
        }
        return id
    }

    private func didFinish(_ easy: EasyHandle.ID, _ code: CURLcode) {
        guard let (id, transfer) = transfers.first(where: { $0.value.easy.id == easy }) else { return }
        if code == CURLE_OK, transfer.isStream { handOver(id, transfer) }
        multi?.remove(transfer.easy)
        transfer.finish(code)
    }

    private func end(_ id: TransferID, _ error: NetworkError) {
        guard let transfer = transfers[id], transfer.end == nil else { return }
        multi?.remove(transfer.easy)
        transfer.finish(nil, error)
    }

    /// - Parameter seen: how often the transfer's signal had fired when the condition was checked.
    private func wait(for transfer: Transfer, _ id: TransferID, since seen: Int) async {
        await withTaskCancellationHandler {
            // A closure that does not name `self` would run outside of this actor.
            await self.pause(for: transfer, since: seen)
        } onCancel: {
            Task { await self.end(id, .cancelled) }
        }
    }

    private func pause(for transfer: Transfer, since seen: Int) async {
        await withCheckedContinuation { transfer.signal.add($0, since: seen) }
    }

    private func closeIdle() {
        idleTimer = nil
        guard transfers.isEmpty else { return }
        multi?.close()
        multi = nil
    }

    /// The proxy as the ledger shows it: without scheme, and without the name and password for it.
    private static func place(_ proxy: String) -> String {
        let rest = proxy.split(separator: "://", maxSplits: 1).last ?? ""
        return String(rest.split(separator: "@").last ?? "").split(separator: "/").first.map(String.init)
            ?? ""
    }
}

extension Duration {
    var wholeMilliseconds: Int { Int(self / .milliseconds(1)) }
    var wholeSeconds: Int { max(1, Int(self / .seconds(1))) }
}
