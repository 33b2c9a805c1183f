import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import JMAPAccounts

/// ACC-40
@Suite("Signing in to a JMAP service") struct SignInTests {
    private func signIn(_ service: MemoryService) -> SignIn {
        SignIn(service.host)
    }

    /// The form of the server.
    private func secondForm(
        _ service: MemoryService, _ changes: [String: String] = [:]
    ) async throws -> AuthorizationStep {
        let begin = try await signIn(service).begin(
            AuthorizationRequest(setupID: "jmap", redirect: URL(filePath: "/")))
        guard case .form(_, let memory) = begin else { return begin }
        let answers = Subject.answers(service, false).merging(changes.mapValues { Secret($0) }) { $1 }
        return try await signIn(service).filledIn(answers, memory)
    }

    @Test func aNamedServiceNeedsNoServerButAToken() async throws {
        var start = MemoryMailbox()
        start.isCyrus = true
        let service = MemoryService(start, hosts: ["api.fastmail.com"])
        let known = ["address": "ada@fastmail.com", "signIn": "token", "password": " \(service.token) "]
        guard case .finished(let candidates) = try await secondForm(service, known) else {
            return #expect(Bool(false), "not finished")
        }
        #expect(candidates.first?.settings["session"] == "https://api.fastmail.com/jmap/session")
        #expect(candidates.first?.secrets["password"]?.revealed == service.token)
        // Its messages are those of this account from now on.
        #expect(candidates.first?.settings["accountId"] == "u1")
        let error = await #expect(throws: AccountError.self) {
            try await secondForm(service, ["address": "ada@fastmail.com"])
        }
        guard case .invalid("signIn", _)? = error else { return #expect(Bool(false), "a password was taken") }
    }

