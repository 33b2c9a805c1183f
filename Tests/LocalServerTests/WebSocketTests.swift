import Foundation
import JMAP
import TestSupport
import Testing

@testable import LocalServer

/// A WebSocket on a real socket.
private final class SocketClient: Sendable {
    let wire: WireClient

    static let handshake = [
        "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: jmap",
    ]

    init(_ test: RunningServer, _ headers: [String]? = nil) async throws {
        wire = try test.client()
        let request = test.request("GET", "/jmap/ws", Self.handshake + (headers ?? [test.bearer]))
        let answer = try await wire.ask(Data(request.utf8))
        #expect(answer.status == 101, "\(answer.status) \(answer.text)")
        #expect(answer.header("Sec-WebSocket-Accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(answer.header("Sec-WebSocket-Protocol") == "jmap" && answer.header("Upgrade") == "websocket")
    }

    func send(_ text: String) async throws { try await put(WebSocketReaderTests.text(text)) }

    func put(_ data: Data) async throws { try await WireClient.onThread { [wire] in try wire.put(data) } }

    /// The next frame of the server; nil at the end of the connection.
    func next() async throws -> (opcode: UInt8, payload: Data)? {
        try await WireClient.onThread { [self] in
            guard let head = try exactly(2) else { return nil }
            var count = Int(head[1])
            if count >= 126 {
                let more = try #require(try exactly(count == 126 ? 2 : 8))
                count = more.reduce(0) { $0 << 8 | Int($1) }
            }
            #expect(head[0] & 0x80 != 0 && head[1] & 0x80 == 0)
            return (head[0] & 0x0F, count == 0 ? Data() : try exactly(count) ?? Data())
        }
    }

    func object() async throws -> [String: Any] {
        let frame = try #require(try await next())
        #expect(frame.opcode == 1)
        return (try JSONSerialization.jsonObject(with: frame.payload)) as? [String: Any] ?? [:]
    }

    /// The code of the close frame that comes next, and that nothing follows.
    func closeCode() async throws -> Int {
        let frame = try #require(try await next())
        #expect(frame.opcode == 8)
        let code = frame.payload.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        #expect(try await next() == nil)
        return code
    }

    private func exactly(_ count: Int) throws -> Data? {
        var bytes = Data()
        while bytes.count < count {
            let more = try wire.some(count - bytes.count)
            guard !more.isEmpty else { return nil }
            bytes += more
        }
        return bytes
    }
}

