import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Gmail

/// FR-ACCT-04, on real servers.
@Suite(
    "An account of Gmail through the years",
    .enabled(if: MailService.isInstalled, "dovecot-imapd is not installed"), .timeLimit(.minutes(10)))
struct GmailLifeTests {
    @Test func aTokenThatEndedEarlyIsReplacedAndNobodyNotices() async throws {
        let person = try await GmailPerson()
        let (account, secrets) = try await person.add()
        let session = try await person.provider.session(for: account, secrets: secrets)
        _ = try await session.mailboxes()
        try await person.service.expireAll(of: person.client)
        await session.close()
        // A session with the old token in memory, which every server refuses now.
        let later = try await person.provider.session(for: account, secrets: secrets)
        _ = try await later.mailboxes()
        try await person.service.expireAll(of: person.client)
        let outcome = try await later.submit(
            DataSource(Data("Subject: x\r\n\r\nx\r\n".utf8)),
            envelope: Envelope(mailFrom: person.address, rcptTo: [person.address]))
        guard case .accepted = outcome else { throw Unexpected(step: "\(outcome)") }
        await later.close()
    }

    @Test func aSignInThatWasTakenBackAsksToSignInAgain() async throws {
        let person = try await GmailPerson()
        let (account, secrets) = try await person.add()
        try await person.service.revokeAll(of: person.client)
        let session = try await person.provider.session(for: account, secrets: secrets)
        let before = try await person.service.seen(person.client).requests.count
        for _ in 0..<5 {
            let error = await #expect(throws: AccountError.self) { try await session.mailboxes() }
            guard case .authenticationRequired(let reason)? = error else {
                throw Unexpected(step: "\(String(describing: error))")
            }
            #expect(reason.hasPrefix("Google no longer accepts this sign-in."))
        }
        // Asked once: the next call so soon gets the same answer.
        #expect(try await person.service.seen(person.client).requests.count == before + 1)
        await session.close()
    }

    @Test func signingInAgainGoesStraightToTheBrowser() async throws {
        let person = try await GmailPerson()
        let (account, _) = try await person.add()
        guard case .browser(let page, let memory) = try await person.begin(again: account) else {
            throw Unexpected(step: "a form")
        }
        #expect(page.absoluteString.contains(person.address.replacing("@", with: "%40")))
        let candidate = try await person.cameBack(
            try await person.service.visit(page, as: person.address), memory)
        #expect(try await person.provider.validate(candidate).address == account.address)
    }

    @Test func severalCallsAtOnceShareOneRenewal() async throws {
        let person = try await GmailPerson()
        let (account, secrets) = try await person.add()
        let before = try await person.service.seen(person.client).requests.count
        let session = try await person.provider.session(for: account, secrets: secrets)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 { group.addTask { _ = try await session.mailboxes() } }
            try await group.waitForAll()
        }
        #expect(try await person.service.seen(person.client).requests.count == before + 1)
        await session.close()
    }

    @Test func removingTheAccountEndsItsTokens() async throws {
        let person = try await GmailPerson()
        let (account, secrets) = try await person.add()
        #expect(try await person.service.seen(person.client).good > 0)
        try await person.provider.revoke(account, secrets: secrets)
        #expect(try await person.service.seen(person.client).good == 0)
        // Once more, and without a sign-in: nothing to do.
        try await person.provider.revoke(account, secrets: secrets)
        try await person.provider.revoke(account, secrets: MemorySecrets())
    }

    /// No token in settings, error texts or the log, whatever the servers say.
    @Test func nothingSecretIsEverSaid() async throws {
        let person = try await GmailPerson(isConfigured: false)
        let (page, memory) = try await person.browser([
            "clientId": person.client.id, "clientSecret": person.client.secret,
        ])
        let items = try await person.service.visit(page, as: person.address)
        var said = [page.absoluteString, "\(memory)"]
        let candidate = try await person.cameBack(items, memory)
        said.append("\(candidate)")
        said.append("\(candidate.settings)")
        _ = try await person.provider.validate(candidate)
        let echo =
            #"{"status": 400, "body": "{\"error\": \"{refresh_token}\", \"error_description\": \"{refresh_token}\"}"}"#
        try await person.service.setPolicy(#"{"answers": [\#(echo), \#(echo)]}"#, of: person.client)
        for _ in 0..<2 {
            do { _ = try await person.provider.validate(candidate) } catch { said.append("\(error)") }
        }
        try await person.service.revokeAll(of: person.client)
        do { _ = try await person.provider.validate(candidate) } catch { said.append("\(error)") }
        do { _ = try await person.cameBack(items, memory) } catch { said.append("\(error)") }
        said += person.log.all
        let text = said.joined(separator: "\n")
        let tokens = try await person.service.seen(person.client).tokens
        #expect(tokens.count >= 3 && said.count >= 8)
        for secret in tokens + [person.client.secret, items["code"] ?? ""] {
            #expect(!secret.isEmpty && !text.contains(secret))
        }
    }
}

