import Foundation
import MailKernelConformance
import TestSupport
import Testing

@testable import LocalServer

@Suite("Who is let in") struct AccessTests {
    private let running: RunningServer

    init() throws { running = try RunningServer() }

    /// All that tells or changes something.
    private static let guarded = [
        ("GET", "/.well-known/jmap"), ("POST", "/jmap/api"), ("POST", "/jmap/upload/a1/"),
        ("GET", "/jmap/download/a1/b1/x"), ("GET", "/jmap/events?types=*&closeafter=no&ping=0"),
    ]

    private func ask(_ place: (String, String), _ headers: [String]) async throws -> Int {
        let isPost = place.0 == "POST"
        return try await running.ask(
            place.0, place.1, headers + (isPost ? ["Content-Type: application/json"] : []),
            body: isPost ? "{}" : nil
        ).status
    }

    @Test(arguments: guarded)
    func nobodyWithoutProof(_ method: String, _ target: String) async throws {
        #expect(try await ask((method, target), []) == 401)
        #expect(try await ask((method, target), ["Cookie: mailkernel-\(running.port)=x"]) == 401)
        await running.server.stop()
    }

    /// A page whose name a stranger's DNS answers with 127.0.0.1 is of the same origin for its browser: it has
    /// the right to ask, but the name is not ours.
    @Test(arguments: guarded)
    func dnsRebindingFails(_ method: String, _ target: String) async throws {
        let cookie = try await running.signIn()
        for host in [
            "evil.example:\(running.port)", "evil.example", "127.0.0.1.evil.example:\(running.port)",
            "127.0.0.1", "localhost", "127.0.0.1:1", "0.0.0.0:\(running.port)", "127.0.0.2:\(running.port)",
            "localhost.:\(running.port)", "127.0.0.1:\(running.port)@evil.example", "",
        ] {
            let headers = ["Host: \(host)", cookie, "Sec-Fetch-Site: same-origin"]
            #expect(try await ask((method, target), headers) == 421)
            #expect(try await ask((method, target), ["Host: \(host)", running.bearer]) == 421)
        }
        let twice = ["Host: \(running.host)", "Host: evil.example", running.bearer]
        #expect(try await ask((method, target), twice) == 400)
        await running.server.stop()
    }

    @Test func aPageUnderAForeignNameIsNotShown() async throws {
        #expect(try await running.ask("GET", "/", ["Host: evil.example:\(running.port)"]).status == 421)
        await running.server.stop()
    }

    /// Another site's page makes the browser send the cookie (were it not SameSite): form, fetch, EventSource,
    /// image, and a page of another port of this computer, which counts as the same site.
    @Test(arguments: guarded)
    func otherPagesFail(_ method: String, _ target: String) async throws {
        let cookie = try await running.signIn()
        for headers in [
            ["Origin: https://evil.example", "Sec-Fetch-Site: cross-site"],
            ["Origin: https://evil.example"], ["Origin: null", "Sec-Fetch-Site: cross-site"],
            ["Origin: null"], ["Sec-Fetch-Site: cross-site"], ["Sec-Fetch-Site: same-site"],
            ["Origin: http://127.0.0.1:1", "Sec-Fetch-Site: same-site"],
            ["Origin: http://localhost:\(running.port)"], ["Origin: https://\(running.host)"],
            ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"],
            ["Origin: http://\(running.host)", "Origin: https://evil.example"],
            ["Origin: http://\(running.host)", "Sec-Fetch-Site: cross-site"],
            // Typed by the user, or from before browsers said where a request comes from.
            ["Sec-Fetch-Site: none"], [],
        ] {
            #expect(try await ask((method, target), [cookie] + headers) == 403, "\(headers)")
        }
        await running.server.stop()
    }

