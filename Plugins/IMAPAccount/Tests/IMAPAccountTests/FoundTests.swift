import FoundationEssentials
import IMAP
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import IMAPAccount

/// ACC-13, against a server that describes itself and registers clients, and a Dovecot that takes its tokens.
@Suite(
    "A service that was found signs in with the browser",
    .enabled(if: MailServers.isInstalled, "dovecot-imapd is not installed"), .timeLimit(.minutes(10)))
struct FoundTests {
    private struct Unexpected: Error { let words: String }

    private let redirect = URL(string: "http://127.0.0.1:4321/signin") ?? URL(filePath: "/")
    private let address = MailServers.newAddress()
    private let clock = ManualClock()

    private func host(_ mail: IMAPTestSupport.MailService) -> HostServices {
        HostServices(
            pluginID: "test", log: PluginLog(least: .error) { _, _ in }, settings: PluginSettings(),
            secrets: MemorySecrets(), dataFolder: URL(filePath: "/tmp"), clock: clock, network: mail.network)
    }

    private func found(
        _ mail: IMAPTestSupport.MailService, _ ways: [DiscoveredService.Authentication]
    ) -> AuthorizationRequest {
        let service = DiscoveredService(
            address: address, incoming: DiscoveredServer("localhost", port: mail.place.imaps),
            submission: DiscoveredServer("localhost", port: mail.place.submissions), authentication: ways,
            source: "example.test")
        return AuthorizationRequest(setupID: "imap", redirect: redirect, discovered: service)
    }

    private func choose(
        _ way: String, in step: AuthorizationStep, _ provider: IMAPAccountProvider
    ) async throws -> AuthorizationStep {
        guard case .form(let fields, let memory) = step, fields.map(\.name) == ["way"] else {
            throw Unexpected(words: "\(step)")
        }
        return try await provider.authorize(.form(["way": Secret(way)], memory: memory))
    }

    private func finished(_ step: AuthorizationStep) throws -> AccountCandidate {
        guard case .finished(let candidates) = step, candidates.count == 1 else {
            throw Unexpected(words: "\(step)")
        }
        return candidates[0]
    }

    @Test func fromTheAddressToMailAndAgain() async throws {
        let mail = try await IMAPTestSupport.MailService.usual()
        let issuer = try #require(URL(string: mail.oauth))
        let provider = IMAPAccountProvider(host(mail))
        let first = try await provider.authorize(.begin(found(mail, [.oauth(issuer: issuer), .password])))
        guard case .browser(let page, let memory) = try await choose("browser", in: first, provider) else {
            throw Unexpected(words: "no browser")
        }
        let items = try await mail.visit(page, as: address)
        let candidate = try finished(try await provider.authorize(.redirected(items, memory: memory)))
        #expect(try await provider.validate(candidate).address == address)
        let place = try MailPlace(candidate.settings)
        #expect(place.clientID == place.found?.clientID && place.user == address)
        for secret in candidate.secrets.values where !secret.revealed.isEmpty {
            #expect(!"\(candidate.settings)".contains(secret.revealed))
        }

        let secrets = MemorySecrets()
        for (name, secret) in candidate.secrets { secrets.store(secret, named: name) }
        let account = Account(
            id: Id("A1"), pluginID: "test", address: address, displayName: "Ada", addedAt: .distantPast,
            settings: candidate.settings)
        // As after a restart: only what was kept is there.
        let later = IMAPAccountProvider(host(mail))
        let session = try await later.session(for: account, secrets: secrets)
        _ = try await session.mailboxes()
        await session.close()
        let again = try await later.authorize(
            .begin(AuthorizationRequest(setupID: "imap", redirect: redirect, account: account)))
        let step = try await choose("browser", in: again, later)
        guard case .browser(let second, _) = step else { throw Unexpected(words: "\(step)") }
        #expect(second.absoluteString.contains("client_id=\(place.clientID ?? "?")&"))
        try await later.revoke(account, secrets: secrets)
        let client = try JSONDecoder().decode(
            IMAPTestSupport.MailService.Client.self,
            from: Data(#"{"id":"\#(place.clientID ?? "")","secret":""}"#.utf8))
        #expect(try await mail.seen(client).good == 0)
    }

    /// ACC-15
    @Test func aCodeOpensTheMailboxToo() async throws {
        let mail = try await IMAPTestSupport.MailService.usual()
        let issuer = try #require(URL(string: mail.oauth))
        let provider = IMAPAccountProvider(host(mail))
        let first = try await provider.authorize(.begin(found(mail, [.oauth(issuer: issuer)])))
        guard case .code(let code, let memory) = try await choose("code", in: first, provider) else {
            throw Unexpected(words: "no code")
        }
        #expect(code.page.absoluteString == mail.oauth + "/go")
        _ = try await mail.visit(code.filledPage ?? code.page, as: address)
        let mover = Task { await clock.keepMoving(by: 1) }
        let last = try await provider.authorize(.shown(memory: memory))
        // The mail server needs time of the real clock.
        mover.cancel()
        let candidate = try finished(last)
        #expect(try await provider.validate(candidate).address == address)
    }

    /// Without an OAuth server there the password is asked for, with the reason; servers to change are typed.
    @Test func thePasswordRemains() async throws {
        let mail = try await IMAPTestSupport.MailService.usual()
        let nowhere = try #require(URL(string: mail.oauth + "/nowhere"))
        let provider = IMAPAccountProvider(host(mail))
        var request = found(mail, [.oauth(issuer: nowhere), .password])
        guard case .form(let fields, _) = try await provider.authorize(.begin(request)) else {
            throw Unexpected(words: "no form")
        }
        #expect(fields.map(\.name) == ["password", "name"])
        #expect(fields[0].hint.hasPrefix("localhost does not describe how people sign in there."))
        await #expect(throws: AccountError.self) {
            try await provider.authorize(.begin(found(mail, [.oauth(issuer: nowhere)])))
        }
        request.discovered?.isToBeChanged = true
        guard case .form(let all, _) = try await provider.authorize(.begin(request)) else { return }
        #expect(all.contains { $0.name == "imapHost" })
    }
}
