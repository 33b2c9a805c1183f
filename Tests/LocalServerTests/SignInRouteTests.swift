import Foundation
import JMAP
import MailKernelAPI
import Testing

@testable import LocalServer

/// The loopback redirect of RFC 8252.
@Suite("The browser comes back from a service") struct SignInRouteTests {
    @Test func whatItBringsIsHandedOverAndAPageShown() async throws {
        let running = try RunningServer()
        running.service.state.withLock {
            $0.landing = BrowserLanding("You are signed in. You can close this window.")
        }
        // As a browser comes from another site: no cookie, no origin.
        let answer = try await running.ask(
            "GET", "/signin?state=a%2Fb&code=4%2F0x&scope=a+b",
            ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"])
        #expect(answer.status == 200 && answer.text.contains("<h1>You are signed in."))
        #expect(answer.header("Cache-Control") == "no-store" && answer.header("Set-Cookie") == nil)
        #expect(answer.header("Content-Security-Policy")?.contains("default-src") == true)
        #expect(
            running.service.state.withLock { $0.landings } == [
                ["state": "a/b", "code": "4/0x", "scope": "a+b"]
            ])
        await running.server.stop()
    }

    @Test func foreignWordsAreText() async throws {
        let running = try RunningServer()
        running.service.state.withLock {
            $0.landing = BrowserLanding("It failed", ["<script>alert(1)</script> & more"])
        }
        let answer = try await running.ask("GET", "/signin?state=x&error=no")
        #expect(answer.text.contains("<p>&lt;script&gt;alert(1)&lt;/script&gt; &amp; more</p>"))
        await running.server.stop()
    }

    @Test(arguments: ["", "?state=a&state=b", "?state=%FF"])
    func whatNobodyWaitsForIsAnsweredLateWithoutHandingItOver(_ query: String) async throws {
        let running = try RunningServer()
        let began = ContinuousClock.now
        let answer = try await running.ask("GET", "/signin\(query)")
        #expect(answer.status == 404 && ContinuousClock.now - began > .milliseconds(150))
        #expect(running.service.state.withLock { $0.landings } == [[:]])
        await running.server.stop()
    }

    @Test func itIsOnThePageListenerAlone() async throws {
        let running = try RunningServer { $0.tlsPort = .number(0) }
        #expect(try await running.ask("POST", "/signin?state=x").status == 405)
        #expect(try await running.ask("GET", "/signin?state=x", ["Host: evil.example"]).status == 421)
        #expect(try await running.ask("GET", "/signin", ["Origin: https://evil.example"]).status == 403)
        await running.server.stop()
    }

    /// The address that a provider is given leads here.
    @Test func theAddressIsLoopbackByNumber() {
        let request = HTTPRequest(
            method: "GET", target: "/", headers: [("host", "localhost:4711")],
            listener: HTTPRequest.Listener(port: 4711, isTLS: false))
        #expect(request.sessionURLs.signIn == "http://127.0.0.1:4711/signin")
    }
}
