import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import JMAPAccounts

/// ACC-12
@Suite("Signing in to a JMAP service with the browser") struct BrowserTests {
    private let redirect = URL(string: "http://127.0.0.1:4321/signin") ?? URL(filePath: "/")
    private let service = MemoryService(hosts: [MemoryService.host, MemoryIssuer.host])

    init() { service.issuer.withLock { $0.isOffered = true } }

    private struct Unexpected: Error { let step: String }

    private var found: DiscoveredService {
        DiscoveredService(
            address: service.address, jmap: URL(string: "https://\(MemoryService.host)/.well-known/jmap"),
            source: "example.test")
    }

    private func form(_ step: AuthorizationStep) throws -> (fields: [FormField], memory: Secret) {
        guard case .form(let fields, let memory) = step else { throw Unexpected(step: "\(step)") }
        return (fields, memory)
    }

    private func browser(_ step: AuthorizationStep) throws -> (page: URL, memory: Secret) {
        guard case .browser(let page, let memory) = step else { throw Unexpected(step: "\(step)") }
        return (page, memory)
    }

    private func answers(_ fields: [FormField], _ changes: [String: String] = [:]) -> [String: Secret] {
        let initial = Dictionary(fields.map { ($0.name, Secret($0.initialValue)) }) { $1 }
        return initial.merging(changes.mapValues { Secret($0) }) { $1 }
    }

    private func state(_ page: URL) -> String {
        let query = page.query(percentEncoded: false) ?? ""
        let item = query.split(separator: "&").first { $0.hasPrefix("state=") }
        return item.map { String($0.dropFirst(6)) } ?? ""
    }

    private func candidate(
        _ provider: JMAPProvider, _ step: AuthorizationStep
    ) async throws -> AccountCandidate {
        let (page, memory) = try browser(step)
        let items = ["state": state(page), "code": "c", "iss": "https://\(MemoryIssuer.host)"]
        let last = try await provider.authorize(.redirected(items, memory: memory))
        guard case .finished(let candidates) = last, let candidate = candidates.first else {
            throw Unexpected(step: "\(last)")
        }
        return candidate
    }

    /// From the address to mail, and on after the token has ended and the program was restarted.
    @Test func fromTheAddressToMail() async throws {
        let provider = JMAPProvider(service.host)
        let request = AuthorizationRequest(setupID: "jmap", redirect: redirect, discovered: found)
        let (fields, memory) = try form(try await provider.authorize(.begin(request)))
        // The server that signs people in is shown before it is asked.
        #expect(fields.map(\.initialValue) == ["browser", MemoryIssuer.host])
        #expect(fields.last?.kind == .host)
        let ways = try form(try await provider.authorize(.form(answers(fields), memory: memory)))
        let step = try await provider.authorize(.form(answers(ways.fields), memory: ways.memory))
        let page = try browser(step).page.absoluteString
        #expect(page.hasPrefix("https://\(MemoryIssuer.host)/auth?client_id=made-"))
        #expect(page.contains("scope=urn%3Aietf%3Aparams%3Aoauth%3Ascope%3Amail%20offline_access&"))
        #expect(page.contains("code_challenge_method=S256") && page.contains("resource=https%3A%2F%2F"))
        let candidate = try await candidate(provider, step)
        #expect(!"\(candidate.settings)".contains("access-") && !"\(candidate.settings)".contains("r-1"))
        let valid = try await provider.validate(candidate)
        #expect(valid.address == service.address)

        let secrets = MemorySecrets()
        for (name, secret) in candidate.secrets { secrets.store(secret, named: name) }
        let account = Account(
            id: Id("A1"), pluginID: "test", address: service.address, displayName: "Ada",
            addedAt: .distantPast, settings: candidate.settings)
        let session = try await JMAPProvider(service.host).session(for: account, secrets: secrets)
        _ = try await session.mailboxes()
        // Each token is renewed once when the service no longer takes it.
        service.issuer.withLock { $0.tokens = [] }
        _ = try await session.mailboxes()
        await session.close()
        let asked = service.issuer.value.requests
        #expect(asked.filter { $0.path == "/register" }.count == 1)
        #expect(asked.filter { $0.path == "/token" }.count == 3)
        #expect(secrets.secret(named: "refreshToken") == Secret("r-3"))

        // Signing in again takes the client that is there, and asks nothing.
        let again = AuthorizationRequest(setupID: "jmap", redirect: redirect, account: account)
        let second = try await self.candidate(provider, try await provider.authorize(.begin(again)))
        #expect(second.settings["accountId"] == candidate.settings["accountId"])
        #expect(service.issuer.value.requests.filter { $0.path == "/register" }.count == 1)
        try await provider.revoke(account, secrets: secrets)
        #expect(service.issuer.value.requests.last?.path == "/revoke")
    }

