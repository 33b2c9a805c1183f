import Foundation
import JMAP
import MailKernelAPI
import TestSupport
import Testing

@testable import LocalServer

@Suite("Connections", .timeLimit(.minutes(10))) struct ConnectionTests {
    /// Who never comes to the point is shown the door, however busily.
    @Test(arguments: ["", "GET / HT", "GET / HTTP/1.1\r\nX: "])
    func slowClientsHaveToGo(_ beginning: String) async throws {
        let running = try RunningServer { $0.limits.firstHead = .milliseconds(500) }
        let client = try running.client()
        // A machine that is slow to come here finds the door closed already.
        try? client.put(beginning)
        _ = try await WireClient.onThread {
            // One byte at a time, as long as it is taken: this ends only when the server has closed.
            while (try? client.put("x")) != nil { usleep(20_000) }
        }
        await running.server.stop()
    }

    /// The server stops without waiting for what has no beginning yet.
    @Test(.timeLimit(.minutes(5)), arguments: ["", "POST /jmap/upload HTTP/1.1\r\nContent-Length: 10"])
    func unfinishedRequestsHoldUpNoStop(_ beginning: String) async throws {
        let running = try RunningServer {
            $0.limits.firstHead = .seconds(3600)
            $0.limits.stopping = .seconds(3600)
        }
        let client = try running.client()
        #expect(try await client.ask(running.request("GET", "/")).status == 200)
        let other = try running.client()
        try client.put(beginning)
        try other.put(beginning)
        await running.server.stop()
        #expect(try await client.end().isEmpty)
    }

    @Test func slowAfterTheFirstAnswerToo() async throws {
        let running = try RunningServer { $0.limits.nextHead = .milliseconds(500) }
        let client = try running.client()
        #expect(try await client.ask(running.request("GET", "/")).status == 200)
        _ = try await WireClient.onThread { while (try? client.put("x")) != nil { usleep(20_000) } }
        await running.server.stop()
    }

    /// Connections run out, and yet signed-in clients go on, and newcomers get in.
    @Test func idleStrangersGiveWay() async throws {
        let running = try RunningServer { $0.limits.seats = 20 }
        let known = try running.client()
        let request = running.request("GET", "/.well-known/jmap", [running.bearer])
        #expect(try await known.ask(request).status == 200)
        let strangers = try (0..<100).map { _ in try running.client() }
        for _ in 0..<20 {
            #expect(try await running.ask("GET", "/.well-known/jmap", [running.bearer]).status == 200)
        }
        #expect(try await known.ask(request).status == 200)
        #expect(try await strangers[0].end().isEmpty)
        await running.server.stop()
    }

    /// All seats are taken by clients that have shown who they are: one more is told so.
    @Test func aKnownClientBeyondTheSeatsIsToldSo() async throws {
        let running = try RunningServer { $0.limits.seats = 20 }
        let request = running.request("GET", "/.well-known/jmap", [running.bearer])
        var clients: [WireClient] = []
        for _ in 0..<20 {
            let client = try running.client()
            #expect(try await client.ask(request).status == 200)
            clients.append(client)
        }
        for _ in 0..<10 {
            let late = try running.client()
            let answer = try await late.ask(request)
            #expect(answer.status == 429 && answer.header("Retry-After") == "5")
            #expect(answer.header("Content-Type") == "application/problem+json")
            #expect(try await late.end().isEmpty)
        }
        for client in clients { #expect(try await client.ask(request).status == 200) }
        await running.server.stop()
    }

    /// Uploads and requests that stall take no place of the others of the same client.
    @Test func stalledBodiesHoldUpNoOthersOfTheirClient() async throws {
        let running = try RunningServer(limits: {
            $0.maxConcurrentRequests = 1
            $0.maxConcurrentUpload = 1
        })
        let stalled = try (0..<8).map { _ in try running.client() }
        for client in stalled {
            try client.put(
                running.request("POST", "/jmap/upload/a1/", [running.bearer, "Content-Length: 10"]) + "begin")
        }
        await running.service.wait { $0.blobs.count == 8 }
        let slow = try running.client()
        try slow.put(
            running.request(
                "POST", "/jmap/api",
                [running.bearer, "Content-Type: application/json", "Content-Length: 9"]) + "{")
        #expect(try await running.post("{}", [running.bearer]).status == 200)
        let other = try await running.ask("POST", "/jmap/upload/a1/", [running.bearer], body: "x")
        #expect(other.status == 201)
        for client in stalled { #expect(try await client.ask("12345").status == 201) }
        await running.server.stop()
    }

    @Test func aSlowBodyHoldsUpNobodyElse() async throws {
        let running = try RunningServer(limits: { $0.maxConcurrentRequests = 1 })
        let slow = try running.client()
        try slow.put(
            running.request(
                "POST", "/jmap/api",
                [
                    "Authorization: Bearer \(running.readToken)", "Content-Type: application/json",
                    "Content-Length: 9",
                ])
                + "{")
        #expect(try await running.post("{}", [running.bearer]).status == 200)
        await running.server.stop()
    }

    /// A client that does not read its answer is given no more than fits.
    @Test func aClientThatDoesNotReadIsNotReadAheadFor() async throws {
        actor Reads {
            var highest = 0
            func note(_ offset: Int) { highest = max(highest, offset) }
        }
        struct Counted: ByteSource {
            let reads: Reads
            let size = 500_000_000
            func read(at offset: Int, count: Int) async throws -> Data {
                await reads.note(offset)
                return Data(count: count)
            }
        }
        let running = try RunningServer()
        let reads = Reads()
        running.service.change { $0.downloads["b1"] = Counted(reads: reads) }
        let client = try running.client()
        try client.put(running.request("GET", "/jmap/download/a1/b1/x", [running.bearer]))
        _ = try await WireClient.onThread { try client.some(1000) }
        // Others are served meanwhile, and nothing more is read than buffers hold.
        for _ in 0..<50 { #expect(try await running.post("{}", [running.bearer]).status == 200) }
        #expect(await reads.highest < 50_000_000)
        await running.server.stop()
    }

    /// 200 clients at once, each with several requests: no error.
    @Test func manyClients() async throws {
        let running = try RunningServer { $0.limits.firstHead = .seconds(300) }
        let clients = try await withThrowingTaskGroup(of: WireClient.self) { group in
            for _ in 0..<200 { group.addTask { try running.client() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for client in clients {
            try client.put(running.request("GET", "/.well-known/jmap", [running.bearer]))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in clients {
                group.addTask {
                    let first = try await WireClient.onThread { try client.answer() }
                    #expect(first.status == 200)
                    for number in 0..<10 {
                        let body = "{\"number\":\(number)}"
                        let request = running.request(
                            "POST", "/jmap/api", [running.bearer, "Content-Type: application/json"],
                            body: body)
                        #expect(try await client.ask(request).text == body)
                    }
                }
            }
            try await group.waitForAll()
        }
        await running.server.stop()
    }

    @Test func aPortThatIsTakenIsSaid() async throws {
        let first = try RunningServer()
        let port = first.port
        #expect(throws: LocalServerError.portTaken(port)) { try RunningServer { $0.port = .number(port) } }
        #expect("\(LocalServerError.portTaken(port))".contains("Port \(port) is used by another program."))
        #expect("\(LocalServerError.portTaken(port))".contains("--port"))
        await first.server.stop()
        let second = try RunningServer { $0.port = .number(port) }
        #expect(second.port == port)
        await second.server.stop()
    }

    @Test(arguments: ["0.0.0.0", "192.168.1.1", "::", "example.org", "127.0.0.2"])
    func onlyLoopback(_ address: String) throws {
        #expect(throws: LocalServerError.notLoopback(address)) {
            try RunningServer { $0.addresses = ["127.0.0.1", address] }
        }
    }

    @Test func nothingListensAfterwards() async throws {
        let running = try RunningServer()
        let port = running.port
        let idle = try running.client()
        _ = try await idle.ask(running.request("GET", "/"))
        await running.server.stop()
        #expect(try await idle.end().isEmpty)
        #expect(throws: WireClient.Closed.self) { try WireClient(port: port) }
        #expect(throws: WireClient.Closed.self) { try WireClient(port: port, address: "::1") }
    }

    /// Neither one that sends half a body nor one that does not read.
    @Test(arguments: [true, false])
    func aClientThatHangsDoesNotKeepItFromEnding(_ isSending: Bool) async throws {
        let running = try RunningServer { $0.limits.stopping = .seconds(3600) }
        running.service.change { $0.downloads["b1"] = PatternSource(size: 50_000_000) }
        let client = try running.client()
        try client.put(
            isSending
                ? running.request("POST", "/jmap/upload/a1/", [running.bearer, "Content-Length: 9"]) + "{"
                : running.request("GET", "/jmap/download/a1/b1/x", [running.bearer]))
        if isSending {
            await running.service.wait { !$0.blobs.isEmpty }
        } else {
            _ = try await client.read(until: "\r\n\r\n")
        }
        // It ends, though they do not.
        await running.server.stop()
    }

    @Test func anAnswerUnderWayIsFinished() async throws {
        let running = try RunningServer()
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        running.service.change { $0.gate = gate }
        async let answer = running.post("{}", [running.bearer])
        await running.service.wait { $0.inside == 1 }
        async let stopped: Void = running.server.stop()
        open.finish()
        #expect(try await answer.status == 200)
        await stopped
    }

    /// A service that never answers does not keep the program from ending.
    @Test func whatNeverEndsIsBrokenOff() async throws {
        let running = try RunningServer { $0.limits.stopping = .milliseconds(100) }
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        running.service.change { $0.gate = gate }
        async let answer = running.post("{}", [running.bearer])
        await running.service.wait { $0.inside == 1 }
        await running.server.stop()
        #expect(try await answer.status == 503)
        open.finish()
    }
}
