import Foundation
import MailKernelAPI
import TestSupport
import Testing

@testable import Network

@Suite("Requests", .timeLimit(.minutes(10))) struct RequestTests {
    @Test func aRequestCarriesWhatItIsGivenAndNothingElse() async throws {
        let bench = try await Bench()
        let request = HTTPRequest(
            "POST", try bench.servers.url("web", "/echo?a=b"),
            headers: ["Content-Type": "text/plain", "X-Empty": ""], body: DataSource(Data("hello".utf8)),
            bearer: Secret("token"), purpose: "a test")
        let response = try await bench.access().send(request)
        #expect(response.status == 200)
        let echo = try Echo(response)
        #expect(echo.method == "POST" && echo.path == "/echo?a=b" && echo.body == "hello")
        #expect(
            Set(echo.headers.keys) == [
                "host", "user-agent", "accept", "content-type", "authorization", "content-length",
            ])
        #expect(echo.headers["user-agent"] == "mailkernel/1.2.3")
        #expect(echo.headers["authorization"] == "Bearer token")
    }

    /// ACC-40
    @Test func aPasswordIsSentByTheBasicScheme() async throws {
        let bench = try await Bench()
        let proof = Secret("Basic " + Data("ada:secret".utf8).base64EncodedString())
        let request = HTTPRequest(
            "GET", try bench.servers.url("web", "/echo"), bearer: proof, purpose: "a test")
        let echo = try Echo(try await bench.access().send(request))
        #expect(echo.headers["authorization"] == "Basic YWRhOnNlY3JldA==")
    }

    @Test(arguments: [200, 204, 400, 404, 503])
    func everyStatusIsAnAnswer(_ status: Int) async throws {
        let bench = try await Bench()
        #expect(try await bench.get("web", "/echo?status=\(status)").status == status)
    }

    @Test func headersHaveSmallNamesAndRepeatedOnesAreJoined() async throws {
        let bench = try await Bench()
        #expect(try await bench.get("web", "/cookie").headers["set-cookie"] == "a=b, c=d")
        // Cookies are not kept.
        #expect(try Echo(try await bench.get("web", "/echo")).headers["cookie"] == nil)
    }

    @Test func hintsBeforeTheAnswerAreNotTheAnswer() async throws {
        let response = try await Bench().get("web", "/early")
        #expect(response.status == 200 && response.body == Data("late".utf8))
        #expect(response.headers["link"] == nil)
    }

    @Test func anAnswerOfFourMegabytesIsTheLargest() async throws {
        let bench = try await Bench()
        let limit = 4 * 1024 * 1024
        #expect(try await bench.get("web", "/size?n=\(limit)").body.count == limit)
        #expect(
            await failure { try await bench.get("web", "/size?n=\(limit + 1)") }
                == .badAnswer(host: "localhost", reason: "its response is larger than 4 MiB"))
    }

    @Test func requestsOfOnePluginShareAConnectionAndOthersDoNot() async throws {
        let bench = try await Bench()
        let (first, second) = (bench.access(), bench.access(plugin: "org.example.b"))
        var connections: [Int] = []
        for access in [first, first, second, first] {
            connections.append(try Echo(try await bench.get("web", "/echo", with: access)).connection)
        }
        #expect(connections[0] == connections[1] && connections[0] == connections[3])
        #expect(connections[0] != connections[2])
    }

    @Test func whatIsNotHTTPIsABadAnswer() async throws {
        let bench = try await Bench()
        for path in ["/garbage", "/headers"] {
            guard case .badAnswer("localhost", _) = await failure({ try await bench.get("web", path) }) else {
                Issue.record("\(path) was taken for an answer")
                continue
            }
        }
    }

    @Test func aConnectionThatIsCutIsClosed() async throws {
        let bench = try await Bench()
        #expect(await failure { try await bench.get("web", "/cut?n=10") } == .closed(host: "localhost"))
    }

    @Test func aServerThatSaysNothingIsGivenUp() async throws {
        var patience = Patience.patient
        patience.stall = .seconds(1)
        let bench = try await Bench(patience: patience)
        for path in ["/hang", "/stall"] {
            guard case .unreachable("localhost", _) = await failure({ try await bench.get("web", path) })
            else {
                Issue.record("\(path) was waited for")
                continue
            }
        }
    }

    /// FR-SYNC-09: 30 seconds to connect, here fewer.
    @Test func aServerThatDoesNotShakeHandsIsGivenUp() async throws {
        var patience = Patience.patient
        patience.connecting = .milliseconds(300)
        let bench = try await Bench(patience: patience)
        let port = bench.servers.port("silent")
        #expect(
            await failure { try await bench.get("silent", "/") }
                == .unreachable(host: "localhost", reason: "it did not respond in time on port \(port)"))
    }

    @Test func aPortWhereNothingListensIsUnreachable() async throws {
        let bench = try await Bench()
        let port = try FreePort.find()
        let url = try #require(URL(string: "https://localhost:\(port)/"))
        #expect(
            await failure { try await bench.access().send(HTTPRequest("GET", url, purpose: "a test")) }
                == .unreachable(host: "localhost", reason: "no server responded on port \(port)"))
    }

    @Test func aCancelledRequestEndsAndItsConnectionToo() async throws {
        let bench = try await Bench()
        let news = bench.ledger.news()
        let task = Task { await failure { try await bench.get("web", "/hang") } }
        for await entry in news where entry.state == .open { break }
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(await bench.closedEntries(1).map(\.state) == [.failed])
    }

    @Test func aRequestOfACancelledTaskIsNotMade() async throws {
        let bench = try await Bench()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await failure { try await bench.get("web", "/echo") }
        }
        #expect(await task.value == .cancelled)
        #expect(bench.entries.isEmpty)
    }

    @Test(arguments: ["Host", "authorization", "Transfer-Encoding", "Content-Length", "a b", "", "X:"])
    func headersThatAreNotThePluginsAreRefused(_ name: String) async throws {
        let bench = try await Bench()
        let request = HTTPRequest(
            "GET", try bench.servers.url("web", "/echo"), headers: [name: "x"], purpose: "a test")
        guard case .local = await failure({ try await bench.access().send(request) }) else {
            Issue.record("“\(name)” was sent")
            return
        }
    }

    @Test func aHeaderCannotBringAnother() async throws {
        let bench = try await Bench()
        let url = try bench.servers.url("web", "/echo")
        let requests = [
            HTTPRequest("GET", url, headers: ["X-A": "a\r\nX-B: b"], purpose: "a test"),
            HTTPRequest("GET", url, bearer: Secret("a\r\nX-B: b"), purpose: "a test"),
            HTTPRequest("GET / HTTP/1.1\r\nX-B: b\r\n", url, purpose: "a test"),
        ]
        for request in requests {
            guard case .local = await failure({ try await bench.access().send(request) }) else {
                Issue.record("it was sent")
                continue
            }
        }
        #expect(bench.entries.isEmpty)
    }
}