/// ACC-63, ACC-64, ACC-65: RFC 8887.
@Suite("JMAP over WebSocket") struct WebSocketTests {
    private func event(_ id: String) -> PushEvent {
        PushEvent(name: "state", id: id, data: #"{"@type":"StateChange","changed":{"a1":{"Email":"7"}}}"#)
    }

    @Test func requestsAreAnsweredByTheirIds() async throws {
        let test = try RunningServer()
        let socket = try await SocketClient(test)
        try await socket.send(#"{"@type":"Request","id":"R\"1","using":[],"methodCalls":[]}"#)
        let first = try await socket.object()
        #expect(first["requestId"] as? String == "R\"1" && first["using"] as? [String] == [])
        try await socket.send(#"{"@type":"Request","using":[]}"#)
        #expect(try await socket.object()["requestId"] == nil)
        for (text, type) in [
            ("no JSON", "notJSON"), ("[]", "notRequest"), (#"{"@type":"Other","id":"x"}"#, "notRequest"),
            (#"{"@type":"WebSocketPushEnable","dataTypes":"Email"}"#, "notRequest"),
        ] {
            try await socket.send(text)
            let error = try await socket.object()
            #expect(error["@type"] as? String == "RequestError" && error["status"] as? Int == 400)
            #expect(error["type"] as? String == "urn:ietf:params:jmap:error:\(type)")
        }
        try await socket.put(WebSocketReaderTests.frame(9, Data("there?".utf8)))
        let pong = try #require(try await socket.next())
        #expect(pong.opcode == 10 && pong.payload == Data("there?".utf8))
        try await socket.put(WebSocketReaderTests.frame(8, Data([0x03, 0xE8])))
        #expect(try await socket.closeCode() == 1000)
    }

    @Test func changesArePushedOnRequest() async throws {
        let test = try RunningServer()
        let socket = try await SocketClient(test)
        try await socket.send(#"{"@type":"WebSocketPushEnable","dataTypes":["Email"],"pushState":"p1"}"#)
        await test.service.wait { $0.streams.count == 1 }
        let subscription = test.service.state.withLock { $0.subscriptions.first }
        #expect(subscription == EventSubscription(types: ["Email"], lastEventID: "p1"))
        test.service.push(event("p2"))
        let change = try await socket.object()
        #expect(change["@type"] as? String == "StateChange" && change["pushState"] as? String == "p2")
        #expect((change["changed"] as? [String: [String: String]])?["a1"] == ["Email": "7"])
        try await socket.send(#"{"@type":"WebSocketPushDisable"}"#)
        await test.service.wait { $0.ended == 1 }
        try await socket.send(#"{"@type":"WebSocketPushEnable","dataTypes":null}"#)
        await test.service.wait { $0.subscriptions.count == 2 && $0.streams.count == 1 }
        #expect(test.service.state.withLock { $0.subscriptions[1] } == EventSubscription())
    }

    /// A page of another origin must not get in, with or without the session's cookie.
    @Test func strangersAreRefused() async throws {
        let test = try RunningServer()
        let cookie = try await test.signIn()
        let shake = SocketClient.handshake
        let origin = "Origin: http://\(test.host)"
        func status(_ headers: [String]) async throws -> Int {
            try await test.ask("GET", "/jmap/ws", headers).status
        }
        #expect(try await status(shake) == 401)
        #expect(try await status(shake + [cookie]) == 403)
        #expect(try await status(shake + [cookie, "Origin: https://evil.example"]) == 403)
        #expect(try await status(shake + [cookie, "Origin: null"]) == 403)
        #expect(try await status(shake + [test.bearer, "Origin: http://localhost:1"]) == 403)
        #expect(try await status(shake + [test.bearer, "Host: evil.example"]) == 421)
        #expect(try await status(shake + ["Authorization: Bearer mk_wrong"]) == 401)
        _ = try await SocketClient(test, [cookie, origin])
        #expect(try await test.ask("POST", "/jmap/ws", shake + [test.bearer], body: "").status == 405)
    }

    @Test func handshakesThatAreWrongAreRefused() async throws {
        let test = try RunningServer()
        func answer(without name: String, _ other: [String] = []) async throws -> WireClient.Answer {
            let rest = SocketClient.handshake.filter { !$0.hasPrefix(name + ":") }
            return try await test.ask("GET", "/jmap/ws", rest + other + [test.bearer])
        }
        #expect(try await answer(without: "Upgrade").status == 426)
        #expect(try await answer(without: "Sec-WebSocket-Protocol").status == 400)
        #expect(
            try await answer(without: "Sec-WebSocket-Protocol", ["Sec-WebSocket-Protocol: chat"]).status
                == 400)
        #expect(try await answer(without: "Sec-WebSocket-Key").status == 400)
        #expect(try await answer(without: "Sec-WebSocket-Key", ["Sec-WebSocket-Key: short"]).status == 400)
        let version = try await answer(without: "Sec-WebSocket-Version", ["Sec-WebSocket-Version: 8"])
        #expect(version.status == 426 && version.header("Sec-WebSocket-Version") == "13")
        let many = try await answer(without: "Sec-WebSocket-Protocol", ["Sec-WebSocket-Protocol: chat, jmap"])
        #expect(many.status == 101)
    }

    @Test func foreignFramesCloseTheSocket() async throws {
        let test = try RunningServer(limits: { $0.maxSizeRequest = 1000 })
        for (bytes, code) in [
            (Data([0x81, 0x00]), 1002), (WebSocketReaderTests.frame(2, Data()), 1003),
            (WebSocketReaderTests.frame(1, Data([0xFF])), 1007),
            (WebSocketReaderTests.frame(1, Data(count: 1001)), 1009),
        ] {
            let socket = try await SocketClient(test)
            try await socket.put(bytes)
            #expect(try await socket.closeCode() == code)
        }
    }

    @Test func accessEndsWithTheToken() async throws {
        let test = try RunningServer({ $0.sockets.ping = .milliseconds(20) })
        let tokens = test.tokens
        let token = try tokens.create(name: "brief", isReadOnly: false)
        let socket = try await SocketClient(test, ["Authorization: Bearer \(token)"])
        try tokens.revoke(name: "brief")
        var frame = try await socket.next()
        while frame?.opcode == 9 { frame = try await socket.next() }
        #expect(frame?.opcode == 8 && frame?.payload.prefix(2) == Data([0x03, 0xF0]))
    }

    @Test func aLockedProgramOpensNone() async throws {
        let test = try RunningServer()
        let socket = try await SocketClient(test)
        test.service.change { $0.isLocked = true }
        #expect(try await test.ask("GET", "/jmap/ws", SocketClient.handshake + [test.bearer]).status == 423)
        try await socket.send(#"{"@type":"Request","using":[]}"#)
        #expect(try await socket.closeCode() == 1008)
    }

    @Test func aClientHasFewSocketsAndSilentOnesGo() async throws {
        let test = try RunningServer({ configuration in
            configuration.sockets.sockets = 2
            configuration.sockets.ping = .milliseconds(50)
            configuration.sockets.silence = .seconds(6)
        })
        let sockets = [try await SocketClient(test), try await SocketClient(test)]
        // A socket has its place once it is served.
        for socket in sockets { #expect(try await socket.next()?.opcode == 9) }
        #expect(try await test.ask("GET", "/jmap/ws", SocketClient.handshake + [test.bearer]).status == 429)
        // Pings come, are not answered, and then nothing does.
        for socket in sockets { while try await socket.next() != nil {} }
        // Their places are free before their ends are seen.
        for _ in sockets { _ = try await SocketClient(test) }
    }

    @Test func aSlowReaderIsCutOff() async throws {
        let test = try RunningServer({ $0.sockets.connection.slowness = .milliseconds(300) })
        let socket = try await SocketClient(test)
        try await socket.send(#"{"@type":"WebSocketPushEnable","dataTypes":null}"#)
        await test.service.wait { $0.streams.count == 1 }
        let padding = String(repeating: "x", count: 1 << 20)
        for _ in 0..<20 {
            test.service.push(
                PushEvent(name: "state", id: "p", data: #"{"@type":"StateChange","x":"\#(padding)"}"#))
        }
        await test.service.wait { $0.ended == 1 }
    }

    @Test func stoppingEndsOpenSockets() async throws {
        let test = try RunningServer()
        let socket = try await SocketClient(test)
        try await socket.send(#"{"@type":"Request","using":[]}"#)
        _ = try await socket.object()
        async let stopped: Void = test.server.stop()
        #expect(try await socket.closeCode() == 1001)
        await stopped
    }

    /// While four requests are answered, no pongs are read.
    @Test func aBusySocketIsNotSilent() async throws {
        let test = try RunningServer {
            $0.sockets.ping = .milliseconds(100)
            $0.sockets.silence = .seconds(1)
        }
        let (gate, opener) = AsyncStream<Void>.makeStream()
        test.service.change { $0.gate = gate }
        let socket = try await SocketClient(test)
        for id in 1...5 { try await socket.send(#"{"@type":"Request","id":"\#(id)","using":[]}"#) }
        await test.service.wait { $0.inside == 4 }
        try await Task.sleep(for: .seconds(1.6))
        test.service.change { $0.gate = nil }
        opener.finish()
        var answers = 0
        while answers < 5, let frame = try await socket.next(), frame.opcode != 8 {
            if frame.opcode == 1 { answers += 1 }
        }
        #expect(answers == 5)
    }
}
