import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import JMAPAccounts

/// ACC-41
@Suite("Mail is read in large batches, and not again") struct ReadingTests {
    @Test func aThousandMessagesTakeAFewRequests() async throws {
        let person = try Person(MemoryService(.filled(1_000)))
        var mirror = Mirror()
        try await mirror.round(person.session)
        #expect(mirror.held.count == 1_000 && mirror.arrivals.count == 1_000)
        #expect(mirror.arrivals.first == RemoteMessageID("e1000"), "the newest comes first")
        #expect(person.service.requests.count <= 7, "\(person.service.requests.map(\.names))")
    }

    @Test func theServicesLimitIsRespected() async throws {
        var start = MemoryMailbox.filled(95)
        start.objectsInGet = 10
        let person = try Person(MemoryService(start))
        var mirror = Mirror()
        try await mirror.round(person.session)
        #expect(mirror.held.count == 95)
    }

    @Test func changesThatTheServiceCannotTellAreFoundWithoutReadingMailAgain() async throws {
        let person = try Person(MemoryService(.filled(120)))
        var mirror = Mirror()
        try await mirror.round(person.session)
        person.service.state.withLock { mailbox in
            _ = mailbox.remove("e7")
            mailbox.change("e8") { $0.keywords = ["$flagged"] }
            mailbox.add(
                MemoryMailbox.bytes("new"), to: ["m-inbox"],
                receivedAt: Date(timeIntervalSince1970: 1_800_000_000))
            mailbox.oldestState = mailbox.emailState
        }
        let before = mirror
        await #expect(throws: AccountError.cursorExpired) { () async throws in
            var mirror = before
            try await mirror.round(person.session)
        }
        mirror.cursor = nil
        let arrivals = mirror.arrivals.count
        try await mirror.round(try person.restarted())
        #expect(mirror.held.count == 120 && mirror.held[RemoteMessageID("e7")] == nil)
        #expect(mirror.held[RemoteMessageID("e8")] == [.flagged])
        #expect(mirror.arrivals.count == arrivals + 1, "only the new message was read")
    }

    @Test func readingGoesOnWhenTheLastMessageIsGone() async throws {
        let person = try Person(MemoryService(.filled(200)))
        var mirror = Mirror()
        _ = try await mirror.step(person.session)
        let last = try #require(mirror.arrivals.last)
        person.service.state.withLock { _ = $0.remove(last.rawValue) }
        try await mirror.round(person.session)
        try await mirror.round(person.session)
        #expect(mirror.held.count == 199)
    }

    @Test func aMessageThatCannotBeReadDoesNotStopTheOthers() async throws {
        let broken = #"""
            {"methodResponses":[["Email/get",{"state":"1","list":[]},"s"],
            ["Email/query",{"ids":["a","b","c"],"total":3},"q"],
            ["Email/get",{"state":"1","list":[{"id":"a","size":"big"},{"id":"b"},
            {"id":"c","mailboxIds":{"m-inbox":true,"":true},"keywords":{"$Seen":true,"x":false},
            "receivedAt":"2024-01-02T03:04:05.678Z","size":10,"headers":[],
            "bodyStructure":{"type":"TEXT/plain","partId":"1"}}]},"e"]],"sessionState":"0"}
            """#
        let service = MemoryService { request, _ in
            request.names.contains("Email/query") ? .answer(200, [:], broken) : nil
        }
        var mirror = Mirror()
        let session = try Person(service).session
        _ = try await mirror.step(session)
        #expect(mirror.held == [RemoteMessageID("c"): [.seen]])
        #expect(mirror.failures.map(\.id) == [RemoteMessageID("a"), RemoteMessageID("b")])
    }

    @Test func ownAdditionsThatAreGoneBeforeTheNextSyncAreReported() async throws {
        let person = try Person(MemoryService(.filled(3)))
        var mirror = Mirror()
        try await mirror.round(person.session)
        let added = try await person.session.append(
            DataSource(MemoryMailbox.bytes("draft")), to: RemoteMailboxID("m-drafts"), keywords: [.draft],
            receivedAt: person.clock.now, replacing: nil)
        let id = try #require(added.address?.id)
        person.service.state.withLock { _ = $0.remove(id.rawValue) }
        let batch = try await person.session.changes(
            in: JMAPAccountSession.feed, after: mirror.cursor, since: nil, known: HeldMessages())
        #expect(batch.removed == [id])
    }

    @Test func mailboxesInACircleOrWithoutAParentAreListed() {
        let list: [JSONValue] = [
            ["id": "a", "name": "A", "parentId": "b"], ["id": "b", "name": "B", "parentId": "a"],
            ["id": "c", "name": "C", "parentId": "nowhere", "role": "inbox"], ["id": "no id!", "name": "D"],
            ["id": "d", "name": "E", "parentId": "c", "role": "inbox"], ["id": "c", "name": "again"], 5,
        ]
        let mailboxes = MailboxList.read(list)
        #expect(mailboxes.map(\.id.rawValue) == ["b", "a", "c", "d"])
        #expect(mailboxes.map { $0.parentID?.rawValue } == [nil, "b", nil, "c"])
        #expect(mailboxes.map(\.role) == [nil, nil, .inbox, nil])
    }
}
