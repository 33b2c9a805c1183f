import CIMAPTestTLS
import Dispatch
import FoundationEssentials
import Glibc
import MailKernelAPI
import Synchronization

/// A connection to a server on loopback for tests, over TLS from the start or later. The program's own
/// connections are made elsewhere; this one is only as good as tests need.
public final class SocketStream: ByteStream {
    private struct State {
        var file: CInt
        var ssl: OpaquePointer?
        var isClosed = false
    }

    /// Sendable: used only while the lock is held, except by the handshake, before the stream is handed out.
    private struct Session: @unchecked Sendable {
        let ssl: OpaquePointer
    }

    private let host: String
    private let trusted: String
    private let state: Mutex<State>
    private let reading = DispatchQueue(label: "test stream, reading")
    private let writing = DispatchQueue(label: "test stream, writing")

    /// - Parameter trusted: a file with the certificate that the server has to show.
    public init(_ endpoint: Endpoint, security: TransportSecurity, trusted: String) async throws(NetworkError)
    {
        host = endpoint.host
        self.trusted = trusted
        let file = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        state = Mutex(State(file: file))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(endpoint.port)).bigEndian
        inet_pton(AF_INET, endpoint.host == "localhost" ? "127.0.0.1" : endpoint.host, &address.sin_addr)
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            throw .unreachable(host: endpoint.host, reason: String(cString: strerror(errno)))
        }
        var one: CInt = 1
        setsockopt(file, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
        if security == .tls { try await startTLS() }
    }

    deinit {
        state.withLock { state in
            if let ssl = state.ssl { SSL_free(ssl) }
            if state.file >= 0 { Glibc.close(state.file) }
        }
    }

    public func startTLS() async throws(NetworkError) {
        let problem: String? = await withCheckedContinuation { done in
            writing.async { done.resume(returning: self.handshake()) }
        }
        if let problem { throw .insecure(host: host, reason: problem) }
    }

    /// What went wrong; nil if nothing did.
    private func handshake() -> String? {
        guard let context = SSL_CTX_new(TLS_client_method()) else { return "no context" }
        defer { SSL_CTX_free(context) }
        SSL_CTX_load_verify_locations(context, trusted, nil)
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        guard let ssl = SSL_new(context) else { return "no session" }
        let file = state.withLock { $0.file }
        SSL_set_fd(ssl, file)
        SSL_set1_host(ssl, host)
        _ = imaptest_set_name(ssl, host)
        guard SSL_connect(ssl) == 1 else {
            SSL_free(ssl)
            return "the handshake failed"
        }
        _ = fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK)
        let session = Session(ssl: ssl)
        state.withLock { $0.ssl = session.ssl }
        return nil
    }

    // MARK: Bytes

    public func read(upTo count: Int) async throws(NetworkError) -> Data? {
        let result: Data? = await cancelling { done in
            self.reading.async { done.resume(returning: self.readNow(count)) }
        }
        if Task.isCancelled { throw .cancelled }
        guard let result else { throw .closed(host: host) }
        return result.isEmpty ? nil : result
    }

    public func write(_ bytes: Data) async throws(NetworkError) {
        let isDone: Bool = await cancelling { done in
            self.writing.async { done.resume(returning: self.writeNow([UInt8](bytes))) }
        }
        if Task.isCancelled { throw .cancelled }
        guard isDone else { throw .closed(host: host) }
    }

    public func close() {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.isClosed = true
            shutdown(state.file, CInt(SHUT_RDWR))
        }
    }

    private func cancelling<Value: Sendable>(
        _ body: (CheckedContinuation<Value, Never>) -> Void
    ) async -> Value {
        await withTaskCancellationHandler {
            await withCheckedContinuation { body($0) }
        } onCancel: {
            self.close()
        }
    }

    /// Empty at the end, nil once it is closed.
    private func readNow(_ count: Int) -> Data? {
        var bytes = [UInt8](repeating: 0, count: min(count, 1 << 17))
        while true {
            let got = attempt(POLLIN) { state in
                var total = 0
                while total < bytes.count {
                    let got = bytes.withUnsafeMutableBytes { buffer in
                        let place = UnsafeMutableRawBufferPointer(rebasing: buffer[total...])
                        return state.ssl.map { Int(SSL_read($0, place.baseAddress, CInt(place.count))) }
                            ?? recv(state.file, place.baseAddress, place.count, CInt(MSG_DONTWAIT))
                    }
                    if got <= 0 { return total > 0 ? total : got }
                    total += got
                }
                return total
            }
            guard let got else { return nil }
            if got > 0 { return Data(bytes[..<got]) }
            if got == 0 { return Data() }
        }
    }

    private func writeNow(_ bytes: [UInt8]) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let sent = attempt(POLLOUT) { state in
                bytes.withUnsafeBytes { buffer in
                    let rest = UnsafeRawBufferPointer(rebasing: buffer[offset...])
                    return state.ssl.map { Int(SSL_write($0, rest.baseAddress, CInt(rest.count))) }
                        ?? send(state.file, rest.baseAddress, rest.count, CInt(MSG_NOSIGNAL))
                }
            }
            guard let sent, sent != 0 else { return false }
            if sent > 0 { offset += sent }
        }
        return true
    }

    /// Tries once, waiting for the socket if that would block. Negative to try again, nil if it is closed.
    private func attempt(_ events: CInt, _ body: (inout State) -> Int) -> Int? {
        let (result, file): (Int?, CInt) = state.withLock { state in
            if state.isClosed { return (nil, -1) }
            // What another connection left on this thread is not about this one.
            ERR_clear_error()
            let got = body(&state)
            if got > 0 { return (got, state.file) }
            if let ssl = state.ssl {
                let reason = SSL_get_error(ssl, CInt(got))
                if reason == SSL_ERROR_ZERO_RETURN { return (0, state.file) }
                let isBlocked = reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE
                ERR_clear_error()
                return (isBlocked ? -1 : 0, state.file)
            }
            if got == 0 { return (0, state.file) }
            return (errno == EAGAIN || errno == EINTR ? -1 : 0, state.file)
        }
        if result == -1 {
            var waited = pollfd(fd: file, events: Int16(events), revents: 0)
            poll(&waited, 1, -1)
        }
        return result
    }
}
