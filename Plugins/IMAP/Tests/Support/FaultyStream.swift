import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Synchronization

/// What a server in memory says on one connection: bytes in, bytes out.
public protocol ServerSession: AnyObject, Sendable {
    /// What it says before anything is said to it.
    func greeting() -> Data
    /// What it says to these bytes; nil closes the connection.
    func take(_ bytes: Data) -> Data?
    /// The connection is gone.
    func end()
    /// Tells where to send what it says unasked.
    func setPush(_ push: @escaping @Sendable (Data) -> Void)
}

/// What goes wrong on a connection in memory.
public struct Faults: Sendable {
    /// After this many bytes from the server the connection is lost.
    public var dropsAfter: Int?
    /// The most bytes that arrive at once.
    public var chunk = Int.max
    /// The connection cannot be made at all.
    public var refuses: NetworkError?

    public init(dropsAfter: Int? = nil, chunk: Int = .max, refuses: NetworkError? = nil) {
        self.dropsAfter = dropsAfter
        self.chunk = chunk
        self.refuses = refuses
    }
}

/// A network whose servers are in memory. Counts what is open at once.
public final class MemoryNetwork: OfflineNetwork {
    private struct State {
        var opened = 0
        var open = 0
        var most = 0
        var sent = 0
    }

    private let state = Mutex(State())
    private let changed: @Sendable (_ difference: Int) -> Void
    private let faults: @Sendable (Int) -> Faults
    private let session: @Sendable () -> any ServerSession

    /// - Parameters:
    ///   - faults: of each connection, by its number.
    ///   - changed: told by 1 of a connection that is opened, by -1 of one that is closed.
    public init(
        faults: @escaping @Sendable (Int) -> Faults = { _ in Faults() },
        changed: @escaping @Sendable (_ difference: Int) -> Void = { _ in },
        _ session: @escaping @Sendable () -> any ServerSession
    ) {
        self.faults = faults
        self.changed = changed
        self.session = session
    }

    public var opened: Int { state.withLock { $0.opened } }
    public var open: Int { state.withLock { $0.open } }
    public var mostOpen: Int { state.withLock { $0.most } }
    /// Bytes from the servers.
    public var sent: Int { state.withLock { $0.sent } }

    public func connect(
        to endpoint: Endpoint, security: TransportSecurity, purpose: String
    ) async throws(NetworkError) -> any ByteStream {
        if Task.isCancelled { throw .cancelled }
        let number = state.withLock { state in
            state.opened += 1
            return state.opened
        }
        let faults = faults(number)
        if let error = faults.refuses { throw error }
        count(1)
        return MemoryStream(session(), host: endpoint.host, faults: faults) { [weak self] in
            self?.count(-1)
        } count: { [weak self] bytes in
            self?.state.withLock { $0.sent += bytes }
        }
    }

    private func count(_ difference: Int) {
        state.withLock { state in
            state.open += difference
            state.most = max(state.most, state.open)
        }
        changed(difference)
    }
}

/// A connection to a server in memory.
final class MemoryStream: ByteStream {
    private struct State {
        var waiting = Data()
        var sent = 0
        var isOver = false
        var isClosed = false
        var reader: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    private let session: any ServerSession
    private let host: String
    private let faults: Faults
    private let closed: @Sendable () -> Void
    private let count: @Sendable (Int) -> Void

    init(
        _ session: any ServerSession, host: String, faults: Faults, closed: @escaping @Sendable () -> Void,
        count: @escaping @Sendable (Int) -> Void
    ) {
        self.session = session
        self.host = host
        self.faults = faults
        self.closed = closed
        self.count = count
        session.setPush { [weak self] in self?.deliver($0) }
        deliver(session.greeting())
    }

    deinit { close() }

    private func deliver(_ bytes: Data?) {
        let reader = state.withLock { state in
            guard !state.isOver else { return state.reader.take() }
            guard let bytes else {
                state.isOver = true
                return state.reader.take()
            }
            let left = faults.dropsAfter.map { max(0, $0 - state.sent) } ?? .max
            state.waiting += bytes.prefix(left)
            state.sent += min(bytes.count, left)
            if bytes.count > left || left == 0 { state.isOver = true }
            return state.reader.take()
        }
        reader?.resume()
    }

    func read(upTo count: Int) async throws(NetworkError) -> Data? {
        while true {
            enum Step {
                case bytes(Data)
                case end, closed, wait
            }
            let step: Step = state.withLock { state in
                if state.isClosed { return .closed }
                if !state.waiting.isEmpty {
                    let bytes = Data(state.waiting.prefix(min(count, faults.chunk)))
                    // Not copied: what waits may be large, and is taken in small pieces.
                    state.waiting = state.waiting.dropFirst(bytes.count)
                    return .bytes(bytes)
                }
                return state.isOver ? .end : .wait
            }
            switch step {
            case .bytes(let bytes):
                self.count(bytes.count)
                return bytes
            case .end: return nil
            case .closed: throw Task.isCancelled ? .cancelled : .closed(host: host)
            case .wait: await wait()
            }
            if Task.isCancelled {
                close()
                throw .cancelled
            }
        }
    }

    private func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isLate = state.withLock { state in
                    if !state.waiting.isEmpty || state.isOver || state.isClosed { return true }
                    state.reader = continuation
                    return false
                }
                if isLate { continuation.resume() }
            }
        } onCancel: {
            close()
        }
    }

    func write(_ bytes: Data) async throws(NetworkError) {
        guard state.withLock({ !$0.isClosed && !$0.isOver }) else { throw .closed(host: host) }
        deliver(session.take(bytes))
    }

    func startTLS() throws(NetworkError) {}

    func close() {
        let (isFirst, reader) = state.withLock { state in
            defer { state.isClosed = true }
            return (!state.isClosed, state.reader.take())
        }
        if isFirst {
            closed()
            session.end()
        }
        reader?.resume()
    }
}
