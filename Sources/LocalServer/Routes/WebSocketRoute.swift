import FoundationEssentials
import JMAP

extension Router {
    /// JMAP over WebSocket (RFC 8887). Who may open one is decided as for every other request: a page of another origin
    /// sends its own `Origin`, and is refused before this.
    func webSocket(_ request: HTTPRequest, _ client: JMAPClient) throws(Gatekeeper.Refusal) -> Admission {
        let headers = try WebSocketHandshake.accept(request)
        let isWelcome: @Sendable () -> Bool = {
            (client.mayWhileLocked || !service.isLocked) && gatekeeper.isStillWelcome(request)
        }
        let session = WebSocketSession(
            service: service, client: client, urls: request.sessionURLs, requests: requests,
            limits: socketLimits, isWelcome: isWelcome)
        return .serve(bodyLimit: 0, isKnown: true) { _ in
            guard client.mayWhileLocked || !service.isLocked else { return .problem(.locked) }
            guard !sockets.isFull(for: client.name) else {
                return .problem(429, "This client has too many WebSockets open.")
            }
            return HTTPResponse(
                101, headers,
                body: .upgrade(socketLimits.connection) { connection in
                    let isServed: Void? = await sockets.pass(client.name) { await session.run(connection) }
                    if isServed == nil {
                        let reason = WebSocketFailure(.policy, "This client has too many WebSockets open.")
                        connection.close(with: WebSocketFrame.close(reason))
                    }
                    // Only now: a client that sees the end of its socket finds the place free.
                    connection.outbound.abandon()
                })
        }
    }
}