    /// ACC-49: the kernel has found out that the address is of this service.
    @Test(arguments: [true, false]) func aKnownServiceNeedsOnlyItsToken(_ isFound: Bool) async throws {
        var start = MemoryMailbox()
        start.isCyrus = true
        let service = MemoryService(start, hosts: ["api.fastmail.com"])
        let found = DiscoveredService(address: "ada@fastmail.com", knownID: "fastmail", source: "Fastmail")
        let begin = try await signIn(service).begin(
            AuthorizationRequest(
                setupID: "fastmail", redirect: URL(filePath: "/"), discovered: isFound ? found : nil))
        guard case .form(let fields, let memory) = begin else { return #expect(Bool(false), "\(begin)") }
        #expect(fields.map(\.name) == (isFound ? ["name", "password"] : ["name", "address", "password"]))
        var answers = ["password": Secret(" \(service.token)\n")]
        if !isFound { answers["address"] = Secret("ada@fastmail.com") }
        let step = try await signIn(service).filledIn(answers, memory)
        guard case .finished(let candidates) = step else { return #expect(Bool(false), "\(step)") }
        #expect(candidates.first?.settings["session"] == "https://api.fastmail.com/jmap/session")
        #expect(candidates.first?.settings["address"] == "ada@fastmail.com")
        #expect(candidates.first?.settings["signIn"] == "token")
    }

    /// The kernel found the service, and the user has seen its server.
    @Test func aFoundServiceNeedsOnlyThePassword() async throws {
        let service = MemoryService()
        let session = URL(string: "https://\(MemoryService.host)/.well-known/jmap")
        var found = DiscoveredService(address: service.address, jmap: session, source: "example.test")
        func begin() async throws -> AuthorizationStep {
            try await signIn(service).begin(
                AuthorizationRequest(setupID: "jmap", redirect: URL(filePath: "/"), discovered: found))
        }
        guard case .form(let fields, let memory) = try await begin() else { return }
        #expect(fields.map(\.name) == ["name", "signIn", "password"])
        let step = try await signIn(service).filledIn(["password": Secret(service.password)], memory)
        guard case .finished(let candidates) = step else { return #expect(Bool(false), "\(step)") }
        #expect(candidates.first?.settings["session"] == session.map { .string($0.absoluteString) })
        found.isToBeChanged = true
        guard case .form(let all, let changed) = try await begin() else { return }
        #expect(all.first { $0.name == "path" }?.initialValue == "/.well-known/jmap")
        let answers = Dictionary(all.map { ($0.name, Secret($0.initialValue)) }) { $1 }
        let filled = answers.merging(["password": Secret(service.password)]) { $1 }
        guard case .finished = try await signIn(service).filledIn(filled, changed) else {
            return #expect(Bool(false), "not finished")
        }
    }

    @Test func theServerThatAnotherRefersToIsAskedFor() async throws {
        let service = MemoryService { _, number in
            number == 1 ? .fail(.hostNotAllowed(host: "jmap.example.test")) : nil
        }
        guard case .form(_, let memory) = try await secondForm(service) else { return }
        let step = try await signIn(service).filledIn(["server": Secret(MemoryService.host)], memory)
        guard case .form(let fields, _) = step else { return #expect(Bool(false), "\(step)") }
        #expect(fields.first { $0.kind == .host }?.initialValue == "jmap.example.test")
    }

    /// The session is where the redirect leads: its relative URLs start there.
    @Test func aRedirectKeepsItsPath() async throws {
        let service = MemoryService(redirect: "/other/session")
        guard case .form(_, let memory) = try await secondForm(service) else { return }
        let step = try await signIn(service).filledIn(["server": Secret(MemoryService.host)], memory)
        guard case .finished(let candidates) = step else { return #expect(Bool(false), "\(step)") }
        let session = "https://\(MemoryService.host)/other/session"
        #expect(candidates.first?.settings["session"] == .string(session))
        #expect(service.requests.map(\.url.absoluteString) == [session])
    }

    /// The user agrees to another server before the password goes there, and the path is kept.
    @Test(arguments: ["https://Jmap.example.test", "//jmap.example.test"])
    func aRedirectToAnotherServerKeepsItsPath(_ server: String) async throws {
        let place = server + ":8443/other/session?v=1"
        let service = MemoryService(hosts: [MemoryService.host, "jmap.example.test"], redirect: place)
        guard case .form(_, let memory) = try await secondForm(service) else { return }
        let step = try await signIn(service).filledIn(["server": Secret(MemoryService.host)], memory)
        guard case .form(let fields, let agreed) = step else { return #expect(Bool(false), "\(step)") }
        #expect(service.requests.isEmpty)
        let answers = Dictionary(fields.map { ($0.name, $0.initialValue) }) { $1 }
        #expect(answers["server"] == "jmap.example.test" && answers["port"] == "8443")
        #expect(answers["path"] == "/other/session?v=1")
        _ = try await signIn(service).filledIn(answers.mapValues { Secret($0) }, agreed)
        let asked = service.requests.map(\.url.absoluteString)
        #expect(asked == ["https://jmap.example.test:8443/other/session?v=1"])
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nLocation: /x", "HTTP/1.1 302 Found",
        "HTTP/1.1 302 Found\r\nLocation: http://a.test/x",
        "HTTP/1.1 302 Found\r\nLocation: https://ada@a.test/x",
        "HTTP/1.1 302 Found\r\nLocation: /a\r\nlocation: /b",
        "HTTP/1.1 302 Found\r\nLocation: /.well-known/jmap", "", "\r\n", "ICY 302\r\nLocation: /x",
    ])
    func someAnswersLeadNowhere(_ head: String) throws {
        let url = try #require(URL(string: "https://a.test/.well-known/jmap"))
        #expect(Signpost.target(head, url) == nil)
    }

    @Test func aServerThatSaysNothingOrTooMuchLeadsNowhere() async throws {
        let url = try #require(URL(string: "https://\(MemoryService.host)/.well-known/jmap"))
        let long = MemoryService(redirect: "/" + String(repeating: "a", count: 20_000))
        #expect(await Signpost(network: long).target(of: url) == nil)
        let silent = MemoryService(redirect: "")
        #expect(await Signpost(network: silent, patience: .milliseconds(50)).target(of: url) == nil)
    }

    @Test func furtherServersOfTheSessionAreAskedFor() async throws {
        let session = #"""
            {"apiUrl":"/api","uploadUrl":"https://upload.example.test/","downloadUrl":"/d",
            "accounts":{"u1":{"accountCapabilities":{"urn:ietf:params:jmap:mail":{}}}}}
            """#
        let service = MemoryService { _, _ in .answer(200, [:], session) }
        guard case .form(_, let memory) = try await secondForm(service) else { return }
        let step = try await signIn(service).filledIn(["server": Secret(MemoryService.host)], memory)
        guard case .form(let fields, let more) = step else { return #expect(Bool(false), "\(step)") }
        #expect(fields.map(\.initialValue) == ["upload.example.test"])
        await #expect(throws: AccountError.self) {
            try await signIn(service).filledIn(["server1": Secret("else.example.test")], more)
        }
        guard
            case .finished = try await signIn(service).filledIn(
                ["server1": Secret("upload.example.test")], more)
        else { return #expect(Bool(false), "not finished") }
    }

    @Test func aServerWithoutJMAPIsNamed() async throws {
        let service = MemoryService { _, _ in .answer(404, [:], "<h1>No</h1>") }
        guard case .form(_, let memory) = try await secondForm(service) else { return }
        let error = await #expect(throws: AccountError.self) {
            try await signIn(service).filledIn(["server": Secret(MemoryService.host)], memory)
        }
        #expect(
            error
                == .invalid(
                    field: "server", reason: "This server does not offer JMAP where it is expected."))
        #expect(service.requests.count == 3)
    }

    @Test(arguments: ["", "a b", "a/b", "a@b", "a:80", "ä.example", "[::1"])
    func aServerIsAName(_ text: String) {
        #expect(throws: AccountError.self) { try Forms.server(in: ["server": Secret(text)]) }
    }

    /// A path that begins like the name of a server would lead a password there.
    @Test(arguments: ["//evil.example.test/jmap", "//evil.example.test"])
    func aPathLeadsToNoOtherServer(_ path: String) async throws {
        let service = MemoryService(hosts: [MemoryService.host, "evil.example.test"])
        guard case .form(let fields, let memory) = try await secondForm(service) else {
            return #expect(Bool(false), "no form")
        }
        var answers = Dictionary(fields.map { ($0.name, Secret($0.initialValue)) }) { $1 }
        answers["server"] = Secret(MemoryService.host)
        answers["path"] = Secret(path)
        let error = await #expect(throws: AccountError.self) {
            try await signIn(service).filledIn(answers, memory)
        }
        guard case .invalid("path", _)? = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(service.requests.isEmpty)
    }
}
