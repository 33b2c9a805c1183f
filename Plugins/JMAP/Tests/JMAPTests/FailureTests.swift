import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import JMAPAccounts

@Suite("Failures of a JMAP service") struct FailureTests {
    /// ACC-42
    @Test(arguments: [
        (MemoryService.Fault.answer(429, ["retry-after": "90"], ""), AccountError.throttled(until: later)),
        (.answer(503, ["retry-after": "90"], ""), .throttled(until: later)),
        (
            .answer(500, [:], "<html>Oops</html>"),
            .unreachable(host: MemoryService.host, reason: "The server reported an error (HTTP 500).")
        ),
        (
            .answer(401, [:], #"{"detail":"Token revoked."}"#),
            .authenticationRequired(reason: "Token revoked.")
        ),
        (
            .answer(401, [:], "<html>"),
            .authenticationRequired(reason: "The service refused the password or token.")
        ),
        (.answer(200, [:], "<html>"), .badAnswer("the response is not the JSON that was expected")),
        (.fail(.offline), .offline),
        (
            .answer(
                200, [:],
                #"{"methodResponses":[["error",{"type":"forbidden","description":"Not\nyours"},"m"]]}"#),
            .refused("Not yours")
        ),
    ])
    func eachHasItsMeaning(_ fault: MemoryService.Fault, _ meaning: AccountError) async throws {
        let service = MemoryService { request, _ in request.names.isEmpty ? nil : fault }
        let person = try Person(service)
        await #expect(throws: meaning) { try await person.session.mailboxes() }
    }

    private static var later: Date { Date(timeIntervalSince1970: 1_700_000_000 + 90) }

    /// ACC-42
    @Test func aSessionThatNamesAPlaceWithoutEncryptionIsNotUsed() async throws {
        let session = #"""
            {"apiUrl":"http://mail.example.test/api","uploadUrl":"/u","downloadUrl":"/d",
            "accounts":{"u1":{"accountCapabilities":{"urn:ietf:params:jmap:mail":{}}}}}
            """#
        let person = try Person(MemoryService { _, _ in .answer(200, [:], session) })
        let error = await #expect(throws: AccountError.self) { try await person.session.mailboxes() }
        guard case .insecure? = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }

    /// ACC-42
    @Test func afterALostConnectionTheRestIsNotTried() async throws {
        let service = MemoryService(.filled(2)) { request, _ in
            request.names == ["Email/set"] ? .fail(.closed(host: "x")) : nil
        }
        let address = RemoteAddress(feed: JMAPAccountSession.feed, id: RemoteMessageID("e1"))
        let outcomes = try await Person(service).session.apply([
            .setKeywords([address], add: [.seen], remove: []), .destroy([address]),
        ])
        let lost = AccountError.unreachable(host: "x", reason: "The connection was closed.")
        #expect(outcomes == [.failed(lost), .notTried])
    }

    /// ACC-43
    @Test func aMessageWhoseAnswerWasLostIsLookedFor() async throws {
        let service = MemoryService { request, _ in
            request.names.contains("EmailSubmission/set") ? .loseAnswer(.closed(host: "x")) : nil
        }
        let person = try Person(service)
        let outcome = try await person.session.submit(
            DataSource(MemoryMailbox.bytes("lost")),
            envelope: Envelope(mailFrom: service.address, rcptTo: [service.address]))
        #expect(outcome == .unknown)
        #expect(try await person.session.findSent(messageID: "lost@example.test"))
    }

    /// ACC-43
    @Test func oneCopyIsInSentAndNoneAmongTheDrafts() async throws {
        let service = MemoryService()
        let person = try Person(service)
        let envelope = Envelope(mailFrom: service.address, rcptTo: [service.address])
        _ = try await person.session.submit(DataSource(MemoryMailbox.bytes("one")), envelope: envelope)
        let refused = Envelope(mailFrom: service.address, rcptTo: ["no@example.test"])
        let outcome = try await person.session.submit(
            DataSource(MemoryMailbox.bytes("two")), envelope: refused)
        guard case .rejected(_, let reasons) = outcome else { return #expect(Bool(false), "\(outcome)") }
        #expect(reasons.keys.sorted() == ["no@example.test"])
        let all = service.state.value.messages.values
        #expect(all.filter { $0.mailboxes == ["m-sent"] }.count == 1)
        #expect(all.filter { $0.mailboxes == ["m-sent"] }.allSatisfy { $0.keywords == ["$seen"] })
        #expect(all.filter { $0.mailboxes.contains("m-drafts") }.isEmpty)
    }

    /// ACC-44
    @Test func aMessageIsHeldAsLongAsTheServiceCan() async throws {
        var start = MemoryMailbox()
        start.maxDelayedSend = 3_600
        let person = try Person(MemoryService(start))
        #expect(try await person.session.holdLimits() == HoldLimits(maxSeconds: 3_600, canCancel: true))
        var envelope = Envelope(mailFrom: person.service.address, rcptTo: [person.service.address])
        envelope.holdUntil = person.clock.now + 60
        _ = try await person.session.submit(DataSource(MemoryMailbox.bytes("later")), envelope: envelope)
        let sent = person.service.state.value.submissions.first?["envelope"]?["mailFrom"]
        #expect(sent?["parameters"] == ["HOLDFOR": "60"])
        envelope.holdUntil = person.clock.now + 7_200
        let (session, late) = (person.session, envelope)
        await #expect(throws: AccountError.refused("The service cannot hold a message that long.")) {
            _ = try await session.submit(DataSource(Data()), envelope: late)
        }
    }

    /// ACC-45
    @Test func aServiceWithoutEventsIsAskedNowAndThen() async throws {
        var start = MemoryMailbox()
        start.hasEvents = false
        let person = try Person(MemoryService(start))
        var events = person.session.watch().makeAsyncIterator()
        #expect(try await events.next() == .listening)
        let moving = Task { await person.clock.keepMoving(by: 30) }
        person.service.state.withLock { mailbox in
            _ = mailbox.add(
                MemoryMailbox.bytes("new"), to: ["m-inbox"], receivedAt: Date(timeIntervalSince1970: 0))
        }
        #expect(try await events.next() == .changed(JMAPAccountSession.feed))
        moving.cancel()
        await person.session.close()
        #expect(person.service.requests.filter { $0.url.path() == "/events" }.count == 1, "asked once")
    }

    /// ACC-46
    @Test func scriptsArePutActivatedAndDeleted() async throws {
        var start = MemoryMailbox()
        start.hasScripts = true
        let session = try Person(MemoryService(start)).session
        try await session.putScript("keep;\r\n", named: "mailkernel")
        try await session.putScript("discard;\r\n", named: "mailkernel")
        try await session.activateScript(named: "mailkernel")
        let scripts = try #require(try await session.scripts())
        #expect(scripts.scripts == [RemoteScripts.Script(name: "mailkernel", isActive: true)])
        #expect(scripts.extensions == ["fileinto", "imap4flags"])
        #expect(scripts.mailboxNames[RemoteMailboxID("m-inbox")] == "INBOX")
        #expect(try await session.script(named: "mailkernel") == "discard;\r\n")
        await #expect(throws: AccountError.refused("It is active.")) {
            try await session.deleteScript(named: "mailkernel")
        }
        try await session.activateScript(named: nil)
        try await session.deleteScript(named: "mailkernel")
        try await session.deleteScript(named: "mailkernel")
        #expect(try await session.scripts()?.scripts.isEmpty == true)
        await #expect(throws: AccountError.notFound) { try await session.script(named: "mailkernel") }
        let without = try Person(MemoryService()).session
        #expect(try await without.scripts() == nil)
    }

    /// ACC-47
    @Test func limitsOfMailAreRead() async throws {
        var start = MemoryMailbox()
        start.quotas = [
            [
                "id": "q1", "resourceType": "octets", "used": 700, "hardLimit": 1_000, "warnLimit": 900,
                "scope": "account", "name": "Mail\nstore", "types": ["Mail"],
            ],
            ["id": "q2", "resourceType": "count", "used": 1, "hardLimit": 2, "types": ["Calendar"]],
            ["id": "q3", "resourceType": "octets", "used": -1, "hardLimit": 2, "types": ["Mail"]],
        ]
        let quotas = try await Person(MemoryService(start)).session.quotas()
        #expect(
            quotas == [
                AccountQuota(
                    id: Id("q1"), resourceType: .octets, used: 700, hardLimit: 1_000, warnLimit: 900,
                    name: "Mail store")
            ])
        #expect(try await Person(MemoryService()).session.quotas().isEmpty)
    }
}
