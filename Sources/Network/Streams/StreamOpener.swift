import FoundationEssentials
import MailKernelAPI

/// Opens streams for one plugin: libcurl finds the way, through proxies too, and we take it from there.
struct StreamOpener: Sendable {
    let pool: CurlPool
    let loop: LoopThread
    let trust: TrustStore
    let ledger: ConnectionLedger
    let proxies: Proxies
    let patience: Patience

    func open(
        _ endpoint: Endpoint, _ security: TransportSecurity, purpose: String
    ) async throws(NetworkError) -> NetworkStream {
        let deadline = ContinuousClock.now + patience.connecting
        let proxy = proxies.proxy(for: endpoint.host, isStream: true)
        if proxy?.lowercased().hasPrefix("https://") == true {
            throw .unreachable(
                host: endpoint.host,
                reason:
                    "an https:// proxy supports web requests only; set all_proxy to an http:// or socks5h:// "
                    + "proxy")
        }
        let (socket, ticket) = try await pool.connect(to: endpoint, proxy: proxy, purpose: purpose)
        let stream = NetworkStream(
            socket: socket, ticket: ticket, endpoint: endpoint, loop: loop, trust: trust, ledger: ledger,
            patience: patience)
        switch security {
        case .tls: try await stream.secure(before: deadline)
        case .startTLS: await stream.listen()
        }
        if Task.isCancelled {
            await stream.close()
            throw .cancelled
        }
        return stream
    }
}
