import FoundationEssentials
import MailKernelAPI

/// A connection: an `IMAPSession` and its stream.
///
/// Its borrower from the pool has exclusive use, except for `close` and `endIdle`.
actor IMAPConnection {
    /// Takes the bytes of a body as they come.
    typealias ChunkReceiver = @Sendable (Data) async throws -> Void

    /// How long a server may be silent while something is expected of it.
    static let patience: Double = 90

    /// What it is at. Every failure closes it:
    ///
    ///     open ⇄ idling
    ///       ↘     ↙
    ///       closed
    enum State: Equatable {
        case open
        /// `IDLE` has this tag, and `DONE` was sent for it or not.
        case idling(tag: String, isDone: Bool)
        /// Because the server said nothing for too long, or for another reason.
        case closed(hasStalled: Bool)
    }

    /// Whose turn it is to speak. A server that is heard begins a new turn.
    private enum Turn: Equatable {
        case ours
        case theirs(Int)
    }

    /// What came up that matters when it is given back.
    struct Remarks: OptionSet {
        let rawValue: Int
        /// It was lent before.
        static let isUsed = Remarks(rawValue: 1)
        /// The server asked, in an answer that was fine otherwise, to go slower.
        static let askedForPatience = Remarks(rawValue: 2)
        /// The server said something that the grammar does not allow.
        static let wasMisunderstood = Remarks(rawValue: 4)
    }

    let endpoint: Endpoint
    let stream: any ByteStream
    let clock: any HostClock
    var session = IMAPSession()
    var state = State.open
    private(set) var remarks: Remarks = []
    private var compression: Compression?
    private var turn = Turn.ours
    private var turns = 0
    /// Bytes that were read, unpacked.
    private var received = 0
    /// Idling is unwanted, now or from its beginning.
    var endsIdle = false
    /// The last word of a server that closed the connection.
    private var farewell: StatusResponse?

    init(_ stream: any ByteStream, to endpoint: Endpoint, clock: any HostClock) {
        self.stream = stream
        self.endpoint = endpoint
        self.clock = clock
    }

    nonisolated var host: String { endpoint.host }
    /// What the user reads once it is closed.
    nonisolated var lost: AccountError { AccountError(.closed(host: host), port: endpoint.port) }
    var capabilities: Set<String> { session.capabilities ?? [] }
    var knowsCapabilities: Bool { session.capabilities != nil }
    var selected: SelectedMailbox? { session.selected }
    var hasQResync: Bool { session.enabled.contains("QRESYNC") }
    var hasUIDsOnly: Bool { session.enabled.contains("UIDONLY") }

    var hasStalled: Bool { state == .closed(hasStalled: true) }
    var isWaiting: Bool { turn != .ours }
    var isUsable: Bool {
        if case .closed = state { false } else { true }
    }

    /// Whether it was lent before.
    func hasBeenLent() -> Bool { !remarks.insert(.isUsed).inserted }

    func becomeAuthenticated() { session.becomeAuthenticated() }
    func ignore(_ capabilities: Set<String>) { session.ignore(capabilities) }

    func close() async {
        if isUsable { state = .closed(hasStalled: false) }
        await stream.close()
    }

    func giveUp() async {
        state = .closed(hasStalled: true)
        await stream.close()
    }

    // MARK: Commands

    func perform(
        _ command: Command, most: Int? = nil, patience: Double = patience
    ) async throws(AccountError) -> Result {
        guard let result = try await perform([command], most: most, patience: patience).first else {
            throw .badAnswer("no answer")
        }
        return result
    }

    /// Sends commands together, and returns when all are answered, with the answers in their order.
    ///
    /// - Parameters:
    ///   - source: where the literal of the one command that streams it is read from.
    ///   - receiver: takes the bytes of bodies, which are not kept then.
    ///   - most: how many bytes the answers may have together; nil for as many as lists of everything have.
    ///   - patience: how many seconds the server may be silent.
    func perform(
        _ commands: [Command], source: (any ByteSource)? = nil, receiver: ChunkReceiver? = nil,
        most: Int? = nil, patience: Double = patience
    ) async throws(AccountError) -> [Result] {
        try checkIsUsable()
        session.streamsBodies = receiver != nil
        let tags = commands.map { session.begin($0) }
        let watchdog = startWatchdog(patience)
        defer { watchdog.cancel() }
        var results: [String: Result] = [:]
        var responses: [Untagged] = []
        // Consumed bytes are released; kept values need more memory than their bytes.
        var gone = received
        let before = session.exists
        try await flush(source)
        while results.count < tags.count {
            switch try await nextEvent(source) {
            case .untagged(let response):
                responses.append(response)
                gone -= Allowance.response
            case .chunk(let bytes):
                try await hand(bytes, to: receiver)
                gone += bytes.count
            case .completed(let completion):
                results[completion.tag] = Result(completion: completion, responses: responses)
                responses = []
                if completion.status.asksForPatience { remarks.insert(.askedForPatience) }
            case .malformed: remarks.insert(.wasMisunderstood)
            case .greeting, .continuation: break
            }
            guard received - gone <= most ?? Allowance.lists(exists: max(before, session.exists)) else {
                await close()
                throw Allowance.exceeded
            }
        }
        return tags.compactMap { results[$0] }
    }

    private func hand(_ bytes: Data, to receiver: ChunkReceiver?) async throws(AccountError) {
        do {
            try await receiver?(bytes)
        } catch {
            // The rest of the body is still arriving and would be mistaken for a response.
            await close()
            throw AccountError(local: error)
        }
    }

    /// Signs in with a mechanism; true if the server agreed.
    func authenticate(_ authentication: Authentication) async throws(AccountError) -> Result {
        let isOneStep = session.has("SASL-IR")
        let tag = session.begin(authentication.command(isOneStep: isOneStep))
        let watchdog = startWatchdog()
        defer { watchdog.cancel() }
        var isAnswered = isOneStep
        try await flush(nil)
        while true {
            switch try await nextEvent(nil) {
            case .continuation:
                session.send(line: isAnswered ? authentication.answerToRefusal : authentication.answer)
                isAnswered = true
                try await flush(nil)
            case .completed(let completion) where completion.tag == tag:
                let result = Result(completion: completion, responses: [])
                return result
            default: break
            }
        }
    }

    func greeting() async throws(AccountError) -> StatusResponse {
        let watchdog = startWatchdog()
        defer { watchdog.cancel() }
        while true {
            switch try await nextEvent(nil) {
            case .greeting(let status): return status
            case .malformed: throw .badAnswer("the server does not use IMAP")
            default: break
            }
        }
    }

    /// After the server agreed to `STARTTLS`.
    func startTLS() async throws(AccountError) {
        session.forgetPlainText()
        do {
            try await stream.startTLS()
        } catch {
            throw await fail(error)
        }
    }

    /// After the server agreed to `COMPRESS`.
    func startCompression() throws(AccountError) {
        compression = Compression(after: session.takeRest())
        guard compression != nil else { throw .local(reason: "compression is not available") }
    }

    // MARK: The stream

    /// Closes the connection when the server has been expected to speak for too long.
    private func startWatchdog(_ patience: Double = patience) -> Task<Void, Never> {
        var seen = turns
        return Task {
            while (try? await clock.sleep(for: patience)) != nil {
                if turn == .theirs(seen) { return await giveUp() }
                seen = turns
            }
        }
    }

    func nextEvent(_ source: (any ByteSource)?) async throws(AccountError) -> IMAPSession.Event {
        while true {
            do throws(FramingError) {
                if let event = try session.nextEvent() {
                    if case .untagged(.status(let status)) = event, status.kind == .bye { farewell = status }
                    return event
                }
            } catch {
                await close()
                throw .badAnswer(error.reason)
            }
            // A continuation may have been what the rest of a command waited for.
            try await flush(source)
            let bytes = try await read()
            received += bytes.count
            session.push(bytes)
        }
    }

    private func read() async throws(AccountError) -> Data {
        guard let compression else { return try await readStream() }
        while true {
            switch compression.unpack() {
            case .bytes(let bytes): return bytes
            case .needsMore: compression.push(try await readStream())
            case .ended: throw await fail(.closed(host: host))
            case .damaged:
                await close()
                throw .badAnswer("the server's data could not be decompressed")
            }
        }
    }

    private func readStream() async throws(AccountError) -> Data {
        if Task.isCancelled { throw await fail(.cancelled) }
        turn = .theirs(turns)
        defer { turn = .ours }
        do {
            if let bytes = try await stream.read(upTo: 1 << 18) {
                turns += 1
                return bytes
            }
        } catch {
            throw await fail(error)
        }
        throw await fail(.closed(host: host))
    }

    /// Sends as much as possible.
    func flush(_ source: (any ByteSource)?) async throws(AccountError) {
        while let output = session.nextOutput() {
            switch output {
            case .bytes(let bytes): try await write(bytes)
            case .stream(let size): try await write(source, size: size)
            }
        }
    }

    private func write(_ source: (any ByteSource)?, size: Int) async throws(AccountError) {
        do {
            guard let source, source.size == size else { throw IncompleteSource() }
            for try await bytes in source.pieces(of: 1 << 16) { try await write(bytes) }
        } catch {
            // The server waits for bytes that will never come.
            await close()
            throw AccountError(local: error)
        }
    }

    private func write(_ bytes: Data) async throws(AccountError) {
        var bytes = bytes
        if let compression {
            guard let packed = compression.pack(bytes) else {
                await close()
                throw .local(reason: "a command could not be compressed")
            }
            bytes = packed
        }
        do {
            try await stream.write(bytes)
        } catch {
            throw await fail(error)
        }
    }

    func checkIsUsable() throws(AccountError) {
        guard isUsable else { throw lost }
    }

    private func fail(_ error: NetworkError) async -> AccountError {
        await close()
        if hasStalled {
            return .unreachable(host: host, reason: "it did not respond in time on port \(endpoint.port)")
        }
        if Task.isCancelled { return .cancelled }
        if case .closed = error, let farewell {
            let meaning = AccountError(farewell, command: "BYE")
            if case .refused = meaning {
                return .unreachable(host: host, reason: farewell.shownText)
            }
            return meaning
        }
        return AccountError(error, port: endpoint.port)
    }
}
