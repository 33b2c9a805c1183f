import Foundation
import JMAP
import Testing

@testable import LocalServer

@Suite("The page unlocks the program") struct LockRouteTests {
    @Test func thePageAsksAndUnlocks() async throws {
        let running = try RunningServer()
        let page = [try await running.signIn(), "Sec-Fetch-Site: same-origin"]
        running.service.state.withLock { $0.isLocked = true }
        #expect(try await running.ask("GET", "/lock", page).text == #"{"isLocked":true}"#)
        for (body, status) in [
            ("", 400), ("{}", 400), (#"{"password": 5}"#, 400), (#"{"password": "no"}"#, 403),
        ] {
            #expect(try await running.ask("POST", "/unlock", page, body: body).status == status, "\(body)")
        }
        let open = try await running.ask("POST", "/unlock", page, body: #"{"password": "open sesame"}"#)
        #expect(open.status == 200 && open.text == #"{"isLocked":false}"#)
        await running.server.stop()
    }

    @Test func nobodyElseMayTry() async throws {
        let running = try RunningServer()
        #expect(try await running.ask("GET", "/lock").status == 401)
        #expect(try await running.ask("POST", "/unlock", [running.bearer], body: "{}").status == 403)
        let page = try await running.signIn()
        let foreign = [page, "Sec-Fetch-Site: cross-site"]
        #expect(try await running.ask("POST", "/unlock", foreign, body: "{}").status == 403)
        await running.server.stop()
    }

    @Test func streamsDoNotBeginWhileItIsLocked() async throws {
        let running = try RunningServer()
        running.service.state.withLock { $0.isLocked = true }
        #expect(
            try await running.ask("GET", "/jmap/events?types=*&closeafter=no&ping=0", [running.bearer]).status
                == 423)
        await running.server.stop()
    }

    @Test func aTokenSaysWhetherItIsGoodWhileLocked() throws {
        let running = try RunningServer()
        let allowed = try running.tokens.create(name: "always", isReadOnly: false, worksWhileLocked: true)
        #expect(try running.tokens.entry(for: allowed)?.worksWhileLocked == true)
        #expect(try running.tokens.entry(for: running.token)?.worksWhileLocked == nil)
    }
}
