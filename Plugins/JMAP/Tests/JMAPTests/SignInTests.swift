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

    @Test func aKnownServiceNeedsNoServerButAToken() async throws {
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
