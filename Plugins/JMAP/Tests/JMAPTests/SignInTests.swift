import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import JMAPAccounts

/// ACC-40
@Suite("Signing in to a JMAP service") struct SignInTests {
    private func signIn(_ service: MemoryService) -> SignIn {
        SignIn(network: service, clock: ManualClock())
    }

    /// The form of the server.
    private func secondForm(
        _ service: MemoryService, _ changes: [String: String] = [:]
    ) async throws -> AuthorizationStep {
        let begin = try signIn(service).begin(
            AuthorizationRequest(setupID: "jmap", redirect: URL(filePath: "/")))
        guard case .form(_, let memory) = begin else { return begin }
        let answers = Subject.answers(service, false).merging(changes.mapValues { Secret($0) }) { $1 }
        return try await signIn(service).filledIn(answers, memory)
    }

    @Test func aNamedServiceNeedsNoServerButAToken() async throws {
        let service = MemoryService()
        let known = ["address": "ada@fastmail.com", "signIn": "token", "password": " fmu1-x "]
        guard case .finished(let candidates) = try await secondForm(service, known) else {
            return #expect(Bool(false), "not finished")
        }
        #expect(candidates.first?.settings["session"] == "https://api.fastmail.com/jmap/session")
        #expect(candidates.first?.secrets["password"]?.revealed == "fmu1-x")
        #expect(service.requests.isEmpty, "nothing was asked")
        let error = await #expect(throws: AccountError.self) {
            try await secondForm(service, ["address": "ada@fastmail.com"])
        }
        guard case .invalid("signIn", _)? = error else { return #expect(Bool(false), "a password was taken") }
    }

    /// The kernel found the service, and the user has seen its server.
    @Test func aFoundServiceNeedsOnlyThePassword() async throws {
        let service = MemoryService()
        let session = URL(string: "https://\(MemoryService.host)/.well-known/jmap")
        var found = DiscoveredService(address: service.address, jmap: session, source: "example.test")
        func begin() throws -> AuthorizationStep {
            try signIn(service).begin(
                AuthorizationRequest(setupID: "jmap", redirect: URL(filePath: "/"), discovered: found))
        }
        guard case .form(let fields, let memory) = try begin() else { return }
        #expect(fields.map(\.name) == ["name", "signIn", "password"])
        let step = try await signIn(service).filledIn(["password": Secret(service.password)], memory)
        guard case .finished(let candidates) = step else { return #expect(Bool(false), "\(step)") }
        #expect(candidates.first?.settings["session"] == session.map { .string($0.absoluteString) })
        found.isToBeChanged = true
        guard case .form(let all, let changed) = try begin() else { return }
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
}
