import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import MicrosoftLogin
import Testing

@testable import MicrosoftGraph

/// ACC-126: signing in, and what can be wrong with it.
@Suite("Signing in to Microsoft Graph") struct GraphSignInTests {
    private static let client = "1b2c3d4e-0000-4000-8000-000000000000"
    private static let redirect = URL(string: "http://127.0.0.1:4321/signin") ?? URL(filePath: "/")

    private func host(_ server: GraphServer, _ more: [String: JSONValue] = [:]) throws -> HostServices {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let settings = ["clientId": .string(Self.client)].merging(more) { _, new in new }
        return HostServices(
            pluginID: "org.mailkernel.microsoft-graph", log: PluginLog(least: .error) { _, _ in },
            settings: PluginSettings(settings), secrets: MemorySecrets(), dataFolder: folder,
            clock: ManualClock(), network: server)
    }

    private func page(
        _ provider: GraphProvider, _ answers: [String: String] = [:], shared: Bool = false,
        again account: Account? = nil
    ) async throws -> (URL, Secret) {
        let request = AuthorizationRequest(
            setupID: shared ? GraphProvider.sharedID : "graph", redirect: Self.redirect, account: account)
        var step = try await provider.authorize(.begin(request))
        if case .form(_, let memory) = step {
            let all = ["address": GraphMailbox.address].merging(answers) { _, new in new }
            step = try await provider.authorize(.form(all.mapValues { Secret($0) }, memory: memory))
        }
        guard case .browser(let page, let memory) = step else {
            throw Unexpected(what: "\(step)")
        }
        return (page, memory)
    }

    private func candidate(
        _ provider: GraphProvider, _ answers: [String: String] = [:], shared: Bool = false
    ) async throws -> AccountCandidate {
        let (page, memory) = try await page(provider, answers, shared: shared)
        guard
            case .finished(let all) = try await provider.authorize(
                .redirected(GraphLogin.visit(page), memory: memory)), let first = all.first
        else { throw Unexpected(what: "not finished") }
        return first
    }

    private func account(_ candidate: AccountCandidate, _ address: String) -> (Account, MemorySecrets) {
        let secrets = MemorySecrets()
        for (name, secret) in candidate.secrets { secrets.store(secret, named: name) }
        let account = Account(
            id: Id("A1"), pluginID: "x", address: address, displayName: address,
            addedAt: Date(timeIntervalSince1970: 0), settings: candidate.settings)
        return (account, secrets)
    }

    private struct Unexpected: Error { let what: String }