/// The user's own client: from the settings, from a file, or typed once.
@Suite(
    "The client at Google", .enabled(if: MailService.isInstalled, "dovecot-imapd is not installed"),
    .timeLimit(.minutes(10)))
struct GoogleClientTests {
    /// FR-ACCT-01: where to begin is in the program itself, and what it is asked for leads there.
    @Test func theWayToAClientIsShown() async throws {
        let person = try await GmailPerson(isConfigured: false)
        let setup = try #require(person.provider.setups.first)
        #expect(setup.helpURL?.absoluteString == "/docs/gmail.html")
        guard case .form(let fields, _) = try await person.begin() else { throw Unexpected(step: "no form") }
        for text in [setup.explanation] + fields.compactMap(\.hint) { #expect(!text.contains("docs/")) }
    }

    @Test func whatWasTypedIsAskedForOnce() async throws {
        let person = try await GmailPerson(isConfigured: false)
        guard case .form(let fields, _) = try await person.begin() else { throw Unexpected(step: "no form") }
        #expect(fields.map(\.name) == ["address", "clientId", "clientSecret"])
        let (account, _) = try await addTyped(person)
        guard case .form(let later, _) = try await person.begin() else { throw Unexpected(step: "no form") }
        #expect(later.map(\.name) == ["address", "clientId", "clientSecret"])
        #expect(later.map(\.isRequired) == [true, false, false])
        // Left empty, or another one.
        let (page, _) = try await person.browser()
        #expect(page.absoluteString.contains(person.client.id))
        let (other, _) = try await person.browser(["clientId": "another-client", "clientSecret": "GOCSPX-x"])
        #expect(other.absoluteString.contains("client_id=another-client"))
        guard case .browser = try await person.begin(again: account) else {
            throw Unexpected(step: "a form")
        }
    }

    /// The whole way with a client that is typed, which is kept once the account is there.
    private func addTyped(_ person: GmailPerson) async throws -> (account: Account, secrets: MemorySecrets) {
        let (page, memory) = try await person.browser([
            "clientId": "  \(person.client.id)\n", "clientSecret": " \(person.client.secret) ",
        ])
        let candidate = try await person.cameBack(
            try await person.service.visit(page, as: person.address), memory)
        #expect((person.host.secrets as? MemorySecrets)?.names == [])
        let secrets = MemorySecrets()
        for (name, secret) in candidate.secrets { secrets.store(secret, named: name) }
        let account = Account(
            id: Id("A1"), pluginID: "x", address: person.address, displayName: "x", addedAt: person.clock.now,
            settings: candidate.settings)
        let session = try await person.provider.session(for: account, secrets: secrets)
        #expect((person.host.secrets as? MemorySecrets)?.names == [])
        _ = try await session.mailboxes()
        await session.close()
        return (account, secrets)
    }

    /// FR-OB-01: accounts are added one after the other, and begin their work when all are there.
    @Test func theSecondAccountOfAFirstStartNeedsNoClient() async throws {
        let person = try await GmailPerson(isConfigured: false)
        let provider = person.provider
        let request = AuthorizationRequest(setupID: "gmail", redirect: GmailPerson.redirect, account: nil)
        var clients: [String] = []
        for typed in [["clientId": person.client.id, "clientSecret": person.client.secret], [:]] {
            let address = MailServers.newAddress()
            guard case .form(let fields, let asked) = try await provider.authorize(.begin(request)) else {
                throw Unexpected(step: "no form")
            }
            #expect(fields.map(\.isRequired) == [true, !typed.isEmpty, false])
            let answers = typed.merging(["address": address]) { $1 }.mapValues { Secret($0) }
            guard
                case .browser(let page, let memory) = try await provider.authorize(
                    .form(answers, memory: asked))
            else { throw Unexpected(step: "no browser") }
            let items = try await person.service.visit(page, as: address)
            guard
                case .finished(let candidates) = try await provider.authorize(
                    .redirected(items, memory: memory))
            else { throw Unexpected(step: "not finished") }
            _ = try await provider.validate(try #require(candidates.first))
            clients.append(try #require(candidates.first?.settings["clientId"]?.stringValue))
        }
        #expect(clients == [person.client.id, person.client.id])
        // Nothing is kept before an account is added.
        #expect((person.host.secrets as? MemorySecrets)?.names == [])
    }

    /// A keyring that is locked waits for its user, and not the whole program with it.
    @Test func aLockedSecretStoreHoldsUpNoStart() async throws {
        struct Locked: SecretStore {
            let asked = Watched(0)
            func secret(named name: String) async throws(SecretError) -> Secret? {
                asked.withLock { $0 += 1 }
                throw .locked
            }
            func store(_ secret: Secret, named name: String) async throws(SecretError) { throw .locked }
            func removeSecret(named name: String) async throws(SecretError) { throw .locked }
        }
        let person = try await GmailPerson()
        let account = try await person.add().account
        let locked = Locked()
        let session = try await person.provider.session(for: account, secrets: locked)
        #expect(locked.asked.value == 0)
        await #expect(throws: AccountError.secrets(.locked)) { try await session.mailboxes() }
        await session.close()
    }

    /// Deleted at Google, or with a new secret: nothing but another client helps.
    @Test(arguments: ["deleted_client", "invalid_client"])
    func aClientThatIsNoLongerTakenIsAskedForAnew(_ code: String) async throws {
        let person = try await GmailPerson(isConfigured: false)
        let (account, secrets) = try await addTyped(person)
        let refusal = #"{"status": 401, "body": "{\"error\": \"\#(code)\"}"}"#
        try await person.service.setPolicy(#"{"answers": [\#(refusal)]}"#, of: person.client)
        let session = try await person.provider.session(for: account, secrets: secrets)
        await #expect(throws: AccountError.self) { try await session.mailboxes() }
        await session.close()
        guard case .form(let fields, _) = try await person.begin(again: account) else {
            throw Unexpected(step: "no form")
        }
        #expect(fields.map(\.name) == ["clientId", "clientSecret"])
        #expect(fields[0].isRequired && fields[0].initialValue == person.client.id)
    }

    @Test func theFileThatGoogleGivesCanBePastedOrPutIntoTheFolder() async throws {
        let person = try await GmailPerson(isConfigured: false)
        let file =
            #"{"installed":{"client_id":"\#(person.client.id)","project_id":"x","auth_uri":"https://accounts.google.com/o/oauth2/auth","client_secret":"\#(person.client.secret)","redirect_uris":["http://localhost"]}}"#
        let (page, memory) = try await person.browser(["clientId": file])
        _ = try await person.cameBack(try await person.service.visit(page, as: person.address), memory)
        try Data(file.utf8).write(to: person.host.dataFolder.appending(path: "client_secret_1.json"))
        guard case .form(let fields, _) = try await person.begin() else { throw Unexpected(step: "no form") }
        #expect(fields.map(\.name) == ["address"])
        _ = try await person.candidate()
    }

    @Test(arguments: [
        ("", "s", "clientId"), ("two words", "s", "clientId"), ("id", "", "clientSecret"),
        (#"{"web": {"client_id": "x", "client_secret": "y"}}"#, "", "clientId"), ("id\r\nx", "s", "clientId"),
    ])
    func whatCannotBeRightIsSaidAtItsField(_ id: String, _ secret: String, _ field: String) async throws {
        let person = try await GmailPerson(isConfigured: false)
        let error = await #expect(throws: AccountError.self) {
            try await person.browser(["clientId": id, "clientSecret": secret])
        }
        guard case .invalid(field, let reason)? = error, !reason.isEmpty else {
            throw Unexpected(step: "\(String(describing: error))")
        }
    }

    @Test(arguments: ["", "ada", "@gmail.com", "ada@", "a@b@c", "a b@gmail.com", "a@gmail.com\u{0}"])
    func anAddressIsWholeOrRefused(_ address: String) async throws {
        let person = try await GmailPerson()
        await #expect(
            throws: AccountError.invalid(
                field: "address", reason: "Please enter your full address, such as ada@gmail.com.")
        ) { try await person.browser(["address": address]) }
    }

    @Test func settingsThatCannotBeUsedAreSaidInTheLog() async throws {
        let log = LogLines()
        let endpoints = GmailEndpoints(
            PluginSettings([
                "tokenUrl": "http://plain.test/token", "imap": ["host": "x", "port": 0],
                "submission": ["host": "smtp.test", "port": 587, "security": "startTLS"],
            ]), log: PluginLog(least: .warning) { _, line in log.add(line) })
        #expect(endpoints.service.token.absoluteString == "https://oauth2.googleapis.com/token")
        #expect(endpoints.imap.endpoint.description == "imap.gmail.com:993")
        #expect(endpoints.submission.endpoint.description == "smtp.test:587")
        #expect(log.all.count == 2)
    }
}
