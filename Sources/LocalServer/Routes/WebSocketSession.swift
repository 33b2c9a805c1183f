import FoundationEssentials
import JMAP
import Synchronization

/// What one client may do with WebSockets.
struct WebSocketLimits: Sendable {
    /// Sockets of one client, and requests of one socket that are answered at a time.
    var sockets = 8
    var requests = 4
    /// How often a client is asked whether it is there, and how long it may be silent.
    var ping = Duration.seconds(30)
    var silence = Duration.seconds(90)
    var connection = UpgradedConnection.Limits(
        farewell: WebSocketFrame.close(WebSocketFailure(.goingAway, "mailkernel is stopping.")))
}

/// JMAP over one WebSocket (RFC 8887), until one side ends it.
struct WebSocketSession: Sendable {
    let service: any JMAPService
    let client: JMAPClient
    let urls: SessionURLs
    let requests: Turnstile
    let limits: WebSocketLimits
    /// Asked again and again: a token may be revoked while its socket is open.
    let isWelcome: @Sendable () -> Bool

    func run(_ connection: UpgradedConnection) async {
        let heard = LastHeard()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await lookAfter(connection, heard) }
            let push = Push()
            do {
                try await serve(connection, heard, push, &group)
            } catch let failure as WebSocketFailure {
                connection.close(with: WebSocketFrame.close(failure))
            } catch {
                // The client has left, or the connection was closed by this side.
            }
            push.end()
            group.cancelAll()
        }
    }

    private func serve(
        _ connection: UpgradedConnection, _ heard: LastHeard, _ push: Push,
        _ group: inout TaskGroup<Void>
    ) async throws {
        var reader = WebSocketReader(limit: service.limits.maxSizeRequest)
        var running = 0
        while let bytes = try await heard.listen({ try await connection.inbound.next() }) {
            for event in try reader.read(bytes) {
                switch event {
                case .pong: break
                case .ping(let payload): try await connection.outbound.write(WebSocketFrame.pong(payload))
                case .close(let code): return connection.close(with: WebSocketFrame.close(code))
                case .message(let message):
                    guard isWelcome() else { throw Self.unwelcome }
                    // The next message is not read while as many as allowed are answered.
                    if running == limits.requests {
                        await group.next()
                        running -= 1
                    }
                    if let request = await take(message, connection, push) {
                        running += 1
                        group.addTask { await answer(request, message, connection) }
                    }
                }
            }
        }
    }

    private static let unwelcome = WebSocketFailure(
        .policy, "Access has ended: the token was revoked, or mailkernel is locked.")

    /// Carries out what is about the socket; returns the request of methods if it is one.
    private func take(
        _ message: Data, _ connection: UpgradedConnection, _ push: Push
    ) async -> SocketMessage.Request? {
        do throws(SocketMessage.Problem) {
            switch try SocketMessage(message) {
            case .request(let request): return request
            case .pushDisable: push.end()
            case .pushEnable(let subscription):
                let events = service.events(subscription, for: client)
                push.begin { await pass(events, to: connection) }
            }
        } catch {
            try? await connection.outbound.write(WebSocketFrame.text(error.json))
        }
        return nil
    }

    private func answer(
        _ request: SocketMessage.Request, _ message: Data, _ connection: UpgradedConnection
    ) async {
        let reply: Data
        do throws(RequestProblem) {
            let response = try await Router.passing(requests, client, Router.tooManyRequests) {
                () async throws(RequestProblem) in
                try await service.respond(to: message, for: client, at: urls)
            }
            reply = request.reply(response)
        } catch {
            reply = SocketMessage.Problem(error, requestID: request.id).json
        }
        try? await connection.outbound.write(WebSocketFrame.text(reply))
    }

    private func pass(_ events: AsyncStream<PushEvent>, to connection: UpgradedConnection) async {
        for await event in events {
            guard isWelcome() else { break }
            guard event.name == "state" else { continue }
            let frame = WebSocketFrame.text(SocketMessage.stateChange(event))
            guard (try? await connection.outbound.write(frame)) != nil else { return }
        }
        // They end for a client that has no access any more.
        if !Task.isCancelled { connection.close(with: WebSocketFrame.close(Self.unwelcome)) }
    }

    private func lookAfter(
        _ connection: UpgradedConnection, _ heard: LastHeard
    ) async throws {
        while true {
            try await Task.sleep(for: limits.ping)
            guard isWelcome() else {
                return connection.close(with: WebSocketFrame.close(Self.unwelcome))
            }
            if heard.silence > limits.silence { return connection.inbound.breakOff() }
            try await connection.outbound.write(WebSocketFrame.ping())
        }
    }
}

/// How long the client has been silent. While its requests are carried out and none is read, its pongs are not
/// heard either, so that time does not count.
private final class LastHeard: Sendable {
    private let listening = Mutex<ContinuousClock.Instant?>(nil)

    var silence: Duration { listening.withLock { $0.map { .now - $0 } ?? .zero } }

    func listen(_ body: () async throws -> Data?) async throws -> Data? {
        listening.withLock { $0 = .now }
        defer { listening.withLock { $0 = nil } }
        return try await body()
    }
}

/// The one subscription of a socket.
private final class Push: Sendable {
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// Replaces the last one.
    func begin(_ body: @escaping @Sendable () async -> Void) {
        let new = Task { await body() }
        task.withLock { task in
            task?.cancel()
            task = new
        }
    }

    func end() {
        task.withLock { task in
            task?.cancel()
            task = nil
        }
    }
}