    @Test func fromTheAddressToMail() async throws {
        let server = GraphServer(.filled(2))
        let provider = GraphProvider(try host(server))
        let (page, _) = try await page(provider)
        let query = GraphLogin.query(page.query() ?? "")
        #expect(
            query["scope"]
                == "https://graph.microsoft.com/User.Read https://graph.microsoft.com/Mail.ReadWrite "
                + "https://graph.microsoft.com/Mail.Send offline_access")
        #expect(query["redirect_uri"] == "http://localhost:4321/signin" && query["claims"] == nil)
        let candidate = try await candidate(provider)
        let validated = try await provider.validate(candidate)
        #expect(validated.address == GraphMailbox.address && validated.displayName == "Ada Lovelace")
        let (account, secrets) = account(candidate, validated.address)
        let session = try await provider.session(for: account, secrets: secrets)
        #expect(try await session.mailboxes().mailboxes.count == 6)
    }

    /// The account that was chosen on Microsoft's page is the one that is added.
    @Test func anotherAccountOfThePageIsTheOneThatIsAdded() async throws {
        let provider = GraphProvider(try host(GraphServer()))
        let validated = try await provider.validate(
            try await candidate(provider, ["address": "someone.else@contoso.com"]))
        #expect(validated.address == GraphMailbox.address)
    }

    @Test func aSharedMailboxHasPathsAndPermissionsOfItsOwn() async throws {
        let server = GraphServer(.filled(1))
        let provider = GraphProvider(try host(server))
        let answers = ["mailbox": "info@contoso.com"]
        let (page, _) = try await page(provider, answers, shared: true)
        #expect(page.query()?.contains("Mail.ReadWrite.Shared") == true)
        let candidate = try await candidate(provider, answers, shared: true)
        #expect(try await provider.validate(candidate).address == "info@contoso.com")
        let (account, secrets) = account(candidate, "info@contoso.com")
        _ = try await provider.session(for: account, secrets: secrets).mailboxes()
        let paths = server.requests.suffix(2).flatMap { [$0.url.path()] + $0.inner }
        #expect(
            paths.filter { !$0.hasSuffix("$batch") }.allSatisfy {
                $0.contains("/users/info%40contoso%2Ecom/")
            })
    }

    @Test(arguments: [
        (403, "ErrorAccessDenied", "Microsoft accepted your sign-in, but does not let this client"),
        (404, "MailboxNotEnabledForRESTAPI", "This account has no mailbox"),
        (401, "InvalidAuthenticationToken", "Microsoft no longer accepts this sign-in."),
        (429, "ApplicationThrottled", ""), (500, "", ""),
    ])
    func eachRefusalHasItsSentence(_ status: Int, _ code: String, _ sentence: String) async throws {
        let server = GraphServer { request, _ in
            request.path.contains("/mailFolders/")
                ? .answer(status, [:], #"{"error":{"code":"\#(code)","message":"No."}}"#) : nil
        }
        let provider = GraphProvider(try host(server))
        let candidate = try await candidate(provider)
        do {
            _ = try await provider.validate(candidate)
            Issue.record("it validates")
        } catch AccountError.authenticationRequired(let reason), AccountError.refused(let reason) {
            #expect(!sentence.isEmpty && reason.hasPrefix(sentence))
        } catch {
            #expect(sentence.isEmpty, "\(error)")
        }
    }

    /// Conditional Access can end a token at any time; the next sign-in proves what it asks for.
    @Test func aChallengeIsAnsweredByTheNextSignIn() async throws {
        let claims = #"{"access_token":{"nbf":{"essential":true,"value":"1604106651"}}}"#
        let isChallenged = Watched(false)
        let server = GraphServer { _, _ in
            let encoded = Data(claims.utf8).base64EncodedString()
            let header = #"Bearer realm="", error="insufficient_claims", claims="\#(encoded)""#
            return isChallenged.value ? .answer(401, ["www-authenticate": header], "{}") : nil
        }
        let provider = GraphProvider(try host(server))
        let candidate = try await candidate(provider)
        let (account, secrets) = account(candidate, GraphMailbox.address)
        let session = try await provider.session(for: account, secrets: secrets)
        _ = try await session.mailboxes()
        isChallenged.withLock { $0 = true }
        let before = server.requests.count
        await #expect(throws: AccountError.authenticationRequired(reason: Sentences.challenge)) {
            try await session.mailboxes()
        }
        #expect(server.requests.count == before + 1)
        let (page, _) = try await page(provider, again: account)
        #expect(GraphLogin.query(page.query() ?? "")["claims"] == claims)
    }

    /// A token that ended before its time is renewed once; a sign-in that ended is said.
    @Test func aTokenThatEndedIsRenewed() async throws {
        let server = GraphServer(.filled(1))
        let provider = GraphProvider(try host(server))
        let (account, secrets) = account(try await candidate(provider), GraphMailbox.address)
        let session = try await provider.session(for: account, secrets: secrets)
        _ = try await session.mailboxes()
        server.state.withLock { $0.login.accessToken = "another" }
        _ = try await session.mailboxes()
        #expect(server.state.value.login.grants.filter { $0 == "refresh_token" }.count == 2)
        server.state.withLock { mailbox in
            mailbox.login.accessToken = "another"
            mailbox.login.refusal = ("invalid_grant", "AADSTS53003: Access has been blocked.")
        }
        let error = await #expect(throws: AccountError.self) { try await session.mailboxes() }
        guard case .authenticationRequired(let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.hasPrefix("A rule of your organization at Microsoft"))
    }

    /// What the plugin may reach and what it reaches are the same.
    @Test func theManifestListsEveryHost() throws {
        let place = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "plugin.json")
        let manifest = try JSONDecoder().decode(JSONValue.self, from: Data(contentsOf: place))
        let listed = Set((manifest["hosts"]?.arrayValue ?? []).compactMap(\.stringValue))
        #expect(listed == Set(Cloud.all.flatMap { [$0.login, $0.graph] + $0.uploads }))
        let china = GraphEndpoints(
            PluginSettings(["cloud": "china"]), log: PluginLog(least: .error) { _, _ in })
        #expect(china.graph.absoluteString == "https://microsoftgraph.chinacloudapi.cn/v1.0")
    }
}
