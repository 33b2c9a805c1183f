import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import JMAPAccounts

@Suite("Services that are awkward, and answers that are cut short") struct AwkwardServiceTests {
    private func envelope(_ service: MemoryService) -> Envelope {
        Envelope(mailFrom: service.address, rcptTo: [service.address])
    }

    private func submit(_ name: String, _ person: Person) async throws -> SubmissionOutcome {
        try await person.session.submit(
            DataSource(MemoryMailbox.bytes(name)), envelope: envelope(person.service))
    }

    // MARK: Sending

    /// ACC-43: where there is no mailbox for drafts, the copy of a failed try is in Sent.
    @Test func aDraftInSentWasNotSent() async throws {
        var start = MemoryMailbox()
        start.missingRoles = ["drafts"]
        start.add(
            MemoryMailbox.bytes("open"), to: ["m-sent"], keywords: ["$draft", "$seen"],
            receivedAt: Date(timeIntervalSince1970: 0))
        let person = try Person(MemoryService(start))
        #expect(try await !person.session.findSent(messageID: "open@example.test"))
        guard case .accepted = try await submit("sent", person) else { return #expect(Bool(false)) }
        #expect(try await person.session.findSent(messageID: "sent@example.test"))
    }

    /// ACC-43: what was accepted is accepted, whatever else the answer lacks.
    @Test(arguments: [
        (#"[["EmailSubmission/set",{"created":{"s":{"id":"x"}}},"s"]]"#, true),
        (
            #"[["error",{"type":"serverPartialFail"},"i"],["EmailSubmission/set",{"created":{"s":{}}},"s"]]"#,
            true
        ),
        (#"[["Email/import",{"created":{}},"i"],["EmailSubmission/set",{"created":{"s":{}}},"s"]]"#, true),
        (#"[]"#, false),
        (#"[["error",{"type":"serverPartialFail"},"i"]]"#, false),
        (#"[["Email/import",{"created":{"m":{"id":"e1"}}},"i"]]"#, false),
    ])
    func anAnswerThatIsCutShortIsNoRefusal(_ responses: String, _ isAccepted: Bool) async throws {
        let service = MemoryService { request, _ in
            request.names.contains("EmailSubmission/set")
                ? .answer(200, [:], #"{"methodResponses":\#(responses)}"#) : nil
        }
        let outcome = try await submit("cut", Person(service))
        if case .accepted = outcome {
            #expect(isAccepted)
        } else {
            #expect(!isAccepted && outcome == .unknown)
        }
    }

    /// ACC-43: a server in between can say 503 after it has passed the request on.
    @Test func anOutageWhileSendingIsLookedAfter() async throws {
        let service = MemoryService { request, _ in
            request.names.contains("EmailSubmission/set") ? .answer(503, [:], "") : nil
        }
        #expect(try await submit("outage", Person(service)) == .unknown)
    }

    /// ACC-43: the copy of an earlier try is sent instead of a second one.
    @Test func aMessageThatIsThereAlreadyIsSent() async throws {
        var start = MemoryMailbox()
        start.refusesKnownBytes = true
        start.add(
            MemoryMailbox.bytes("again"), to: ["m-drafts"], keywords: ["$draft"],
            receivedAt: Date(timeIntervalSince1970: 0))
        let person = try Person(MemoryService(start))
        guard case .accepted = try await submit("again", person) else { return #expect(Bool(false)) }
        let all = person.service.state.value.messages.values
        #expect(all.filter { $0.mailboxes == ["m-sent"] }.map(\.keywords) == [[]])
        #expect(!all.contains { $0.mailboxes.contains("m-drafts") })
        #expect(person.service.state.value.submissions.count == 1)
    }

    // MARK: Reading

    /// ACC-41: one message that cannot be read stops no other.
    @Test(arguments: [false, true])
    func aMessageNestedTooDeeplyIsAFailure(_ isNew: Bool) async throws {
        var start = MemoryMailbox.filled(20)
        if !isNew { start.nested = ["e7"] }
        let person = try Person(MemoryService(start))
        var mirror = Mirror()
        try await mirror.round(person.session)
        if isNew {
            person.service.state.withLock { mailbox in
                let id = mailbox.add(
                    MemoryMailbox.bytes("deep"), to: ["m-inbox"], receivedAt: Date(timeIntervalSince1970: 2e9)
                )
                mailbox.nested = [id]
                mailbox.add(
                    MemoryMailbox.bytes("flat"), to: ["m-inbox"], receivedAt: Date(timeIntervalSince1970: 2e9)
                )
            }
            try await mirror.round(person.session)
        }
        #expect(mirror.held.count == (isNew ? 21 : 19))
        #expect(mirror.failures.count == 1)
    }

    /// ACC-41
    @Test func aMessageThatIsPassedOverIsAFailure() async throws {
        var start = MemoryMailbox.filled(20)
        start.passedOver = ["e3"]
        let person = try Person(MemoryService(start))
        var mirror = Mirror()
        try await mirror.round(person.session)
        #expect(mirror.held.count == 19)
        #expect(mirror.failures.map(\.id.rawValue) == ["e3"])
    }

    /// ACC-41
    @Test func aServiceThatDoesNotGoOnIsNotReadForEver() async throws {
        var start = MemoryMailbox.filled(120)
        start.ignoresAnchors = true
        let session = try Person(MemoryService(start)).session
        await #expect(throws: AccountError.badAnswer("Email/query does not go on")) {
            var mirror = Mirror()
            try await mirror.round(session)
        }
    }

    // MARK: Changing

    /// ACC-42: changes of the user are not undone because the service is not where it was.
    @Test func aServiceThatHasMovedIsUnreachable() async throws {
        let service = MemoryService(.filled(2)) { request, number in
            request.names == ["Email/set"] && number < 4 ? .answer(404, [:], "<h1>No</h1>") : nil
        }
        let person = try Person(service)
        let address = RemoteAddress(feed: JMAPAccountSession.feed, id: RemoteMessageID("e1"))
        let flag = RemoteMutation.setKeywords([address], add: [.seen], remove: [])
        let moved = AccountError.unreachable(
            host: MemoryService.host, reason: "The service is not at its place (HTTP 404).")
        #expect(try await person.session.apply([flag]) == [.failed(moved)])
        // Where it is now is asked, and then the change is made.
        _ = try await person.session.apply([flag])
        #expect(try await person.session.apply([flag]) == [.done(newIDs: [:], mailbox: nil)])
        #expect(service.requests.filter { $0.url.path() == "/.well-known/jmap" }.count > 1)
    }

    /// ACC-42: ids of another account mean other messages.
    @Test func anotherAccountIsNotTaken() async throws {
        var start = MemoryMailbox.filled(2)
        start.accountID = "u2"
        let service = MemoryService(start)
        let session = try Person.session(service, ManualClock(), account: "u1")
        await #expect(
            throws: AccountError.refused("The service no longer offers this mailbox for this sign-in.")
        ) { try await session.mailboxes() }
    }

    /// ACC-40: a try that fails after the new copy is there adds one with each further try.
    @Test func aReplacedCopyThatStaysIsNoFailure() async throws {
        let service = MemoryService(.filled(1)) { request, _ in
            request.names == ["Email/set"] ? .answer(500, [:], "") : nil
        }
        let person = try Person(service)
        let old = RemoteAddress(feed: JMAPAccountSession.feed, id: RemoteMessageID("e1"))
        let outcome = try await person.session.append(
            DataSource(MemoryMailbox.bytes("draft")), to: RemoteMailboxID("m-drafts"), keywords: [.draft],
            receivedAt: person.clock.now, replacing: old)
        #expect(outcome.address != nil && outcome.address != old)
    }
}
