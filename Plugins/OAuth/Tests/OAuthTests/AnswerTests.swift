import FoundationEssentials
import MailKernelAPI
import Testing

@testable import OAuth

@Suite("Answers about tokens may be anything") struct AnswerTests {
    /// What is no token: too much, too deep, of another kind, or made to end a command and begin another.
    static let bad: [String] = [
        "", "{}", "[]", "null", "\"text\"", "<html>", "{\"access_token\": null}",
        #"{"access_token": 7, "expires_in": 3600}"#, #"{"access_token": "", "expires_in": 3600}"#,
        #"{"access_token": "a b"}"#, #"{"access_token": "a\r\nA1 DELETE INBOX"}"#,
        #"{"access_token": "a\u0000"}"#, #"{"access_token": "a\u0001auth=Bearer b"}"#,
        #"{"access_token": "ä"}"#, #"{"access_token": "a", "token_type": "mac"}"#,
        #"{"access_token": "a", "refresh_token": "b c"}"#, #"{"access_token": "a", "expires_in": {}}"#,
        #"{"access_token": "a", "expires_in": 1e999}"#, #"{"access_token": ["a"]}"#,
        #"{"access_token": "a", "scope": ["x"]}"#, "{\"access_token\": \"a\"",
        String(repeating: "[", count: 60_000), String(repeating: #"{"access_token":"#, count: 4_000),
        #"{"access_token": "\#(String(repeating: "a", count: 20_000))"}"#,
        #"{"access_token": "a", "x": "\#(String(repeating: "b", count: 70_000))"}"#,
    ]

    @Test(arguments: bad.indices) func isRefusedWhole(_ index: Int) {
        #expect(throws: TokenFailure.notUnderstood) { try TokenGrant(Data(Self.bad[index].utf8)) }
    }

    @Test func bentAnswersAreReadOrRefused() throws {
        let good = Array(
            #"{"access_token": "a", "expires_in": 3600, "scope": "x y", "refresh_token": "r"}"#.utf8)
        for place in good.indices {
            for byte in [0, 0x22, 0x5c, 0x7b, 0xff] as [UInt8] {
                var bent = good
                bent[place] = byte
                if let grant = try? TokenGrant(Data(bent)) { #expect(!grant.accessToken.revealed.isEmpty) }
            }
            _ = try? TokenGrant(Data(good[..<place]))
        }
    }

    @Test func lifetimesAreTakenWithSense() throws {
        for (text, seconds) in [
            ("3600", 3_600), ("\"3599\"", 3_599), ("-5", 30), ("0", 30), ("1e12", 86_400), ("\"soon\"", 30),
        ] as [(String, Double)] {
            let grant = try TokenGrant(Data(#"{"access_token": "a", "expires_in": \#(text)}"#.utf8))
            #expect(grant.lifetime == seconds, "\(text)")
        }
        #expect(try TokenGrant(Data(#"{"access_token": "a"}"#.utf8)).lifetime == 300)
    }
}

@Suite("A sign-in in the browser cannot be intercepted") struct BrowserSignInTests {
    private let client = OAuthClient(id: "id with space&", secret: Secret("s"))
    private let redirect = OAuthService.url("http://127.0.0.1:4321/signin")

    private var service: OAuthService {
        OAuthService(
            name: "Testle", authorization: OAuthService.url("https://auth.test/auth"),
            token: OAuthService.url("https://auth.test/token"), scopes: ["https://mail.test/", "b"],
            parameters: ["access_type": "offline"])
    }

    /// The example of RFC 7636, appendix B.
    @Test func theChallengeIsTheHashOfTheProof() {
        let proof = ProofKey(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(proof.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test func thePageIsAskedForAllThatIsNeeded() throws {
        let signIn = BrowserSignIn(client: client, redirect: redirect)
        let page = try signIn.page(of: service, loginHint: "ada+1@gmail.test")
        let items = try #require(URLComponents(string: page.absoluteString)?.queryItems)
        let found = Dictionary(items.map { ($0.name, $0.value) }) { first, _ in first }
        #expect(page.absoluteString.hasPrefix("https://auth.test/auth?client_id=id%20with%20space%26&"))
        #expect(
            found == [
                "client_id": "id with space&", "redirect_uri": "http://127.0.0.1:4321/signin",
                "response_type": "code", "scope": "https://mail.test/ b", "state": signIn.state,
                "code_challenge": signIn.proof.challenge, "code_challenge_method": "S256",
                "login_hint": "ada+1@gmail.test", "access_type": "offline",
            ])
        #expect(!page.absoluteString.contains(signIn.proof.verifier))
    }

    @Test func onlyOurOwnReturnCounts() throws {
        let signIn = try BrowserSignIn(memory: BrowserSignIn(client: client, redirect: redirect).memory)
        #expect(
            try signIn.code(from: ["state": signIn.state, "code": "c"], service: service).revealed == "c")
        #expect(throws: AccountError.denied) {
            try signIn.code(from: ["state": signIn.state, "error": "access_denied"], service: service)
        }
        let strangers: [[String: String]] = [
            [:], ["code": "c"], ["state": "", "code": "c"],
            ["state": String(signIn.state.dropLast()), "code": "c"],
            ["state": signIn.state + "x", "code": "c"], ["error": "access_denied"],
        ]
        for items in strangers {
            #expect(throws: AccountError.badAnswer("the browser returned from a different sign-in")) {
                try signIn.code(from: items, service: service)
            }
        }
        for code in [nil, "", String(repeating: "c", count: 5_000)] {
            var items = ["state": signIn.state]
            items["code"] = code
            #expect(throws: AccountError.badAnswer("the browser returned without a code")) {
                try signIn.code(from: items, service: service)
            }
        }
        #expect(
            throws: AccountError.authenticationRequired(
                reason: "The administrator of this account at Testle does not allow this client.")
        ) {
            try signIn.code(
                from: ["state": signIn.state, "error": "admin_policy_enforced"], service: service)
        }
    }

    @Test func aForeignMemoryIsNoSignIn() {
        for text in ["", "{}", "form", "{\"state\": 1}"] {
            #expect(throws: AccountError.badAnswer("the saved state of the sign-in is invalid")) {
                try BrowserSignIn(memory: Secret(text))
            }
        }
    }

    /// What is sent to end a sign-in is the token alone, and one that has ended is no failure.
    @Test func signingOutSendsTheTokenAlone() async throws {
        let network = ScriptedNetwork(
            .status(200, "{}"), .status(400, #"{"error": "invalid_token"}"#), .status(503, ""))
        let endpoint = TokenEndpoint(.test, network: network)
        try await endpoint.revoke(Secret("1//a+b"))
        try await endpoint.revoke(Secret("1//a+b"))
        #expect(network.requests == ["token=1%2F%2Fa%2Bb", "token=1%2F%2Fa%2Bb"])
        await #expect(throws: TokenFailure.busy(status: 503)) { try await endpoint.revoke(Secret("t")) }
    }
}
