import FoundationEssentials
import Synchronization

/// What becomes of a request, decided by its head alone.
enum Admission: Sendable {
    /// Answered at once, or after a pause that keeps no thread waiting.
    case refuse(HTTPResponse, after: Duration = .zero)
    /// Handled by a separate task, which may read the body.
    ///
    /// - Parameters:
    ///   - bodyLimit: a longer body ends with `BodyError.tooLong`.
    ///   - isKnown: the client is authenticated, and is not the first to be closed when connections run out.
    case serve(bodyLimit: Int, isKnown: Bool, @Sendable (BytePipe) async -> HTTPResponse)
}

/// One request and its answer, between the server's thread and the task that handles it.
///
/// The thread never waits: when there is nothing to do it sets the connection aside, and the task takes it
/// up again. Both happen under one lock, so that no waking up is lost.
final class Exchange: Sendable {
    /// What can be done with one connection.
    struct Connection: Sendable {
        /// Sets it aside.
        var suspend: @Sendable () -> Void
        var resume: @Sendable () -> Void
        /// How many bytes it has carried in both directions.
        var carried: @Sendable () -> UInt64
        var cut: @Sendable () -> Void
    }

    private struct State {
        /// Nil from the end of the request on: the connection may be gone.
        var connection: Connection?
        var isSuspended = false
        var response: HTTPResponse?
        var tasks: [Task<Void, Never>] = []
        var isHead = false
        /// The body of an endless response.
        var endless: BytePipe?
        /// What a connection that leaves HTTP is for, and the connection once it has.
        var upgrade: (limits: UpgradedConnection.Limits, serve: @Sendable (UpgradedConnection) async -> Void)?
        var upgraded: UpgradedConnection?
        var received = 0
        var bodyLimit = 0
        /// What the connection had carried when it was last looked at; nil while it was set aside.
        var carried: UInt64?
    }

    let target: String
    private let state = Mutex(State())
    private let isAdmitted = Atomic(false)
    /// The body of the request first, then that of the answer.
    private let pipes = Mutex<[BytePipe]>([])

    init(target: String) {
        self.target = target
    }

    /// True for the first call of one request.
    func isFirst() -> Bool { !isAdmitted.exchange(true, ordering: .relaxed) }

    /// The answer has no body.
    var isHead: Bool { state.withLock { $0.isHead } }

    // MARK: From the server's thread

    func begin(_ connection: Connection, _ request: HTTPRequest, _ admission: Admission) {
        state.withLock { state in
            state.connection = connection
            state.isHead = request.method == "HEAD"
        }
        let body = makePipe()
        switch admission {
        case .refuse(let response, .zero):
            answer(response)
        case .refuse(let response, let pause):
            run {
                try? await Task.sleep(for: pause)
                return response
            }
        case .serve(let limit, _, let handle):
            state.withLock { $0.bodyLimit = limit }
            run { await handle(body) }
        }
    }

    /// A pipe whose other side wakes this connection, and that breaks when the client leaves.
    private func makePipe() -> BytePipe {
        let pipe = BytePipe { [weak self] in self?.wake() }
        pipes.withLock { $0.append(pipe) }
        return pipe
    }

    /// The pipe for the body of the answer.
    func makeAnswerPipe(isEndless: Bool) -> BytePipe {
        let pipe = makePipe()
        if isEndless { state.withLock { $0.endless = pipe } }
        return pipe
    }

    func prepareUpgrade(
        _ limits: UpgradedConnection.Limits, _ serve: @escaping @Sendable (UpgradedConnection) async -> Void
    ) {
        state.withLock { $0.upgrade = (limits, serve) }
    }

    /// The library has handed the connection over, and waits for its end.
    func upgrade(_ socket: CInt, extra: UnsafeRawBufferPointer, _ handle: OpaquePointer) {
        let upgrade = state.withLock { $0.upgrade }
        let connection = UpgradedConnection(
            socket, extra: extra, handle: handle,
            upgrade?.limits ?? UpgradedConnection.Limits(farewell: Data()))
        pipes.withLock { $0 += [connection.inbound, connection.outbound] }
        state.withLock { $0.upgraded = connection }
        connection.start()
        run {
            if let upgrade { await upgrade.serve(connection) } else { connection.outbound.breakOff() }
            return nil
        }
    }

    /// What shall become of bytes of the body.
    enum Intake {
        case taken
        /// The body is not being read at the moment; the connection is suspended.
        case later
        /// Larger than allowed; the connection will be closed.
        case abort
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> Intake {
        guard let body = pipes.withLock({ $0.first }) else { return .abort }
        let (isOver, limit, isAnswered) = state.withLock { state in
            (state.received > state.bodyLimit, state.bodyLimit, state.response != nil)
        }
        if !isAnswered, !isOver, suspend(while: { _ in body.isFull }) { return .later }
        let received = state.withLock { state in
            state.received += bytes.count
            return state.received
        }
        if received <= limit {
            if !isAnswered { body.offer(bytes) }
        } else {
            body.overflow()
        }
        return received > limit + Self.longestDropped ? .abort : .taken
    }

    func bodyEnded() {
        pipes.withLock { $0.first }?.finish()
    }

    /// The answer if it is there; otherwise the connection is set aside until it is.
    func responseOrSuspend() -> HTTPResponse? {
        if suspend(while: { $0 == nil }) { return nil }
        return state.withLock { $0.response }
    }

    /// Sets the connection aside if the condition holds; true if it did.
    func suspend(while condition: (_ response: HTTPResponse?) -> Bool) -> Bool {
        state.withLock { state in
            guard let connection = state.connection, condition(state.response) else { return false }
            state.isSuspended = true
            connection.suspend()
            return true
        }
    }

    /// The request is over, however it ended.
    func complete() {
        let tasks = state.withLock { state in
            state.connection = nil
            state.isSuspended = false
            defer { state.tasks = [] }
            return state.tasks
        }
        for task in tasks { task.cancel() }
        hangUp()
    }

    // MARK: From anywhere

    /// The client has gone: notify the tasks that wait for it or its bytes.
    func hangUp() {
        for pipe in pipes.withLock({ $0 }) { pipe.breakOff() }
    }

    /// Ends an endless response or an upgraded connection properly.
    func endStream() {
        let (endless, upgraded) = state.withLock { ($0.endless, $0.upgraded) }
        endless?.finish()
        upgraded?.leave()
    }

    /// Cuts the connection if the server waits for the client, which has sent and taken nothing since the last call.
    func cutIfStalled() {
        state.withLock { state in
            let connection = state.isSuspended ? nil : state.connection
            let carried = connection?.carried()
            if let carried, carried == state.carried { connection?.cut() }
            state.carried = carried
        }
    }

    /// Runs what makes the answer, or the body of one.
    func run(_ body: @escaping @Sendable () async -> HTTPResponse?) {
        let task = Task {
            if let response = await body() { answer(response) }
        }
        let isOver = state.withLock { state in
            state.tasks.append(task)
            return state.connection == nil
        }
        if isOver { task.cancel() }
    }

    /// Ends it with this answer if there is none yet.
    func answer(_ response: HTTPResponse) {
        state.withLock { state in
            if state.response == nil { state.response = response }
        }
        wake()
    }

    private func wake() {
        state.withLock { state in
            guard state.isSuspended, let connection = state.connection else { return }
            state.isSuspended = false
            connection.resume()
        }
    }

    /// How much of a body that is too long or not expected is read so that the client gets to read why.
    static let longestDropped = 1_000_000_000
}
