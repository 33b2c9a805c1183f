import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import OAuth

/// ACC-15
@Suite("Signing in with a code on another device") struct DeviceTests {
    private static let place = "https://id.test/device"
    private static let code = #"""
        {"device_code":"secret-code","user_code":"WDJB-MJHT","verification_uri":"https://id.test/go",
        "verification_uri_complete":"https://id.test/go?c=WDJB-MJHT","expires_in":900,"interval":5}
        """#
    private static let expired = AccountError.authenticationRequired(
        reason: "The code has expired. Try again to get a new one.")
    private static let pending = ScriptedNetwork.Answer.status(400, #"{"error":"authorization_pending"}"#)

    private func person(
        _ tokens: [ScriptedNetwork.Answer], code: String = DeviceTests.code
    ) -> FoundPerson {
        FoundPerson(
            ["device_authorization_endpoint": .string(Self.place), "authorization_endpoint": nil],
            [Self.place: [.status(200, code)], FoundPerson.token: tokens])
    }

    private func shown(_ outcome: FoundSignIn.Outcome?) throws -> (code: SignInCode, memory: Secret) {
        guard case .step(.code(let code, let memory))? = outcome else {
            throw FoundPerson.Unexpected(words: "\(String(describing: outcome))")
        }
        return (code, memory)
    }

    /// Lets the time pass that a sign-in waits for, and returns how long that was.
    private func wait(
        _ person: FoundPerson, _ memory: Secret
    ) async -> (result: Result<FoundSignIn.Outcome?, any Error>, seconds: Double) {
        let start = person.clock.now
        let mover = Task { await person.clock.keepMoving(by: 1) }
        defer { mover.cancel() }
        do {
            let outcome = try await person.signIn.next(.shown(memory: memory))
            return (.success(outcome), person.clock.now.timeIntervalSince(start))
        } catch {
            return (.failure(error), person.clock.now.timeIntervalSince(start))
        }
    }

    @Test func waitsUntilTheCodeWasEntered() async throws {
        let person = person([Self.pending, Self.pending, grant("a", more: #", "refresh_token": "r""#)])
        let (code, memory) = try shown(try await person.signIn.begin(person.start()))
        #expect(code.code == "WDJB-MJHT" && code.page.absoluteString == "https://id.test/go")
        #expect(code.filledPage?.absoluteString == "https://id.test/go?c=WDJB-MJHT")
        let (result, seconds) = await wait(person, memory)
        let grant = try FoundPerson.granted(by: try result.get())
        #expect(grant.secrets["refreshToken"] == Secret("r") && seconds == 15)
        let asked = person.network.requests.filter { $0.contains("device_code=secret-code") }
        #expect(asked.count == 3 && asked.allSatisfy { $0.contains("client_id=first") })
        #expect(
            asked[0].hasPrefix("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&"))
    }

    /// A server that only ever slows down is asked ever less often, until the code has ended.
    @Test func aFloodOfSlowDownsEnds() async throws {
        let person = person([.status(400, #"{"error":"slow_down"}"#)])
        let memory = try shown(try await person.signIn.begin(person.start())).memory
        let (result, seconds) = await wait(person, memory)
        #expect(throws: Self.expired) {
            try result.get()
        }
        #expect(seconds <= 900)
        #expect(person.network.places.filter { $0 == FoundPerson.token }.count < 25)
    }

    @Test func endsAsTheServerSays() async throws {
        let cases: [(String, AccountError)] = [
            ("access_denied", .denied),
            ("expired_token", Self.expired),
            ("invalid_grant", TokenFailure.refused(.invalidGrant).accountError(.named("id.test"))),
            ("nonsense", TokenFailure.refused(.somethingElse).accountError(.named("id.test"))),
        ]
        for (error, expected) in cases {
            let person = person([.status(400, #"{"error":"\#(error)"}"#)])
            let memory = try shown(try await person.signIn.begin(person.start())).memory
            let result = await wait(person, memory).result
            #expect(throws: expected) { try result.get() }
        }
        // A network that comes back, and a server that cannot answer, end nothing.
        let person = person([
            .failure(.offline), .status(503, ""), .failure(.closed(host: "id.test")),
            grant("a", more: #", "refresh_token": "r""#),
        ])
        let memory = try shown(try await person.signIn.begin(person.start())).memory
        _ = try FoundPerson.granted(by: try await wait(person, memory).result.get())
    }

    @Test func badCodesAreRefusedWhole() throws {
        let bad = [
            "", "{}", "[]", Self.code.replacing("WDJB-MJHT\",", with: "\\n\","),
            Self.code.replacing("secret-code", with: ""), Self.code.replacing("900", with: "-1"),
            Self.code.replacing("WDJB-MJHT\",", with: String(repeating: "a", count: 100) + "\","),
            Self.code.replacing("https://id.test/go\"", with: "http://id.test/go\""),
            Self.code.replacing("https://id.test/go\"", with: "javascript:x\""),
            // The page of another service, which would give this server the user's account there.
            Self.code.replacing("https://id.test/go\"", with: "https://large.test/device\""),
            Self.code.replacing("https://id.test/go\"", with: "https://192.168.0.1/go\""),
            Self.code.replacing("900", with: "900,\"x\":\"" + String(repeating: "a", count: 70_000) + "\""),
        ]
        for text in bad {
            #expect(throws: DiscoveryFailure.self, "\(text.prefix(80))") {
                try DeviceSignIn(Data(text.utf8), of: OAuthService.url(Metadata.issuer), at: .distantPast)
            }
        }
        // A link that leads elsewhere is not shown; strange times are taken with sense.
        let strange = Self.code.replacing("https://id.test/go?c", with: "https://evil.test/go?c")
            .replacing("\"interval\":5", with: "\"interval\":0").replacing("900", with: "1e9")
        let device = try DeviceSignIn(
            Data(strange.utf8), of: OAuthService.url(Metadata.issuer), at: Date(timeIntervalSince1970: 0))
        #expect(device.filledPage == nil && device.interval == 1 && device.ends == 1_500)
    }

    /// With both, the user chooses.
    @Test func theWayIsChosen() async throws {
        let person = FoundPerson(
            ["device_authorization_endpoint": .string(Self.place)],
            [Self.place: [.status(200, Self.code)]])
        let (fields, memory) = try FoundPerson.form(
            try await person.signIn.begin(person.start(allowsPassword: true)))
        guard case .choice(let choices) = fields[0].kind else { return #expect(Bool(false), "no choice") }
        #expect(choices.map(\.value) == ["browser", "code", "password"] && fields.count == 1)
        func choose(_ way: String) async throws -> FoundSignIn.Outcome? {
            try await person.signIn.next(.form([fields[0].name: Secret(way)], memory: memory))
        }
        _ = try shown(try await choose("code"))
        _ = try FoundPerson.browser(try await choose("browser"))
        guard case .password(nil, ["what": "kept"])? = try await choose("password") else {
            return #expect(Bool(false), "no password")
        }
    }
}

extension OAuthService {
    fileprivate static func named(_ name: String) -> OAuthService {
        var service = test
        service.name = name
        return service
    }
}
