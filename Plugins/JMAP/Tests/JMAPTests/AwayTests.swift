import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import JMAPAccounts

@Suite("What a JMAP service does by itself") struct AwayTests {
    /// ACC-50
    @Test func theVacationReplyOfTheServiceIsReadAndSet() async throws {
        var start = MemoryMailbox()
        start.vacation = [
            "id": "singleton", "isEnabled": true, "fromDate": "2026-12-01T00:00:00Z", "toDate": nil,
            "subject": "", "textBody": "I am away.", "htmlBody": "<p>I am away.</p>",
        ]
        let person = try Person(MemoryService(start))
        _ = try await person.session.mailboxes()
        #expect(await person.session.features.contains(.vacation))
        var reply = try await person.session.vacation()
        #expect(
            reply
                == RemoteVacation(
                    isEnabled: true, from: Date(timeIntervalSince1970: 1_796_083_200), text: "I am away.",
                    html: "<p>I am away.</p>"))
        (reply.to, reply.subject, reply.html) = (reply.from.map { $0 + 86_400 }, "Away", nil)
        try await person.session.setVacation(reply)
        #expect(try await person.session.vacation() == reply)
        reply.subject = "forbidden"
        let (session, refused) = (person.session, reply)
        await #expect(throws: AccountError.refused("Choose another subject.")) {
            try await session.setVacation(refused)
        }
    }

    /// ACC-50
    @Test func aServiceWithoutOneIsNotAsked() async throws {
        let person = try Person(MemoryService())
        _ = try await person.session.mailboxes()
        #expect(await !person.session.features.contains(.vacation))
        let asked = person.service.requests.count
        await #expect(throws: AccountError.unsupported("vacation replies of the service")) {
            try await person.session.vacation()
        }
        #expect(person.service.requests.count == asked)
    }

    private func held(_ service: MemoryService) async throws -> Person {
        let person = try Person(service)
        var envelope = Envelope(mailFrom: service.address, rcptTo: [service.address])
        _ = try await person.session.submit(DataSource(MemoryMailbox.bytes("sent")), envelope: envelope)
        envelope.holdUntil = person.clock.now + 60
        for name in ["other", "later"] {
            _ = try await person.session.submit(DataSource(MemoryMailbox.bytes(name)), envelope: envelope)
        }
        return person
    }

    private var holding: MemoryMailbox {
        var start = MemoryMailbox()
        start.maxDelayedSend = 3_600
        return start
    }

    /// ACC-52
    @Test func aHeldMessageIsADraftAgain() async throws {
        let person = try await held(MemoryService(holding))
        #expect(try await person.session.cancelHeld(messageID: "later@example.test"))
        let state = person.service.state.value
        let drafts = state.messages.values.filter { $0.mailboxes == ["m-drafts"] }
        #expect(drafts.map { MemoryMailbox.field("Subject", $0.bytes).filter { $0 != " " } } == ["later"])
        #expect(drafts.allSatisfy { $0.keywords.contains("$draft") })
        #expect(state.held.values.filter { $0["undoStatus"] == "pending" }.count == 1)
        // The answer may have been lost.
        #expect(try await person.session.cancelHeld(messageID: "later@example.test"))
        #expect(try await !person.session.cancelHeld(messageID: "sent@example.test"))
        #expect(try await !person.session.cancelHeld(messageID: "unknown@example.test"))
    }

    /// ACC-52
    @Test func whatIsSentInTheMeantimeIsNotTakenBack() async throws {
        let service = MemoryService(holding) { request, _ in
            let cancels = request.calls.contains { $0.arrayValue?[1]["onSuccessUpdateEmail"] != nil }
            guard cancels, request.names == ["EmailSubmission/set"] else { return nil }
            let id = request.calls[0].arrayValue?[1]["update"]?.objectValue?.keys.first ?? ""
            return .answer(
                200, [:],
                #"{"methodResponses":[["EmailSubmission/set",{"notUpdated":{"\#(id)":{"type":"cannotUnsend"}}},"s"]]}"#
            )
        }
        let person = try await held(service)
        #expect(try await !person.session.cancelHeld(messageID: "later@example.test"))
    }
}
