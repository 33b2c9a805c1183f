import Foundation
import JMAP
import TestSupport
import Testing

@testable import LocalServer

@Suite("The event source") struct EventTests {
    private let running: RunningServer

    init() throws { running = try RunningServer() }

    /// Opens a stream and waits until the service knows of it.
    private func open(
        _ query: String = "types=*&closeafter=no&ping=0", _ headers: [String]? = nil
    ) async throws -> WireClient {
        let client = try running.client()
        let before = running.service.state.withLock { $0.subscriptions.count }
        try client.put(running.request("GET", "/jmap/events?\(query)", headers ?? [running.bearer]))
        await running.service.wait { $0.subscriptions.count > before }
        return client
    }

    private func state(_ number: Int) -> PushEvent {
        PushEvent(name: "state", id: "\(number)", data: "{\"@type\":\"StateChange\",\"changed\":{}}")
    }

    @Test func anEventArrives() async throws {
        let client = try await open()
        running.service.push(state(7))
        let text = try await client.read(until: "\n\n\r\n")
        #expect(text.contains("HTTP/1.1 200") && text.contains("Content-Type: text/event-stream"))
        let event = try await text.contains("StateChange") ? text : client.read(until: "StateChange")
        #expect(event.contains("id: 7\nevent: state\ndata: {\"@type\":\"StateChange\",\"changed\":{}}\n\n"))
        await running.server.stop()
    }

    /// RFC 8620, section 7.3: a client that has the answer misses nothing that happens from then on.
    @Test func aStreamThatIsAnsweredListens() async throws {
        for count in 1...20 {
            let client = try running.client()
            try client.put(
                running.request("GET", "/jmap/events?types=*&closeafter=no&ping=0", [running.bearer]))
            _ = try await client.read(until: "\r\n\r\n")
            #expect(running.service.state.withLock { $0.subscriptions.count } == count)
        }
        await running.server.stop()
    }

    @Test func whatTheClientAskedForIsPassedOn() async throws {
        _ = try await open(
            "types=Email%2CMailbox&closeafter=no&ping=0&window=w1", [running.bearer, "Last-Event-ID: 12"])
        let program = try #require(running.service.state.withLock { $0.subscriptions.first })
        #expect(program.types == ["Email", "Mailbox"] && program.lastEventID == "12")
        #expect(program.windowID == nil, "only the page has windows")
        let cookie = try await running.signIn()
        _ = try await open(
            "types=*&closeafter=no&ping=0&window=w1", [cookie, "Sec-Fetch-Site: same-origin"])
        let page = try #require(running.service.state.withLock { $0.subscriptions.last })
        #expect(page.types == nil && page.windowID == "w1")
        await running.server.stop()
    }

    @Test func closeAfterStateEndsAfterOne() async throws {
        let client = try await open("types=*&closeafter=state&ping=0")
        running.service.push(PushEvent(name: "presence", id: "1", data: "{}"))
        running.service.push(state(2))
        running.service.push(state(3))
        let text = try await client.read(until: "0\r\n\r\n")
        #expect(text.contains("id: 1\n") && text.contains("id: 2\n") && !text.contains("id: 3\n"))
        await running.service.wait { $0.ended == 1 }
        await running.server.stop()
    }

    /// RFC 8620, 7.3: a ping has its interval, which the server may have changed.
    @Test func pingsComeWithTheirInterval() async throws {
        // Taken before the server can have begun to count, so that a slow machine only makes it longer.
        let began = ContinuousClock.now
        let client = try await open("types=*&closeafter=no&ping=1")
        let text = try await client.read(until: "\"interval\":5}")
        #expect(text.contains("event: ping\ndata: {\"interval\":5}\n\n"))
        #expect(ContinuousClock.now - began > .seconds(4))
        await running.server.stop()
    }

