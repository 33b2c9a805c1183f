import FoundationEssentials
import JMAP

extension Router {
    /// The event source (RFC 8620, section 7.3).
    func events(_ request: HTTPRequest, _ client: JMAPClient) throws(Gatekeeper.Refusal) -> Admission {
        let types = request.parameter("types") ?? "*"
        let closing = request.parameter("closeafter") ?? "no"
        guard closing == "no" || closing == "state" else {
            throw Gatekeeper.Refusal(400, "“closeafter” must be state or no.")
        }
        guard let ping = Int(request.parameter("ping") ?? "0"), ping >= 0 else {
            throw Gatekeeper.Refusal(400, "“ping” must be a number of seconds.")
        }
        let subscription = EventSubscription(
            types: types == "*" ? nil : Set(types.split(separator: ",").map(\.trimmed)),
            windowID: client.isPage ? request.parameter("window") : nil,
            lastEventID: request.header("last-event-id"))
        let stream = EventStream(
            closesAfterState: closing == "state",
            ping: ping == 0 ? nil : min(max(ping, EventStream.shortestPing), EventStream.longestPing),
            isWelcome: {
                (client.mayWhileLocked || !service.isLocked) && gatekeeper.isStillWelcome(request)
            })
        return .serve(bodyLimit: 0, isKnown: true) { _ in
            guard client.mayWhileLocked || !service.isLocked else { return .problem(.locked) }
            guard !streams.isFull(for: client.name) else {
                return .problem(429, "This client has too many event streams open.")
            }
            // Before anything is sent: a client may rely on what happens once it has read the header.
            let events = service.events(subscription, for: client)
            return HTTPResponse(
                200, [("Content-Type", "text/event-stream"), ("Cache-Control", "no-store")],
                body: .stream(size: nil) { pipe in
                    let isServed: Void? = await streams.pass(client.name) {
                        try? await stream.send(events, to: pipe)
                    }
                    if isServed == nil { throw CancellationError() }
                })
        }
    }
}

/// One client's stream of events, until it leaves.
struct EventStream: Sendable {
    static let shortestPing = 5
    static let longestPing = 3600

    let closesAfterState: Bool
    /// In seconds; nil for no pings.
    let ping: Int?
    /// Asked again and again: a token may be revoked while its stream is open.
    let isWelcome: @Sendable () -> Bool

    func send(_ events: AsyncStream<PushEvent>, to pipe: BytePipe) async throws {
        // Something to read at once tells the client that it is connected.
        try await pipe.write(Data(": connected\n\n".utf8))
        try await withThrowingTaskGroup { group in
            group.addTask { try await pass(events, to: pipe) }
            group.addTask { try await lookAfter(pipe) }
            // Whichever ends first ends the stream.
            try await group.next()
            group.cancelAll()
        }
    }

    private func pass(_ events: AsyncStream<PushEvent>, to pipe: BytePipe) async throws {
        for await event in events {
            guard isWelcome() else { return }
            try await pipe.write(Self.text(event))
            if closesAfterState, event.name == "state" { return }
        }
    }

    private func lookAfter(_ pipe: BytePipe) async throws {
        let interval = Duration.seconds(min(ping ?? 30, 30))
        let began = ContinuousClock.now
        var nextPing = ping.map { began + .seconds($0) }
        while true {
            try await Task.sleep(for: nextPing.map { min(interval, $0 - .now) } ?? interval)
            guard isWelcome() else { return }
            if let ping, let due = nextPing, due <= .now {
                try await pipe.write(Data("event: ping\ndata: {\"interval\":\(ping)}\n\n".utf8))
                nextPing = .now + .seconds(ping)
            }
        }
    }

    static func text(_ event: PushEvent) -> Data {
        // A line break would end the field; the JSON that is sent has none.
        let fields = [("id", event.id), ("event", event.name), ("data", event.data)].map { name, value in
            let line = value.unicodeScalars.filter { $0 != "\n" && $0 != "\r" && $0 != "\0" }
            return "\(name): \(String(String.UnicodeScalarView(line)))\n"
        }
        return Data((fields.joined() + "\n").utf8)
    }
}
