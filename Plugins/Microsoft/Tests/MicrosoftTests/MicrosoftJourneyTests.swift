import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import MicrosoftLogin
import Testing

@testable import Microsoft

/// ACC-82: on a real OAuth server, a real Dovecot and a real submission server.
@Suite(
    "Signing in to Microsoft", .enabled(if: MailService.isInstalled, "dovecot-imapd is not installed"),
    .timeLimit(.minutes(5)))
struct MicrosoftJourneyTests {
    @Test func fromTheAddressToMail() async throws {
        let person = try await MicrosoftPerson()
        guard case .form(let fields, _) = try await person.begin() else { throw Unexpected(step: "no form") }
        #expect(fields.map(\.name) == ["address"])
        let (page, memory) = try await person.browser()
        let items = try #require(URLComponents(string: page.absoluteString)?.queryItems)
        func value(_ name: String) -> String? { items.first { $0.name == name }?.value }
        #expect(
            value("scope") == "https://outlook.office.com/IMAP.AccessAsUser.All "
                + "https://outlook.office.com/SMTP.Send offline_access")
        #expect(value("code_challenge_method") == "S256" && value("login_hint") == person.address)
        // Any port of this name is allowed there, and of no other.
        #expect(value("redirect_uri") == "http://localhost:4321/signin")
        let candidate = try await person.cameBack(
            try await person.service.visit(page, as: person.address), memory)
        let (account, secrets) = try await person.account(candidate)
        // While it is tried nothing is renewed: the next refresh token could not be kept.
        #expect(try await person.service.seen(person.client).requests == ["authorization_code"])
        let session = try await person.provider.session(for: account, secrets: secrets)
        #expect(try await !session.mailboxes().mailboxes.isEmpty)
        #expect(await session.features.contains([.submission, .savesSentCopies]))
        await session.close()
        // The next sign-in goes straight to the browser.
        guard case .browser = try await person.begin(again: account) else { throw Unexpected(step: "a form") }
    }

    @Test func aClientThatIsTypedOnceIsKept() async throws {
        let person = try await MicrosoftPerson(isConfigured: false)
        let candidate = try await person.candidate(["clientId": " \(person.client.id) "])
        let (account, secrets) = try await person.account(candidate)
        let session = try await person.provider.session(for: account, secrets: secrets)
        _ = try await session.mailboxes()
        await session.close()
        guard case .form(let fields, _) = try await person.begin() else { throw Unexpected(step: "no form") }
        #expect(fields.map(\.name) == ["address", "clientId"])
        #expect(fields.map(\.isRequired) == [true, false])
    }

    /// ACC-82: what is known already is not asked for.
    @Test func anAddressThatWasFoundIsNotAskedForAgain() async throws {
        let person = try await MicrosoftPerson(isConfigured: false)
        let found = DiscoveredService(address: person.address, knownID: "microsoft")
        let request = AuthorizationRequest(
            setupID: "microsoft", redirect: MicrosoftPerson.redirect, discovered: found)
        guard case .form(let fields, let memory) = try await person.provider.authorize(.begin(request)) else {
            throw Unexpected(step: "no form")
        }
        #expect(fields.map(\.name) == ["clientId"])
        let step = try await person.provider.authorize(
            .form(["clientId": Secret(person.client.id)], memory: memory))
        guard case .browser(let page, _) = step else { throw Unexpected(step: "\(step)") }
        #expect(page.query()?.contains("login_hint=\(person.address.replacing("@", with: "%40"))") == true)
        let configured = try await MicrosoftPerson()
        guard case .browser = try await configured.provider.authorize(.begin(request)) else {
            throw Unexpected(step: "a form")
        }
    }

    /// The token is of the person, the mailbox another one.
    @Test func aSharedMailboxThatIsNotAllowedIsSaid() async throws {
        let person = try await MicrosoftPerson()
        let shared = MailServers.newAddress()
        let candidate = try await person.candidate(["mailbox": shared], setup: MicrosoftProvider.sharedID)
        #expect(try MicrosoftAccount(candidate.settings).owner == shared)
        let error = await #expect(throws: AccountError.self) { try await person.provider.validate(candidate) }
        guard case .authenticationRequired(let reason)? = error else {
            throw Unexpected(step: "\(String(describing: error))")
        }
        #expect(reason.hasPrefix("Microsoft does not open \(shared) for \(person.address)."))
    }

    @Test func aMailboxThatIsClosedForIMAPIsSaid() async throws {
        let person = try await MicrosoftPerson()
        let candidate = try await person.candidate(as: MailServers.newAddress())
        let error = await #expect(throws: AccountError.self) { try await person.provider.validate(candidate) }
        guard case .authenticationRequired(let reason)? = error else {
            throw Unexpected(step: "\(String(describing: error))")
        }
        #expect(reason.hasPrefix("Microsoft accepted your sign-in, but the mailbox is closed for IMAP"))
    }

    /// ACC-83: as Microsoft's page and its tokens say it.
    @Test(arguments: [
        ("access_denied", "AADSTS90094: The grant requires admin permission.", "Your organization requires"),
        (
            "invalid_grant", "AADSTS53003: Access has been blocked by Conditional Access.",
            "A rule of your org"
        ),
        (
            "invalid_client", "AADSTS7000218: The request body must contain client_secret",
            "Microsoft does not let"
        ),
        (
            "unauthorized_client", "AADSTS700016: Application was not found in the directory",
            "Microsoft does not know"
        ),
        (
            "invalid_request", "AADSTS50020: User account does not exist in tenant",
            "This client does not accept"
        ),
    ])
    func eachRefusalHasItsSentence(_ code: String, _ words: String, _ sentence: String) async throws {
        let person = try await MicrosoftPerson()
        let (page, memory) = try await person.browser()
        let state = try #require(
            URLComponents(string: page.absoluteString)?.queryItems?.first { $0.name == "state" }?.value)
        let atThePage = await #expect(throws: AccountError.self) {
            try await person.cameBack(["error": code, "error_description": words, "state": state], memory)
        }
        let items = try await person.service.visit(page, as: person.address)
        let body = try String(
            decoding: JSONEncoder().encode(["error": code, "error_description": words]), as: UTF8.self)
        let answers = try String(
            decoding: JSONEncoder().encode([
                "answers": JSONValue.array([["status": 400, "body": .string(body)]])
            ]), as: UTF8.self)
        try await person.service.setPolicy(answers, of: person.client)
        let atTheTokens = await #expect(throws: AccountError.self) {
            try await person.cameBack(items, memory)
        }
        for error in [atThePage, atTheTokens] {
            guard case .authenticationRequired(let reason)? = error else {
                throw Unexpected(step: "\(String(describing: error))")
            }
            #expect(reason.hasPrefix(sentence))
        }
        // What another program opened is not believed, whatever it says.
        await #expect(throws: AccountError.badAnswer("the browser returned from a different sign-in")) {
            try await person.cameBack(["error": code, "error_description": words, "state": "x"], memory)
        }
    }

    @Test func refusingInTheBrowserSaysNothing() async throws {
        let person = try await MicrosoftPerson()
        let (page, memory) = try await person.browser()
        let items = try await person.service.visit(page, as: person.address, act: "deny")
        await #expect(throws: AccountError.denied) { try await person.cameBack(items, memory) }
    }
}
