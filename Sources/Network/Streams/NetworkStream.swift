import FoundationEssentials
import Glibc
import MailKernelAPI

/// A connection to a server: a byte stream, in the clear at first and encrypted after `secure`.
///
/// It reads ahead, so that a reader rarely waits for the loop, and pauses when the bytes are not consumed.
actor NetworkStream: ByteStream {
    private static let highWater = 512 * 1024

    /// What it is at:
    ///
    ///     clear → shaking hands → encrypted
    ///        ↘         ↓         ↙
    ///                ended
    private enum State {
        case clear
        case shakingHands(TLSSession)
        /// TLS may have to read before it can write on.
        case encrypted(TLSSession, writeWantsToRead: Bool)
        case ended(NetworkError)
    }

    private let endpoint: Endpoint
    private let loop: LoopThread
    private let trust: TrustStore
    private let ledger: ConnectionLedger
    private let ticket: ConnectionLedger.Ticket
    private let patience: Patience
    private let socket: CInt
    private var state = State.clear
    private var arrived = Data()
    private var leaving = Data()
    /// How many bytes of `write` have gone, to tell each writer when its own have.
    private var queued = 0
    private var written = 0
    /// The other side sends nothing more.
    private var isAtEnd = false
    private var readers = Signal()
    private var writers = Signal()
    private var stallTimer: TimerID?
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)

    /// - Parameter socket: connected; it is this object's from here on.
    init(
        socket: CInt, ticket: ConnectionLedger.Ticket, endpoint: Endpoint, loop: LoopThread,
        trust: TrustStore, ledger: ConnectionLedger, patience: Patience
    ) {
        self.socket = socket
        self.ticket = ticket
        self.endpoint = endpoint
        self.loop = loop
        self.trust = trust
        self.ledger = ledger
        self.patience = patience
    }

    isolated deinit {
        end(.closed(host: host), problem: nil)
        scratch.deallocate()
    }

    private var host: String { endpoint.host }

    private var failure: NetworkError? {
        if case .ended(let error) = state { error } else { nil }
    }

    private var tls: TLSSession? {
        switch state {
        case .shakingHands(let session), .encrypted(let session, _): session
        case .clear, .ended: nil
        }
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    // MARK: What a plugin calls

    func read(upTo count: Int) async throws(NetworkError) -> Data? {
        try await read(upTo: count, within: nil)
    }

    /// - Parameter patience: how long the other side may be silent; nil for as long as it likes.
    func read(upTo count: Int, within patience: Duration?) async throws(NetworkError) -> Data? {
        if Task.isCancelled { end(.cancelled, problem: nil) }
        guard count > 0 else { return Data() }
        let timer = patience.map { limit in
            loop.after(limit) { [weak self] in
                self?.assumeIsolated { stream in
                    stream.giveUp("it did not respond within \(limit.wholeSeconds) seconds")
                }
            }
        }
        defer { loop.cancel(timer) }
        while true {
            if !arrived.isEmpty { return take(count) }
            // A write error only ends writing: received bytes can still be read.
            if let failure { throw failure }
            if isAtEnd { return nil }
            await waitToRead(since: readers.firings)
        }
    }

    func write(_ bytes: Data) async throws(NetworkError) {
        if Task.isCancelled { end(.cancelled, problem: nil) }
        if let failure { throw failure }
        leaving.append(bytes)
        queued += bytes.count
        let mine = queued
        flush()
        watch()
        while written < mine {
            if let failure { throw failure }
            await waitToWrite(since: writers.firings)
        }
    }

    private func waitToRead(since seen: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { readers.add($0, since: seen) }
        } onCancel: {
            Task { await self.end(.cancelled, problem: nil) }
        }
    }

    private func waitToWrite(since seen: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { writers.add($0, since: seen) }
        } onCancel: {
            Task { await self.end(.cancelled, problem: nil) }
        }
    }

    func startTLS() async throws(NetworkError) {
        try await secure(before: .now + patience.connecting)
    }

    func close() {
        end(.closed(host: host), problem: nil)
    }

    // MARK: Encryption

    /// Switches to verified TLS. Data read in the clear is discarded: an attacker could have injected it to
    /// be taken for the server's response.
    func secure(before deadline: ContinuousClock.Instant) async throws(NetworkError) {
        if Task.isCancelled { end(.cancelled, problem: nil) }
        if let failure { throw failure }
        guard case .clear = state else { throw .local(reason: "the connection is already encrypted") }
        arrived = Data()
        isAtEnd = false
        beginHandshake()
        let timer = loop.after(deadline - .now) { [weak self] in
            self?.assumeIsolated { stream in
                stream.giveUp("the TLS handshake timed out")
            }
        }
        defer { loop.cancel(timer) }
        pump()
        while case .shakingHands = state { await waitToRead(since: readers.firings) }
        if let failure { throw failure }
    }

    private func beginHandshake() {
        do {
            guard let session = try trust.withStore({ TLSSession(socket: socket, host: host, store: $0) })
            else {
                return fail(.insecure(host: host, reason: "“\(host)” cannot be verified"))
            }
            state = .shakingHands(session)
        } catch {
            fail(.insecure(host: host, reason: error.reason))
        }
    }

    /// Begins to listen on a connection that stays in the clear for now.
    func listen() {
        watch()
    }

    /// Whether bytes could still be sent, as far as is known.
    var isWritable: Bool { failure == nil && !isAtEnd }

    // MARK: The socket

    /// Does what the socket is ready for.
    private func pump() {
        if case .shakingHands(let session) = state { shakeHands(session) }
        fill()
        flush()
        watch()
    }

    private func shakeHands(_ session: TLSSession) {
        switch session.handshake() {
        case .done:
            state = .encrypted(session, writeWantsToRead: false)
            readers.fire()
        case .wantsToRead, .wantsToWrite: break
        case .ended, .failed:
            let problem = session.problem(in: TLSWords(port: endpoint.port))
            fail(problem.map { .insecure(host: host, reason: $0) } ?? .closed(host: host))
        }
    }

    /// Whether content may be sent and received.
    private var isTalking: Bool {
        switch state {
        case .clear, .encrypted: true
        case .shakingHands, .ended: false
        }
    }

    /// Reads the available bytes.
    private func fill() {
        while arrived.count < Self.highWater, !isAtEnd, isTalking {
            switch receive() {
            case .done(let count):
                arrived.append(contentsOf: scratch[..<count])
                readers.fire()
            case .wantsToRead, .wantsToWrite:
                return
            case .ended:
                isAtEnd = true
                readers.fire()
            case .failed:
                fail(.closed(host: host))
            }
        }
    }

    /// Sends as much as possible.
    private func flush() {
        while !leaving.isEmpty, isTalking {
            switch leaving.withUnsafeBytes({ send($0) }) {
            case .done(let count):
                leaving = count == leaving.count ? Data() : leaving.dropFirst(count)
                written += count
                noteWriting(wantsToRead: false)
                setStallTimer()
                writers.fire()
            case .wantsToWrite:
                return
            case .wantsToRead:
                return noteWriting(wantsToRead: true)
            case .ended, .failed:
                fail(.closed(host: host))
            }
        }
    }

    private func noteWriting(wantsToRead: Bool) {
        guard case .encrypted(let session, _) = state else { return }
        state = .encrypted(session, writeWantsToRead: wantsToRead)
    }

    private func receive() -> TLSSession.Step {
        if let tls { return tls.read(into: scratch) }
        let count = recv(socket, scratch.baseAddress, scratch.count, 0)
        if count > 0 { return .done(count) }
        if count == 0 { return .ended }
        return [EAGAIN, EINTR].contains(errno) ? .wantsToRead : .failed
    }

    private func send(_ bytes: UnsafeRawBufferPointer) -> TLSSession.Step {
        if let tls { return tls.write(bytes) }
        let count = Glibc.send(socket, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
        if count >= 0 { return .done(count) }
        return [EAGAIN, EINTR].contains(errno) ? .wantsToWrite : .failed
    }

    private func watch() {
        let room = arrived.count < Self.highWater && !isAtEnd
        let (reads, writes) =
            switch state {
            case .clear: (room, !leaving.isEmpty)
            case .shakingHands: (true, false)
            case .encrypted(_, writeWantsToRead: true): (true, false)
            case .encrypted(_, writeWantsToRead: false): (room, !leaving.isEmpty)
            case .ended: (false, false)
            }
        if case .ended = state { return }
        if !leaving.isEmpty, stallTimer == nil { setStallTimer() }
        loop.watch(socket, of: self, for: Int16((reads ? POLLIN : 0) | (writes ? POLLOUT : 0))) {
            [weak self] _ in
            self?.assumeIsolated { $0.pump() }
        }
    }

    private func setStallTimer() {
        loop.cancel(stallTimer)
        stallTimer =
            leaving.isEmpty
            ? nil
            : loop.after(patience.stall) { [weak self] in
                self?.assumeIsolated { stream in
                    stream.giveUp("it accepts no more data")
                }
            }
    }

    private func take(_ count: Int) -> Data {
        let wasFull = arrived.count >= Self.highWater
        defer { if wasFull { pump() } }
        guard count < arrived.count else {
            defer { arrived = Data() }
            return arrived
        }
        let taken = Data(arrived.prefix(count))
        arrived = arrived.dropFirst(count)
        // A slice keeps consumed bytes, and would grow with the stream.
        if arrived.startIndex > Self.highWater { arrived = Data(arrived) }
        return taken
    }

    // MARK: The end

    /// The other side took too long.
    private func giveUp(_ reason: String) {
        fail(.unreachable(host: host, reason: "\(reason) on port \(endpoint.port)"))
    }

    private func fail(_ error: NetworkError) {
        end(error, problem: LedgerWords.problem(error))
    }

    private func end(_ error: NetworkError, problem: String?) {
        if case .ended = state { return }
        tls?.close()
        state = .ended(error)
        if case .cancelled = error { arrived = Data() }
        if case .closed = error, problem == nil { arrived = Data() }
        loop.forget(socket, of: self)
        loop.cancel(stallTimer)
        let count = TrafficCount(of: socket)
        Glibc.close(socket)
        ledger.end(
            ticket, received: count.received, sent: count.sent, requests: 1, more: [], problem: problem)
        readers.fire()
        writers.fire()
    }
}