    /// Chosen in the form, with the server that was typed.
    @Test func theBrowserCanBeChosen() async throws {
        let provider = JMAPProvider(service.host)
        let first = try form(
            try await provider.authorize(
                .begin(AuthorizationRequest(setupID: "jmap", redirect: redirect))))
        let second = try form(
            try await provider.authorize(
                .form(
                    answers(first.fields, ["address": service.address, "signIn": "oauth"]),
                    memory: first.memory)))
        let server = try form(
            try await provider.authorize(
                .form(answers(second.fields, ["server": MemoryService.host]), memory: second.memory)))
        #expect(server.fields.map(\.initialValue) == [MemoryIssuer.host])
        let step = try await provider.authorize(.form(answers(server.fields), memory: server.memory))
        let candidate = try await candidate(provider, step)
        #expect(candidate.settings["signIn"] == "oauth")
        #expect(try await provider.validate(candidate).address == service.address)
    }

    /// An account with a password changes to the browser, and back.
    @Test func theWayCanBeChanged() async throws {
        let provider = JMAPProvider(service.host)
        let place = Place(
            address: service.address, name: "Ada", user: service.address, kind: .password,
            session: try #require(URL(string: "https://\(MemoryService.host)/jmap/session")), account: "a1")
        func change(
            _ settings: [String: JSONValue], to way: String
        ) async throws -> AuthorizationStep {
            let account = Account(
                id: Id("A1"), pluginID: "test", address: service.address, displayName: "Ada",
                addedAt: .distantPast, settings: settings)
            let request = AuthorizationRequest(
                setupID: "jmap", redirect: redirect, account: account,
                discovered: DiscoveredService(address: service.address, isToBeChanged: true))
            let first = try form(try await provider.authorize(.begin(request)))
            #expect(first.fields.map(\.name) == ["address", "signIn", "password"])
            let answers = answers(first.fields, ["signIn": way, "password": way == "oauth" ? "" : "secret"])
            return try await provider.authorize(.form(answers, memory: first.memory))
        }
        let server = try form(try await change(place.candidate(Secret("old")).settings, to: "oauth"))
        #expect(server.fields.map(\.initialValue) == [MemoryIssuer.host])
        let step = try await provider.authorize(.form(answers(server.fields), memory: server.memory))
        let candidate = try await candidate(provider, step)
        #expect(candidate.settings["signIn"] == "oauth" && candidate.settings["accountId"] == "a1")
        guard case .finished(let back) = try await change(candidate.settings, to: "password") else {
            throw Unexpected(step: "no account")
        }
        #expect(back.first?.settings["signIn"] == "password" && back.first?.settings["oauth"] == nil)
    }

    /// RFC 9207: a code of one server is not shown to another.
    @Test func anotherServersReturnIsNotTaken() async throws {
        let provider = JMAPProvider(service.host)
        var found = found
        found.authentication = [.oauth(issuer: URL(string: "https://\(MemoryIssuer.host)") ?? redirect)]
        let request = AuthorizationRequest(setupID: "jmap", redirect: redirect, discovered: found)
        let (page, memory) = try browser(try await provider.authorize(.begin(request)))
        for issuer in [nil, "https://evil.example.test"] {
            var items = ["state": state(page), "code": "c"]
            items["iss"] = issuer
            await #expect(throws: AccountError.badAnswer("the browser returned from a different server")) {
                try await provider.authorize(.redirected(items, memory: memory))
            }
        }
        #expect(!service.issuer.value.requests.contains { $0.path == "/token" })
    }

    /// A service that offers nothing of the kind asks for the password, as before.
    @Test func withoutAnOfferThePasswordIsAskedFor() async throws {
        service.issuer.withLock { $0.isOffered = false }
        let request = AuthorizationRequest(setupID: "jmap", redirect: redirect, discovered: found)
        let fields = try form(try await JMAPProvider(service.host).authorize(.begin(request))).fields
        #expect(fields.map(\.name) == ["name", "signIn", "password"])
    }
}