    @Test func aFormOfAnotherPageChangesNothing() async throws {
        let cookie = try await running.signIn()
        for type in ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"] {
            let answer = try await running.ask(
                "POST", "/jmap/api",
                [
                    cookie, "Content-Type: \(type)", "Origin: https://evil.example",
                    "Sec-Fetch-Site: cross-site",
                ],
                body: "{\"using\":[],\"methodCalls\":[]}")
            #expect(answer.status == 403)
        }
        #expect(running.service.state.withLock { $0.mostInside } == 0)
        await running.server.stop()
    }

    @Test(arguments: guarded)
    func thePageMay(_ method: String, _ target: String) async throws {
        running.service.change { $0.downloads["b1"] = PatternSource(size: 10) }
        let cookie = try await running.signIn()
        for proof in [["Sec-Fetch-Site: same-origin"], ["Origin: http://\(running.host)"]] {
            let client = try running.client()
            let isPost = method == "POST"
            let request = running.request(
                method, target, [cookie] + proof + (isPost ? ["Content-Type: application/json"] : []),
                body: isPost ? "{}" : nil)
            let head = try await WireClient.onThread {
                try client.put(request)
                return String(decoding: try client.some(), as: UTF8.self)
            }
            #expect(head.hasPrefix("HTTP/1.1 20"))
        }
        await running.server.stop()
    }

    /// No page of another origin may read an answer.
    @Test func noAnswerIsShared() async throws {
        for origin in ["https://evil.example", "null", "http://\(running.host)"] {
            let headers = ["Origin: \(origin)", running.bearer]
            for method in ["GET", "OPTIONS"] {
                let answer = try await running.ask(method, "/.well-known/jmap", headers)
                #expect(answer.headers.allSatisfy { !$0.name.lowercased().hasPrefix("access-control-") })
            }
        }
        await running.server.stop()
    }

    @Test func aTokenInTheAddressIsNoToken() async throws {
        for name in ["access_token", "token", "authorization", "bearer", "code"] {
            for target in ["/.well-known/jmap?", "/jmap/events?types=*&closeafter=no&ping=0&"] {
                let answer = try await running.ask("GET", "\(target)\(name)=\(running.token)")
                #expect(answer.status == 401)
            }
        }
        let userinfo = "GET http://x:\(running.token)@\(running.host)/.well-known/jmap HTTP/1.1\r\n"
        let answer = try await running.client().ask(userinfo + "Host: \(running.host)\r\n\r\n")
        #expect(answer.status >= 400)
        await running.server.stop()
    }

    @Test func bearerAndBasic() async throws {
        for user in ["", "t", "somebody@example.org"] {
            let basic = Data("\(user):\(running.token)".utf8).base64EncodedString()
            let answer = try await running.ask("GET", "/.well-known/jmap", ["Authorization: Basic \(basic)"])
            #expect(answer.status == 200 && answer.json["isPage"] as? Bool == false)
        }
        let answer = try await running.ask(
            "GET", "/.well-known/jmap", ["authorization: bEARER \(running.token)"])
        #expect(answer.status == 200)
        await running.server.stop()
    }

    @Test(arguments: ["Bearer", "Basic x", "Digest abc", "Bearer ", "Basic \u{e9}", "Bearer mk_wrong"])
    func whatIsNoProof(_ value: String) async throws {
        let answer = try await running.ask("GET", "/.well-known/jmap", ["Authorization: \(value)"])
        #expect(answer.status == 401)
        #expect(answer.header("Content-Type") == "application/problem+json")
        let twice = try await running.ask(
            "GET", "/.well-known/jmap", [running.bearer, "Authorization: Bearer x"])
        #expect(twice.status == 400)
        await running.server.stop()
    }

    /// A password that a browser remembers goes along with whatever page asks.
    @Test func aBrowserGetsNothingForAToken() async throws {
        for site in ["none", "cross-site", "same-site"] {
            let headers = [running.bearer, "Sec-Fetch-Site: \(site)"]
            #expect(try await running.ask("GET", "/.well-known/jmap", headers).status == 403)
        }
        let asked = try await running.ask("GET", "/.well-known/jmap", ["Sec-Fetch-Site: none"])
        #expect(
            asked.headers.filter { $0.name == "WWW-Authenticate" }.map(\.value) == [
                "Bearer realm=\"mailkernel\""
            ])
        let program = try await running.ask("GET", "/.well-known/jmap")
        #expect(program.headers.contains { $0.value == "Basic realm=\"mailkernel\"" })
        await running.server.stop()
    }

    @Test func aReadOnlyTokenMayNotWrite() async throws {
        let reader = "Authorization: Bearer \(running.readToken)"
        let session = try await running.ask("GET", "/.well-known/jmap", [reader])
        #expect(session.json["mayWrite"] as? Bool == false)
        let upload = try await running.ask("POST", "/jmap/upload/a1/", [reader], body: "x")
        #expect(upload.status == 403 && running.service.state.withLock { $0.blobs.isEmpty })
        await running.server.stop()
    }

    @Test func aRevokedTokenOpensNothing() async throws {
        let token = try running.tokens.create(name: "Phone", isReadOnly: false)
        let headers = ["Authorization: Bearer \(token)"]
        let client = try running.client()
        let request = running.request("GET", "/.well-known/jmap", headers)
        #expect(try await client.ask(request).status == 200)
        try running.tokens.revoke(name: "Phone")
        #expect(try await client.ask(request).status == 401)
        await running.server.stop()
    }

    @Test func aFileOfTokensThatIsBrokenLetsNobodyIn() async throws {
        let file = running.place.url.appending(path: "config/tokens.json")
        try Data("{ broken".utf8).write(to: file)
        #expect(try await running.ask("GET", "/.well-known/jmap", [running.bearer]).status == 500)
        await running.server.stop()
    }

    /// Loopback is shared by all users of a computer; a stolen secret opens nothing from another one's account.
    @Test(.enabled(if: geteuid() == 0, "only the administrator can try to be another user"))
    func anotherUserOfThisComputerIsRefused() async throws {
        for host in ["127.0.0.1", "[::1]"] {
            let words = [
                "curl", "--silent", "--oauth2-bearer", running.token,
                "http://\(host):\(running.port)/.well-known/jmap",
            ]
            let own = try await Command.run("env", words)
            #expect(own.status == 0 && own.output.contains("apiUrl"))
            let other = try await Command.run(
                "setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups"] + words)
            #expect(other.status != 0 && other.output.isEmpty)
        }
        await running.server.stop()
    }

    /// Guesses are answered late, and a client that knows a secret does not wait for them.
    @Test func guessingIsSlowAndHoldsNobodyUp() async throws {
        // So long that no machine is as slow.
        let running = try RunningServer { $0.slowdown = .seconds(600) }
        let answered = Watched<[Int]>([])
        let guesses = try (0..<40).map { _ in try running.client() }
        let guessing = guesses.map { guess in
            Task {
                let answer = try? await guess.ask(
                    running.request("GET", "/.well-known/jmap", ["Authorization: Bearer mk_no"]))
                answered.withLock { $0.append(answer?.status ?? 0) }
            }
        }
        // All have come: 32 wait, and the others are turned away.
        await answered.wait { $0.count >= 8 }
        for _ in 0..<20 {
            #expect(try await running.ask("GET", "/.well-known/jmap", [running.bearer]).status == 200)
        }
        #expect(answered.value == Array(repeating: 429, count: 8))
        await running.server.stop()
        for guess in guessing { await guess.value }
    }

    @Test func aGuessIsAnsweredInTheEnd() async throws {
        let began = ContinuousClock.now
        for _ in 0..<3 {
            let answer = try await running.ask(
                "GET", "/.well-known/jmap", ["Authorization: Bearer mk_no"])
            #expect(answer.status == 401)
        }
        // 0.2, 0.4 and 0.8 seconds.
        #expect(ContinuousClock.now - began > .seconds(1))
        await running.server.stop()
    }
}
