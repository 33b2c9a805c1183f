import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import OAuth

/// A sign-in at a scripted server, as a plugin goes through it.
struct FoundPerson: Sendable {
    let network: ScriptedNetwork
    let clock = ManualClock()
    let secrets = MemorySecrets()

    static let register = "https://id.test/register"
    static let token = "https://id.test/token"
    static let redirect = "http://127.0.0.1:4321/signin"

    /// - Parameter pages: besides the description and the places of a good server.
    init(_ changes: [String: JSONValue?] = [:], _ pages: [String: [ScriptedNetwork.Answer]] = [:]) {
        let good: [String: [ScriptedNetwork.Answer]] = [
            Metadata.place: [.status(200, Metadata.json(changes))],
            Self.register: [
                .status(201, #"{"client_id":"first"}"#), .status(201, #"{"client_id":"second"}"#),
            ],
            Self.token: [grant("access", more: #", "refresh_token": "refresh""#)],
        ]
        network = ScriptedNetwork(pages: good.merging(pages) { $1 })
    }

    var signIn: FoundSignIn {
        FoundSignIn(
            host: HostServices(
                pluginID: "test", log: PluginLog(least: .error) { _, _ in }, settings: PluginSettings(),
                secrets: secrets, dataFolder: URL(filePath: "/tmp"), clock: clock, network: network))
    }

    func start(seen: Set<String> = ["id.test"], allowsPassword: Bool = false) -> FoundSignIn.Start {
        FoundSignIn.Start(
            issuer: OAuthService.url(Metadata.issuer), address: "ada@lovelace.test",
            redirect: OAuthService.url(Self.redirect), seen: seen, allowsPassword: allowsPassword,
            note: ["what": "kept"])
    }

    struct Unexpected: Error { let words: String }

    static func form(_ outcome: FoundSignIn.Outcome?) throws -> (fields: [FormField], memory: Secret) {
        guard case .step(.form(let fields, let memory))? = outcome else {
            throw Unexpected(words: "\(String(describing: outcome))")
        }
        return (fields, memory)
    }

    static func browser(_ outcome: FoundSignIn.Outcome?) throws -> (page: URL, state: String, memory: Secret)
    {
        guard case .step(.browser(let page, let memory))? = outcome else {
            throw Unexpected(words: "\(String(describing: outcome))")
        }
        let query = page.query(percentEncoded: false) ?? ""
        let item = query.split(separator: "&").first { $0.hasPrefix("state=") }
        return (page, item.map { String($0.dropFirst(6)) } ?? "", memory)
    }

    static func granted(by outcome: FoundSignIn.Outcome?) throws -> FoundSignIn.Grant {
        guard case .signedIn(let grant)? = outcome else {
            throw Unexpected(words: "\(String(describing: outcome))")
        }
        return grant
    }

    static func answers(_ fields: [FormField], _ changes: [String: String] = [:]) -> [String: Secret] {
        let initial = Dictionary(fields.map { ($0.name, $0.initialValue) }) { $1 }
        return initial.merging(changes) { $1 }.mapValues { Secret($0) }
    }

    func registrations() -> Int { network.places.filter { $0 == Self.register }.count }
}

/// ACC-10, ACC-11: the program registers, and each host is agreed to.
@Suite("A program signs in at a server that has never heard of it") struct FoundSignInTests {
    @Test func registersAndSignsIn() async throws {
        let person = FoundPerson()
        let (page, state, memory) = try FoundPerson.browser(try await person.signIn.begin(person.start()))
        let text = page.absoluteString
        #expect(text.hasPrefix("https://id.test/auth?client_id=first&"))
        #expect(
            text.contains("code_challenge_method=S256") && text.contains("login_hint=ada%40lovelace.test"))
        let asked = person.network.requests.first { $0.contains("redirect_uris") } ?? ""
        #expect(asked.contains(#""token_endpoint_auth_method":"none""#))
        #expect(asked.contains(#"http:\/\/127.0.0.1:4321\/signin"#) || asked.contains(FoundPerson.redirect))
        let grant = try FoundPerson.granted(
            by: try await person.signIn.next(.redirected(["state": state, "code": "c"], memory: memory)))
        #expect(grant.note == ["what": "kept"] && grant.service.clientID == "first")
        #expect(grant.secrets["refreshToken"] == Secret("refresh") && grant.accessToken == Secret("access"))
        // As the account's settings keep it.
        #expect(FoundService(grant.service.settings) == grant.service)
        #expect(!"\(grant.service.settings)".contains("refresh\""))

        // A sign-in later, after a restart, takes the same client.
        let again = FoundSignIn.Start(
            again: grant.service, address: "ada@lovelace.test",
            redirect: OAuthService.url(FoundPerson.redirect),
            note: [:])
        let second = try FoundPerson.browser(try await person.signIn.begin(again)).page.absoluteString
        #expect(second.contains("client_id=first&") && person.registrations() == 1)
        // Unless the server has refused it since.
        await RefusedClients(person.secrets).note(.invalidGrant, OAuthClient(id: "first", secret: nil))
        _ = try await person.signIn.begin(again)
        #expect(person.registrations() == 1)
        await RefusedClients(person.secrets).note(.invalidClient, OAuthClient(id: "first", secret: nil))
        let third = try FoundPerson.browser(try await person.signIn.begin(again)).page.absoluteString
        #expect(third.contains("client_id=second&") && person.registrations() == 2)
    }

    /// The server has forgotten the client between two steps: once more, and not again and again.
    @Test func aForgottenClientIsRegisteredOnceMore() async throws {
        let refused = ScriptedNetwork.Answer.status(401, #"{"error":"invalid_client"}"#)
        let person = FoundPerson([:], [FoundPerson.token: [refused]])
        let first = try FoundPerson.browser(try await person.signIn.begin(person.start()))
        let second = try FoundPerson.browser(
            try await person.signIn.next(
                .redirected(["state": first.state, "code": "c"], memory: first.memory)))
        #expect(second.page.absoluteString.contains("client_id=second&"))
        await #expect(throws: AccountError.self) {
            try await person.signIn.next(
                .redirected(["state": second.state, "code": "c"], memory: second.memory))
        }
        #expect(person.registrations() == 2)
    }

    @Test func aBadRegistrationLeadsToThePasswordOrIsSaid() async throws {
        let cases: [(Int, String)] = [
            (400, #"{"error":"invalid_redirect_uri"}"#), (403, ""), (201, "{}"), (201, "<html>"),
            (201, #"{"client_id":"a\nb"}"#), (201, #"{"client_id":""}"#),
            (201, #"{"client_id":"a","redirect_uris":["https://evil.test/"]}"#),
            (201, #"{"client_id":"a","x":"\#(String(repeating: "b", count: 70_000))"}"#), (404, ""),
        ]
        for (status, body) in cases {
            let person = FoundPerson([:], [FoundPerson.register: [.status(status, body)]])
            await #expect(throws: AccountError.self, "\(body.prefix(60))") {
                try await person.signIn.begin(person.start())
            }
            guard
                case .password(let reason?, let note) = try await person.signIn.begin(
                    person.start(allowsPassword: true)
                ).chosen("browser", by: person)
            else {
                Issue.record("\(status) \(body.prefix(60))")
                continue
            }
            #expect(reason.hasPrefix("id.test ") && note == ["what": "kept"])
        }
    }

    @Test func aServerWithoutRegistrationAsksForAnID() async throws {
        let person = FoundPerson(["registration_endpoint": nil])
        let (fields, memory) = try FoundPerson.form(try await person.signIn.begin(person.start()))
        #expect(fields.map(\.name) == ["clientId", "clientSecret"])
        await #expect(throws: AccountError.self) {
            try await person.signIn.next(.form(FoundPerson.answers(fields), memory: memory))
        }
        let step = try await person.signIn.next(
            .form(FoundPerson.answers(fields, ["clientId": "given"]), memory: memory))
        #expect(try FoundPerson.browser(step).page.absoluteString.contains("client_id=given&"))
    }

    /// Each host is shown by its name before it is asked or opened.
    @Test func everyHostIsAgreedTo() async throws {
        let person = FoundPerson([
            "token_endpoint": "https://token.else.test/t",
            "authorization_endpoint": "https://page.id.test/",
        ])
        let first = try FoundPerson.form(try await person.signIn.begin(person.start(seen: [])))
        #expect(first.fields.map(\.initialValue) == ["id.test"] && first.fields[0].kind == .host)
        #expect(person.network.places.isEmpty)
        await #expect(throws: AccountError.self) {
            try await person.signIn.next(
                .form([first.fields[0].name: Secret("evil.test")], memory: first.memory))
        }
        let second = try FoundPerson.form(
            try await person.signIn.next(
                .form(FoundPerson.answers(first.fields), memory: first.memory)))
        #expect(second.fields.map(\.initialValue) == ["id.test", "page.id.test", "token.else.test"])
        #expect(second.fields.allSatisfy { $0.kind == .host } && person.registrations() == 0)
        // The kernel keeps what was entered under a name for as long as it does not change.
        #expect(second.fields[0].name == first.fields[0].name)
        let step = try await person.signIn.next(
            .form(FoundPerson.answers(second.fields), memory: second.memory))
        #expect(try FoundPerson.browser(step).page.absoluteString.hasPrefix("https://page.id.test/?"))
    }

    /// RFC 9207: announced, it must be there; and what is there must be right.
    @Test func theIssuerThatComesBackIsCompared() async throws {
        for isAnnounced in [true, false] {
            let person = FoundPerson(["authorization_response_iss_parameter_supported": .bool(isAnnounced)])
            let (_, state, memory) = try FoundPerson.browser(try await person.signIn.begin(person.start()))
            var wrong: [String?] = ["https://evil.test", "https://id.test/", ""]
            if isAnnounced { wrong.append(nil) }
            for issuer in wrong {
                var items = ["state": state, "code": "c"]
                items["iss"] = issuer
                await #expect(throws: AccountError.badAnswer("the browser returned from a different server"))
                {
                    try await person.signIn.next(.redirected(items, memory: memory))
                }
            }
            #expect(!person.network.places.contains(FoundPerson.token))
            let items = ["state": state, "code": "c", "iss": Metadata.issuer]
            _ = try FoundPerson.granted(by: try await person.signIn.next(.redirected(items, memory: memory)))
        }
    }

    @Test func badTokensAndRefusalsAreSaid() async throws {
        let cases: [(ScriptedNetwork.Answer, AccountError)] = [
            (
                .status(400, #"{"error":"invalid_grant"}"#),
                .authenticationRequired(reason: "id.test did not accept the browser's response.")
            ),
            (.status(200, "{}"), .badAnswer("the token response is invalid")),
            (grant("a"), .authenticationRequired(reason: "id.test granted access for a limited time only.")),
            (
                grant("a", more: #", "refresh_token": "r", "scope": "other""#),
                .authenticationRequired(
                    reason: "The permission to read, write and send mail was not granted.")
            ),
        ]
        for (answer, error) in cases {
            let person = FoundPerson([:], [FoundPerson.token: [answer]])
            let (_, state, memory) = try FoundPerson.browser(try await person.signIn.begin(person.start()))
            await #expect(throws: error) {
                try await person.signIn.next(.redirected(["state": state, "code": "c"], memory: memory))
            }
        }
        let person = FoundPerson()
        let (_, state, memory) = try FoundPerson.browser(try await person.signIn.begin(person.start()))
        await #expect(throws: AccountError.denied) {
            try await person.signIn.next(
                .redirected(["state": state, "error": "access_denied"], memory: memory))
        }
    }

    @Test func aPluginsOwnStepsAreLeftToIt() async throws {
        let person = FoundPerson()
        for memory in ["", "{}", #"{"second":{}}"#] {
            #expect(try await person.signIn.next(.form([:], memory: Secret(memory))) == nil)
            #expect(try await person.signIn.next(.redirected([:], memory: Secret(memory))) == nil)
        }
    }
}

extension FoundSignIn.Outcome {
    /// What comes of choosing a way in the form.
    fileprivate func chosen(_ way: String, by person: FoundPerson) async throws -> FoundSignIn.Outcome? {
        let (fields, memory) = try FoundPerson.form(self)
        return try await person.signIn.next(
            .form(FoundPerson.answers(fields, ["way": way]), memory: memory))
    }
}
