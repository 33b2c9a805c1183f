import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Gmail

/// FR-ACCT-01, FR-ACCT-04, FR-OB-01 step 2, on real servers.
@Suite(
    "Signing in to Gmail", .enabled(if: MailService.isInstalled, "dovecot-imapd is not installed"),
    .timeLimit(.minutes(10)))
struct GmailJourneyTests {
    @Test func fromTheAddressToMail() async throws {
        let person = try await GmailPerson()
        guard case .form(let fields, _) = try await person.begin() else { throw Unexpected(step: "no form") }
        // The client is configured: the address is all that is asked.
        #expect(fields.map(\.name) == ["address"])
        let (page, memory) = try await person.browser()
        let items = try #require(URLComponents(string: page.absoluteString)?.queryItems)
        func value(_ name: String) -> String? { items.first { $0.name == name }?.value }
        #expect(value("scope") == "https://mail.google.com/")
        #expect(value("login_hint") == person.address)
        #expect(value("code_challenge_method") == "S256")
        #expect(value("redirect_uri") == "http://127.0.0.1:4321/signin")
        #expect(value("access_type") == "offline" && value("prompt") == "consent")

        let candidate = try await person.cameBack(
            try await person.service.visit(page, as: person.address), memory)
        let validated = try await person.provider.validate(candidate)
        #expect(validated.identities == [EmailAddress(email: person.address)])
        #expect(
            try await person.service.seen(person.client).requests == ["authorization_code", "refresh_token"])

