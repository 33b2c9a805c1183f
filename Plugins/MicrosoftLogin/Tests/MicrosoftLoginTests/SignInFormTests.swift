import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import OAuth
import Testing

@testable import MicrosoftLogin

/// ACC-82: the form before Microsoft's page.
@Suite("The form before Microsoft's page") struct SignInFormTests {
    private static let client = "1b2c3d4e-0000-4000-8000-000000000000"

    private func signIn(_ all: [String: JSONValue] = [:]) -> MicrosoftSignIn {
        let settings = PluginSettings(all)
        let host = HostServices(
            pluginID: "org.example.microsoft", log: PluginLog(least: .error) { _, _ in }, settings: settings,
            secrets: MemorySecrets(), dataFolder: FileManager.default.temporaryDirectory,
            clock: ManualClock(),
            network: NoNetwork())
        return MicrosoftSignIn(
            MicrosoftSettings(settings, log: host.log), sharedID: "shared", client: .microsoft(host),
            network: host.network
        ) { $0 ? ["Mail", "Mail.Shared"] : ["Mail"] }
    }

    private func form(_ signIn: MicrosoftSignIn, _ setup: String) async throws -> ([String], Secret) {
        let redirect = try #require(URL(string: "http://127.0.0.1:4321/signin"))
        let step = try await signIn.begin(AuthorizationRequest(setupID: setup, redirect: redirect))
        guard case .form(let fields, let memory) = step else {
            Issue.record("\(step)")
            return ([], Secret(""))
        }
        return (fields.map(\.name), memory)
    }

    @Test func aSharedMailboxIsAskedForAndHasItsPermissions() async throws {
        let signIn = signIn(["clientId": .string(Self.client)])
        #expect(try await form(signIn, "own").0 == ["address"])
        let (fields, memory) = try await form(signIn, "shared")
        #expect(fields == ["mailbox", "address"])
        let answers = ["mailbox": "info@contoso.com", "address": "ada@contoso.com"].mapValues { Secret($0) }
        guard case .browser(let page, _) = try await signIn.filledIn(answers, memory) else {
            Issue.record("no browser")
            return
        }
        let text = page.absoluteString
        #expect(text.contains("scope=Mail%20Mail.Shared") && text.contains("login_hint=ada%40contoso.com"))
        #expect(text.contains("redirect_uri=http%3A%2F%2Flocalhost%3A4321%2Fsignin"))
    }

    @Test(arguments: ["", "a secret", "1b2c3d4e", "1b2c3d4e-0000-4000-8000-00000000000g"])
    func whatIsNoClientIDIsNotSent(_ id: String) async throws {
        let signIn = signIn()
        let (fields, memory) = try await form(signIn, "own")
        #expect(fields == ["address", "clientId"])
        let answers = ["clientId": id, "address": "ada@contoso.com"].mapValues { Secret($0) }
        let error = await #expect(throws: AccountError.self) { try await signIn.filledIn(answers, memory) }
        guard case .invalid("clientId", _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
