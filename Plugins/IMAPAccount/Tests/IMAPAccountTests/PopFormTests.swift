import FoundationEssentials
import IMAP
import MailKernelAPI
import MailKernelConformance
import POP3
import Testing

@testable import IMAPAccount

/// ACC-110, ACC-112, ACC-116: the form for a service that has POP3 only.
@Suite("An account with POP3 is added with its servers") struct PopFormTests: FillsForms {
    let provider = IMAPAccountProvider(.forTesting())

    private func settings(_ step: AuthorizationStep) throws -> [String: JSONValue] {
        try candidate(step).settings
    }

    @Test func itsServersAreAskedFor() async throws {
        let first = try await begin()
        let choice = ["address": "ada@lovelace.test", "password": "hunter2", "service": "pop3"]
        let (fields, memory) = try form(try await answer(choice, first.memory))
        #expect(
            fields.map(\.name) == [
                "user", "popHost", "popPort", "popSecurity", "smtpHost", "smtpPort", "smtpSecurity", "leave",
            ])
        #expect(fields.last?.initialValue == "always")
        let step = try await answer(
            [
                "user": "ada", "popHost": "Pop.Lovelace.test", "popPort": "110", "popSecurity": "startTLS",
                "smtpHost": "smtp.lovelace.test", "smtpPort": "465", "smtpSecurity": "tls", "leave": "30",
            ], memory)
        let place = try MailPlace(try settings(step))
        #expect(place.imap == MailServer("pop.lovelace.test", port: 110, security: .startTLS))
        #expect(place.leave == .days(30) && place.user == "ada")
        // Nothing is removed because a setting cannot be read.
        var bad = try settings(step)
        bad["leave"] = "soon"
        #expect(try MailPlace(bad).leave == .always)
    }

    @Test func signingInAgainChangesWhatIsLeft() async throws {
        let server = MailServer("pop.lovelace.test", port: 995)
        let person = AccountForms.Person(address: "ada@lovelace.test", password: "", name: "Ada")
        let place = MailPlace(person, user: "ada", imap: server, submission: server, leave: .days(14))
        let account = Account(
            id: Id("a"), pluginID: "test", address: "ada@lovelace.test", displayName: "Ada",
            addedAt: Date(timeIntervalSince1970: 0), settings: place.candidate(password: "x").settings)
        let (fields, memory) = try await begin(account)
        #expect(fields.map(\.name) == ["address", "password", "leave"] && fields.last?.initialValue == "14")
        let step = try await answer(
            ["address": "ada@lovelace.test", "password": "new", "leave": "never"], memory)
        let changed = try MailPlace(try settings(step))
        #expect(changed.leave == .never && changed.imap == server && changed.user == "ada")
    }

    /// ACC-101: it stays an account with POP3, and what is left on its server can be changed.
    @Test func changingTheSignInKeepsPOP3() async throws {
        let server = MailServer("pop.lovelace.test", port: 995)
        let person = AccountForms.Person(address: "ada@lovelace.test", password: "", name: "Ada")
        let place = MailPlace(person, user: "ada", imap: server, submission: server, leave: .days(14))
        let account = Account(
            id: Id("a"), pluginID: "test", address: "ada@lovelace.test", displayName: "Ada",
            addedAt: Date(timeIntervalSince1970: 0), settings: place.candidate(password: "x").settings)
        let (fields, memory) = try await begin(
            account, discovered: DiscoveredService(address: "ada@lovelace.test", isToBeChanged: true))
        let incoming = fields.first { $0.label == "Incoming (POP3) server" }
        #expect(incoming?.initialValue == server.endpoint.host)
        #expect(fields.last?.initialValue == "14")
        var answers = ["password": "new", "leave": "never"]
        for field in fields where answers[field.name] == nil { answers[field.name] = field.initialValue }
        answers["popPort"] = "110"
        answers["popSecurity"] = "startTLS"
        let changed = try MailPlace(try settings(try await answer(answers, memory)))
        #expect(changed.imap == MailServer("pop.lovelace.test", port: 110, security: .startTLS))
        #expect(changed.leave == .never && changed.user == "ada")
        answers["popHost"] = "pop.other.test"
        await #expect(throws: AccountError.self) { try await answer(answers, memory) }
    }

    @Test(arguments: [true, false]) func whatWasFoundIsUsed(_ isToBeChanged: Bool) async throws {
        let found = DiscoveredService(
            address: "ada@lovelace.test", incoming: DiscoveredServer("pop.lovelace.test", port: 995),
            submission: DiscoveredServer("smtp.lovelace.test", port: 465), source: "lovelace.test",
            isToBeChanged: isToBeChanged)
        let (fields, memory) = try await begin(discovered: found)
        #expect(fields.contains { $0.name == "popHost" } == isToBeChanged)
        var answers = ["password": "hunter2", "name": "Ada", "leave": "untilDeleted"]
        for field in fields where answers[field.name] == nil { answers[field.name] = field.initialValue }
        let place = try MailPlace(try settings(try await answer(answers, memory)))
        #expect(place.imap == MailServer("pop.lovelace.test", port: 995))
        #expect(place.submission == MailServer("smtp.lovelace.test", port: 465))
        #expect(place.leave == .untilDeleted)
    }
}