        let (account, secrets) = try await person.add()
        let session = try await person.provider.session(for: account, secrets: secrets)
        let mailboxes = try await session.mailboxes().mailboxes
        #expect(Set(mailboxes.compactMap(\.role)).isSuperset(of: [.inbox, .sent, .drafts, .trash, .junk]))
        #expect(await session.features.contains([.submission, .savesSentCopies]))
        let message =
            "From: <\(person.address)>\r\nTo: <\(person.address)>\r\nMessage-ID: <1@x.test>\r\n\r\nHello\r\n"
        let outcome = try await session.submit(
            DataSource(Data(message.utf8)),
            envelope: Envelope(mailFrom: person.address, rcptTo: [person.address]))
        guard case .accepted = outcome else { throw Unexpected(step: "\(outcome)") }
        #expect(try await session.findSent(messageID: "1@x.test"))
        await session.close()
    }

    @Test func refusingInTheBrowserSaysNothing() async throws {
        let person = try await GmailPerson()
        let (page, memory) = try await person.browser()
        let items = try await person.service.visit(page, as: person.address, act: "deny")
        await #expect(throws: AccountError.denied) { try await person.cameBack(items, memory) }
        #expect(try await person.service.seen(person.client).requests.isEmpty)
    }

    @Test func anotherSignInsReturnIsNotTaken() async throws {
        let person = try await GmailPerson()
        let (page, memory) = try await person.browser()
        var items = try await person.service.visit(page, as: person.address)
        items["state"] = "AAAA"
        await #expect(throws: AccountError.badAnswer("the browser returned from a different sign-in")) {
            try await person.cameBack(items, memory)
        }
        #expect(try await person.service.seen(person.client).requests.isEmpty)
    }

    /// PKCE: an intercepted code is useless, and each code works once.
    @Test func aCodeIsGoodOnceAndForItsOwnSignIn() async throws {
        let person = try await GmailPerson()
        let (page, memory) = try await person.browser()
        let items = try await person.service.visit(page, as: person.address)
        let (_, otherMemory) = try await person.browser()
        let refused = AccountError.authenticationRequired(
            reason: "Google did not accept the browser's response.")
        var stolen = items
        stolen["state"] = try JSONDecoder().decode(
            [String: JSONValue].self, from: Data(otherMemory.revealed.utf8))["state"]?.stringValue
        await #expect(throws: refused) { try await person.cameBack(stolen, otherMemory) }
        let (page2, memory2) = try await person.browser()
        let items2 = try await person.service.visit(page2, as: person.address)
        _ = try await person.cameBack(items2, memory2)
        await #expect(throws: refused) { try await person.cameBack(items2, memory2) }
        _ = memory
    }

    @Test func aWrongClientIsSaid() async throws {
        let person = try await GmailPerson(isConfigured: false)
        let (page, memory) = try await person.browser([
            "clientId": person.client.id, "clientSecret": "GOCSPX-wrong",
        ])
        let items = try await person.service.visit(page, as: person.address)
        await #expect(
            throws: AccountError.authenticationRequired(
                reason: "Google does not recognize this client, or the secret is wrong.")
        ) { try await person.cameBack(items, memory) }
    }

    @Test func choosingAnotherAccountIsSaid() async throws {
        let person = try await GmailPerson()
        let candidate = try await person.candidate(as: MailServers.newAddress())
        let error = await #expect(throws: AccountError.self) { try await person.provider.validate(candidate) }
        guard case .authenticationRequired(let reason)? = error else {
            throw Unexpected(step: "\(String(describing: error))")
        }
        #expect(reason.hasPrefix("Google refused this address. You may have chosen a different account"))
    }

    @Test func aPermissionThatWasUntickedIsSaid() async throws {
        let person = try await GmailPerson()
        try await person.service.setPolicy(#"{"scope": "openid"}"#, of: person.client)
        await #expect(
            throws: AccountError.authenticationRequired(
                reason:
                    "The permission to read, write and send mail was not granted. Check its box next time.")
        ) { try await person.candidate() }
        try await person.service.setPolicy(#"{"scope": null, "refresh": false}"#, of: person.client)
        await #expect(
            throws: AccountError.authenticationRequired(reason: "Google granted access for one hour only.")
        ) { try await person.candidate() }
    }

    @Test func noNetworkIsSaidAsSuch() async throws {
        let person = try await GmailPerson(network: NoNetwork())
        let (page, memory) = try await person.browser()
        let items = try await person.service.visit(page, as: person.address)
        await #expect(throws: AccountError.offline) { try await person.cameBack(items, memory) }
    }

    /// FR-ACCT-01: receiving and sending are both tried.
    @Test(arguments: ["imap", "submission"])
    func anAccountThatOnlyHalfWorksIsNotAdded(_ server: String) async throws {
        let person = try await GmailPerson(more: [server: ["host": "localhost", "port": 1]])
        let candidate = try await person.candidate()
        let error = await #expect(throws: AccountError.self) { try await person.provider.validate(candidate) }
        guard case .unreachable("localhost", _)? = error else {
            throw Unexpected(step: "\(String(describing: error))")
        }
        #expect((person.host.secrets as? MemorySecrets)?.names == [])
    }

    @Test(arguments: [
        #"{"status": 500, "body": "<html>"}"#, #"{"status": 200, "body": "not JSON"}"#,
        #"{"status": 200, "body": "{\"access_token\": \"a\\r\\nb\"}"}"#,
        #"{"status": 200, "body": "[[[[[[[[[[", "times": 100000}"#,
        #"{"status": 200, "body": "0123456789", "times": 1000000}"#,
        #"{"status": 400, "body": "{\"error\": \"invalid_request\", \"error_description\": \"{refresh_token}\"}"}"#,
    ])
    func anAnswerThatIsNoneEndsTheSignIn(_ answer: String) async throws {
        let person = try await GmailPerson()
        try await person.service.setPolicy(#"{"answers": [\#(answer)]}"#, of: person.client)
        let error = await #expect(throws: AccountError.self) { try await person.candidate() }
        #expect(error != .denied && error != .cancelled)
        #expect(try await person.service.seen(person.client).requests == ["authorization_code"])
        // And the next one works.
        _ = try await person.candidate()
    }
}