    /// Windows of the page count as open while their stream is read.
    @Test func aClientThatLeavesIsNoticedAtOnce() async throws {
        let clients = try await [open(), open(), open()]
        shutdown(clients[1].socket, Int32(SHUT_RDWR))
        await running.service.wait { $0.ended == 1 }
        #expect(running.service.state.withLock { $0.streams.keys.sorted() } == [0, 2])
        running.service.push(state(1))
        _ = try await clients[0].read(until: "id: 1")
        _ = try await clients[2].read(until: "id: 1")
        await running.server.stop()
    }

    /// The program that held the stream was killed.
    @Test func aClientThatIsKilledIsNoticed() async throws {
        let config = try running.place.write(
            "header = \"\(running.bearer)\"\nno-buffer\nsilent\n"
                + "url = \"http://\(running.host)/jmap/events?types=*&closeafter=no&ping=0\"\n", to: "curl")
        let curl = try Command(URL(filePath: "/usr/bin/curl"), ["--config", config.path])
        #expect(await curl.line(containing: "connected"))
        await running.service.wait { $0.subscriptions.count == 1 }
        curl.signal(SIGKILL)
        await running.service.wait { $0.ended == 1 }
        await running.server.stop()
    }

    @Test func anEventCannotForgeAnother() async throws {
        let client = try await open()
        running.service.push(PushEvent(name: "state\nid: 9", id: "1\r\ndata: x", data: "{}\n\nevent: y"))
        running.service.push(state(2))
        let text = try await client.read(until: "id: 2")
        #expect(text.contains("id: 1data: x\nevent: stateid: 9\ndata: {}event: y\n\n"))
        await running.server.stop()
    }

    @Test func aClientMayHaveSoManyStreams() async throws {
        var clients: [WireClient] = []
        for _ in 0..<32 { clients.append(try await open()) }
        let refused = try await running.ask(
            "GET", "/jmap/events?types=*&closeafter=no&ping=0", [running.bearer])
        #expect(refused.status == 429)
        shutdown(clients[0].socket, Int32(SHUT_RDWR))
        await running.service.wait { $0.ended == 1 }
        // The place is free a moment after the service knows.
        var head = ""
        while !head.hasPrefix("HTTP/1.1 200") {
            let client = try running.client()
            try client.put(
                running.request("GET", "/jmap/events?types=*&closeafter=no&ping=0", [running.bearer]))
            head = try await client.read(until: "\r\n\r\n")
        }
        await running.server.stop()
    }

    @Test func aRevokedTokenEndsItsStream() async throws {
        let token = try running.tokens.create(name: "Phone", isReadOnly: false)
        let client = try await open("types=*&closeafter=no&ping=5", ["Authorization: Bearer \(token)"])
        try running.tokens.revoke(name: "Phone")
        await running.service.wait { $0.ended == 1 }
        _ = try await client.read(until: "0\r\n\r\n")
        await running.server.stop()
    }

    @Test func aRevokedTokenHearsNothingMore() async throws {
        let token = try running.tokens.create(name: "Phone", isReadOnly: false)
        let client = try await open("types=*&closeafter=no&ping=0", ["Authorization: Bearer \(token)"])
        running.service.push(state(1))
        _ = try await client.read(until: "id: 1")
        try running.tokens.revoke(name: "Phone")
        running.service.push(state(2))
        let rest = try await client.read(until: "0\r\n\r\n")
        #expect(!rest.contains("id: 2"), "\(rest)")
        await running.server.stop()
    }

    /// Its answer would have to end with its header, and the library ends it like a body.
    @Test func aStreamIsNotToBeHadByHead() async throws {
        let answer = try await running.ask(
            "HEAD", "/jmap/events?types=*&closeafter=no&ping=0", [running.bearer])
        #expect(answer.status == 405 && answer.header("Allow") == "GET")
        await running.server.stop()
    }

    @Test func stoppingEndsStreamsInOrder() async throws {
        let client = try await open()
        await running.server.stop()
        #expect(try await client.end().hasSuffix("0\r\n\r\n"))
        #expect(running.service.state.withLock { $0.ended } == 1)
    }
}
