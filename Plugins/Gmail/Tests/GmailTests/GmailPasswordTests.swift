import FoundationEssentials
import IMAP
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Gmail

/// ACC-80: on a real Dovecot and a real submission server.
@Suite(
    "Gmail with an app password", .enabled(if: MailService.isInstalled, "dovecot-imapd is not installed"),
    .timeLimit(.minutes(5)))
struct GmailPasswordTests {
    private let redirect = GmailPerson.redirect

    private func candidate(
        _ person: GmailPerson, password: String = MailServers.password.revealed, again: Account? = nil
    ) async throws -> AccountCandidate {
        let request = AuthorizationRequest(
            setupID: GmailPassword.setupID, redirect: redirect, account: again)
        guard case .form(let fields, let memory) = try await person.provider.authorize(.begin(request)) else {
            throw Unexpected(step: "no form")
        }
        #expect(fields.map(\.name) == ["address", "password"])
        #expect(fields[0].initialValue == again?.address ?? "")
        let answers = ["address": Secret(person.address), "password": Secret(password)]
        let step = try await person.provider.authorize(.form(answers, memory: memory))
        guard case .finished(let candidates) = step else { throw Unexpected(step: "\(step)") }
        return try #require(candidates.first)
    }

    @Test func fromTheAddressToMailAndBack() async throws {
        let person = try await GmailPerson(isConfigured: false)
        let candidate = try await candidate(person)
        let validated = try await person.provider.validate(candidate)
        #expect(validated.identities == [EmailAddress(email: person.address)])
        let secrets = MemorySecrets()
        for (name, secret) in candidate.secrets { secrets.store(secret, named: name) }
        let account = Account(
            id: Id("A1"), pluginID: person.host.pluginID, address: validated.address,
            displayName: validated.displayName, addedAt: person.clock.now, settings: candidate.settings)
        let session = try await person.provider.session(for: account, secrets: secrets)
        #expect(try await !session.mailboxes().mailboxes.isEmpty)
        #expect(await session.features.contains([.submission, .savesSentCopies]))
        await session.close()
        // No client took part, and there is nothing that could be revoked.
        try await person.provider.revoke(account, secrets: secrets)
        #expect(try await person.service.seen(person.client).requests.isEmpty)
        // Signing in again keeps the way.
        let next = try await self.candidate(person, again: account)
        #expect(GmailAccount.usesAppPassword(next.settings))
        #expect(try await person.provider.validate(next).address == validated.address)
    }

    @Test func aWrongPasswordIsNotAdded() async throws {
        let person = try await GmailPerson(isConfigured: false)
        let candidate = try await candidate(person, password: "not-this-one")
        let error = await #expect(throws: AccountError.self) { try await person.provider.validate(candidate) }
        guard case .authenticationRequired? = error else {
            throw Unexpected(step: "\(String(describing: error))")
        }
    }

    @Test func anotherAddressIsNotTheSameAccount() async throws {
        let person = try await GmailPerson(isConfigured: false)
        let account = Account(
            id: Id("A1"), pluginID: person.host.pluginID, address: "ada@gmail.test", displayName: "Ada",
            addedAt: person.clock.now, settings: ["address": "ada@gmail.test", "usesAppPassword": true])
        await #expect(
            throws: AccountError.invalid(
                field: "address", reason: "This account's address is ada@gmail.test.")
        ) { try await candidate(person, again: account) }
    }
}

/// ACC-92: without a connection.
@Suite("An account of Gmail changes its way in") struct GmailWayTests {
    private func fields(_ setup: String, changes: Bool, usesAppPassword: Bool) async throws -> [String] {
        let provider = GmailProvider(.forTesting(settings: PluginSettings([:])))
        var settings: [String: JSONValue] = ["address": "ada@gmail.test"]
        if usesAppPassword { settings["usesAppPassword"] = true }
        let account = Account(
            id: Id("A1"), pluginID: "x", address: "ada@gmail.test", displayName: "Ada",
            addedAt: .distantPast, settings: settings)
        let request = AuthorizationRequest(
            setupID: setup, redirect: GmailPerson.redirect, account: account,
            discovered: changes ? DiscoveredService(address: account.address, isToBeChanged: true) : nil)
        guard case .form(let fields, _) = try await provider.authorize(.begin(request)) else { return [] }
        return fields.map(\.name)
    }

    @Test(arguments: [false, true]) func theUserChooses(_ usesAppPassword: Bool) async throws {
        let password = ["address", "password"]
        #expect(
            try await fields(GmailPassword.setupID, changes: true, usesAppPassword: usesAppPassword)
                == password)
        let client = try await fields("gmail", changes: true, usesAppPassword: usesAppPassword)
        #expect(!client.isEmpty && !client.contains("password"))
        // Signing in again keeps the way.
        let again = try await fields("gmail", changes: false, usesAppPassword: usesAppPassword)
        #expect((again == password) == usesAppPassword)
    }
}

/// ACC-81: without a connection.
@Suite("What is an app password")
struct AppPasswordFormTests {
    private let form = GmailPassword(imap: MailServer("imap.gmail.com", port: 993))

    private func filledIn(_ password: String) throws -> AccountCandidate {
        guard case .form(_, let memory) = form.begin(again: nil) else { throw Unexpected(step: "no form") }
        return try form.filledIn(
            ["address": Secret("ada@gmail.com"), "password": Secret(password)], memory)
    }

    @Test(arguments: ["abcd efgh ijkl mnop", "abcdefghijklmnop", " ABCD EFGH IJKL MNOP\u{a0}"])
    func sixteenLettersAreTaken(_ typed: String) throws {
        #expect(try filledIn(typed).secrets[GmailPassword.secretName] == Secret("abcdefghijklmnop"))
    }

    @Test(arguments: [
        "hunter2", "correct horse battery", "abcdefghijklmno", "abcdefghijklmn1p", "ábcdefghijklmno",
    ])
    func anotherPasswordStaysHere(_ typed: String) {
        let error = #expect(throws: AccountError.self) { try filledIn(typed) }
        guard case .invalid("password", let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.hasPrefix("An app password has 16 letters"))
    }

    @Test(arguments: [
        (
            "Application-specific password required: https://support.google.com/x (Failure)",
            "Google expects an app"
        ),
        ("Invalid credentials (Failure)", "Google did not accept this app password"),
        ("Your account is not enabled for IMAP use.", "Your administrator has turned off IMAP"),
        ("Please log in via your web browser: https://x (Failure)", "Google wants to see you in the browser"),
    ])
    func eachRefusalHasItsSentence(_ words: String, _ sentence: String) {
        for error in [AccountError.authenticationRequired(reason: words), .refused(words)] {
            let explained = error.explainedForAppPasswords
            if words.hasPrefix("Invalid"), case .refused = error {
                #expect(explained == error)
                continue
            }
            guard case .authenticationRequired(let reason) = explained else {
                Issue.record("\(explained)")
                continue
            }
            #expect(reason.hasPrefix(sentence))
        }
        #expect(AccountError.offline.explainedForAppPasswords == .offline)
    }
}
