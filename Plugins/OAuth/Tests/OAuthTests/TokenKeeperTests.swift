import MailKernelAPI
import MailKernelConformance
import Testing

@testable import OAuth

/// FR-ACCT-04: a token is renewed before it ends; what fails is tried three more times, then the user is asked.
@Suite("There is always a token that is good, or a reason why not", .timeLimit(.minutes(10)))
struct TokenKeeperTests {
    private let clock = ManualClock()
    private let signIn = KeptSignIn()

    private func keeper(_ network: ScriptedNetwork, _ signIn: KeptSignIn? = nil) -> TokenKeeper {
        TokenKeeper(TokenEndpoint(.test, network: network), store: signIn ?? self.signIn, clock: clock)
    }

    /// Moves the clock over each pause, and says how long they were.
    private func sleepThrough(_ pauses: [Double]) async {
        for pause in pauses {
            await clock.waitForSleepers { $0 == 1 }
            clock.advance(by: pause - 0.5)
            #expect(clock.sleepers == 1, "it woke before \(pause) seconds")
            clock.advance(by: 0.5)
            await clock.waitForSleepers { $0 == 0 }
        }
    }

    @Test func aTokenIsAskedForOnceAndRenewedAheadOfItsEnd() async throws {
        let network = ScriptedNetwork(grant("one"), grant("two"))
        let keeper = keeper(network)
        #expect(try await keeper.token().revealed == "one")
        clock.advance(by: 3_299)
        #expect(try await keeper.token().revealed == "one")
        #expect(network.requests.count == 1)
        clock.advance(by: 2)
        #expect(try await keeper.token().revealed == "two")
        #expect(
            network.requests[0]
                == "grant_type=refresh_token&refresh_token=refresh-one&client_id=the-client&client_secret=the-client-secret"
        )
    }

    @Test func aClockThatWasSetBackTrustsNoToken() async throws {
        let network = ScriptedNetwork(grant("one"), grant("two"))
        let keeper = keeper(network)
        _ = try await keeper.token()
        clock.advance(by: -86_400)
        #expect(try await keeper.token().revealed == "two")
    }

    @Test func whoeverAsksMeanwhileSharesTheRequest() async throws {
        let network = ScriptedNetwork(.held(grantText("one")), grant("two"))
        let keeper = keeper(network)
        let all = (0..<20).map { _ in Task { try await keeper.token() } }
        await network.waitForRequests(1)
        network.release()
        for one in all { #expect(try await one.value.revealed == "one") }
        #expect(network.requests.count == 1)
    }

    @Test func aRefusedTokenIsReplacedOnce() async throws {
        let network = ScriptedNetwork(grant("one"), grant("two"), grant("three"))
        let keeper = keeper(network)
        let first = try await keeper.token()
        #expect(try await keeper.token(refused: first).revealed == "two")
        // Another connection was refused with the old one: it is replaced already.
        #expect(try await keeper.token(refused: first).revealed == "two")
        #expect(network.requests.count == 2)
    }

    @Test func aFailingRenewalIsTriedThreeMoreTimesWithGrowingPauses() async throws {
        let network = ScriptedNetwork(
            .status(503, "busy"), .status(500, "{}"), .status(200, "<html>"), grant("one"))
        let keeper = keeper(network)
        let asking = Task { try await keeper.token() }
        await sleepThrough([2, 8, 30])
        #expect(try await asking.value.revealed == "one")
        #expect(network.requests.count == 4)
    }

    /// Signing in again would not help.
    @Test(arguments: [
        ScriptedNetwork.Answer.status(503, "busy"), .status(429, ""), .status(500, "{}"), .status(408, ""),
        .status(200, "<html>"), .status(400, #"{"error": "temporarily_unavailable"}"#),
    ])
    func anOutageIsWaitedFor(_ answer: ScriptedNetwork.Answer) async throws {
        let network = ScriptedNetwork(answer)
        let keeper = keeper(network)
        let asking = Task { try await keeper.token() }
        await sleepThrough([2, 8, 30])
        await #expect(throws: AccountError.throttled(until: nil)) { try await asking.value }
        #expect(network.requests.count == 4)
        #expect(clock.sleepers == 0)
    }

    @Test func aBlockedWayIsNoReasonToSignIn() async throws {
        let lost = NetworkError.unreachable(host: "auth.test", reason: "no server responded")
        let network = ScriptedNetwork(.failure(lost))
        let keeper = keeper(network)
        let asking = Task { try await keeper.token() }
        await sleepThrough([2, 8, 30])
        await #expect(throws: AccountError.unreachable(host: "auth.test", reason: "no server responded")) {
            try await asking.value
        }
        // Without any network there is nothing to try.
        let offline = ScriptedNetwork(.failure(.offline))
        await #expect(throws: AccountError.offline) { try await self.keeper(offline).token() }
        #expect(offline.requests.count == 1)
    }

    /// The kernel asks three times more, with growing pauses. Calls in between share the answer.
    @Test func aRefusedSignInIsAskedForOnceAndThreeTimesMore() async throws {
        let network = ScriptedNetwork(.status(400, #"{"error": "invalid_grant", "x": "refresh-one"}"#))
        let keeper = keeper(network)
        for (pause, count) in [(0, 1), (1, 1), (5, 2), (15, 3), (45, 4), (45, 4), (86_400, 5)]
            as [(Double, Int)]
        {
            clock.advance(by: pause)
            let error = await #expect(throws: AccountError.self) { try await keeper.token() }
            guard case .authenticationRequired(let reason)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.hasPrefix("Testle no longer accepts this sign-in."))
            #expect(!reason.contains("refresh-one"))
            #expect(network.requests.count == count)
        }
        // The user signed in again.
        signIn.keep(Secret("refresh-two"))
        _ = try? await keeper.token()
        #expect(network.requests.count == 6)
    }

    @Test func aRefusalThatWasNoneIsForgotten() async throws {
        let network = ScriptedNetwork(.status(400, #"{"error": "invalid_grant"}"#), grant("one"))
        let keeper = keeper(network)
        await #expect(throws: AccountError.self) { try await keeper.token() }
        clock.advance(by: 5)
        #expect(try await keeper.token().revealed == "one")
    }

    /// Settings or manifest have to name it: that is no matter of the network.
    @Test func aHostThatIsNotAllowedIsSaid() async throws {
        let network = ScriptedNetwork(.failure(.hostNotAllowed(host: "auth.test")))
        await #expect(
            throws: AccountError.local(
                reason:
                    "auth.test cannot be contacted: it is listed neither in the plugin's manifest nor in your "
                    + "settings.")
        ) { try await self.keeper(network).token() }
        #expect(network.requests.count == 1)
    }

    @Test func whoeverLeavesLeavesAloneAndTheLastEndsIt() async throws {
        let network = ScriptedNetwork(.status(503, ""), grant("one"))
        let keeper = keeper(network)
        let leaving = Task { try await keeper.token() }
        await clock.waitForSleepers { $0 == 1 }
        let staying = Task { try await keeper.token() }
        leaving.cancel()
        await #expect(throws: AccountError.cancelled) { try await leaving.value }
        clock.advance(by: 2)
        #expect(try await staying.value.revealed == "one")

        let other = self.keeper(ScriptedNetwork(.status(503, "")))
        let alone = Task { try await other.token() }
        await clock.waitForSleepers { $0 == 1 }
        alone.cancel()
        await #expect(throws: AccountError.cancelled) { try await alone.value }
        await clock.waitForSleepers { $0 == 0 }
    }

    /// Two requests with one refresh token look like a theft to services that give each once.
    @Test func aRequestThatNobodyWaitsForAnyMoreIsSharedAllTheSame() async throws {
        let network = ScriptedNetwork(.held(grantText("one")), grant("two"))
        let keeper = keeper(network)
        let leaving = Task { try await keeper.token() }
        await network.waitForRequests(1)
        leaving.cancel()
        await #expect(throws: AccountError.cancelled) { try await leaving.value }
        let staying = Task { try await keeper.token() }
        // So that it asks before the answer comes; afterwards it is given the same one.
        for _ in 0..<100 { await Task.yield() }
        network.release()
        #expect(try await staying.value.revealed == "one")
        #expect(network.requests.count == 1)
    }

    @Test func aNextRefreshTokenIsKeptBeforeItIsUsed() async throws {
        let network = ScriptedNetwork(
            grant("one", more: #", "refresh_token": "refresh-two""#), grant("two"))
        let keeper = keeper(network)
        let token = try await keeper.token()
        #expect(signIn.refreshToken == "refresh-two")
        _ = try await keeper.token(refused: token)
        #expect(network.requests[1].contains("refresh_token=refresh-two"))
    }

    @Test(arguments: [
        (
            "unauthorized_client",
            "Testle does not let this client sign in. It must be a client for desktop apps."
        ),
        ("invalid_client", "Testle does not recognize this client, or the secret is wrong."),
        ("deleted_client", "This client was deleted at Testle."),
        ("something <b>else</b>", "Testle refused the sign-in without a known reason."),
    ])
    func aRefusalIsSaidInOurWords(_ code: String, _ sentence: String) async throws {
        let network = ScriptedNetwork(
            .status(401, #"{"error": "\#(code)", "error_description": "refresh-one the-client-secret"}"#))
        await #expect(throws: AccountError.authenticationRequired(reason: sentence)) {
            try await self.keeper(network).token()
        }
        #expect(network.requests.count == 1)
    }

    /// A client that was made again differs from the one before by its secret alone.
    @Test func aClientWithoutSecretLeavesNoSecretOfTheOneBefore() async throws {
        let drawer = MemorySecrets()
        for (client, secret) in [("one", Secret("old")), ("two", nil)] {
            let secrets = DrawerSignIn.secrets(
                refreshToken: Secret("token"), client: OAuthClient(id: client, secret: secret))
            for (name, secret) in secrets { drawer.store(secret, named: name) }
            let signIn = try await DrawerSignIn(clientID: client, secrets: drawer).signIn()
            #expect(signIn.client == OAuthClient(id: client, secret: secret))
        }
    }

    @Test func aMissingSignInIsSaid() async throws {
        let network = ScriptedNetwork(grant("one"))
        await #expect(throws: AccountError.authenticationRequired(reason: "none")) {
            try await self.keeper(network, KeptSignIn(nil)).token()
        }
        #expect(network.requests.isEmpty)
    }
}
