import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import MicrosoftGraph

/// ACC-121: mail is read by changes of each folder.
@Suite("Reading through Microsoft Graph", .timeLimit(.minutes(3))) struct GraphReadingTests {
    @Test func mailComesNewestFirstInBatches() async throws {
        let person = try Person(GraphServer(.filled(450)))
        var mirror = Mirror()
        try await mirror.round(person.session)
        let dates = mirror.arrivals.map(\.receivedAt)
        #expect(mirror.held.count == 450 && dates == dates.sorted(by: >))
        let batches = person.server.requests.filter { $0.path.hasSuffix("$batch") }
        #expect(batches.count <= 25 && batches.allSatisfy { $0.inner.count <= 20 })
        // Nothing but the sign-in goes to a server, and every page to Graph.
        #expect(person.server.requests.allSatisfy { $0.url.host() == GraphServer.host })
    }

    @Test func changesAreToldWithoutReadingMailAgain() async throws {
        let person = try Person(GraphServer(.filled(30)))
        var mirror = Mirror()
        try await mirror.round(person.session)
        let ids = person.server.state.value.inbox
        person.server.state.withLock { mailbox in
            mailbox.change(ids[0], onlyRead: true) { $0.isRead = true }
            mailbox.change(ids[1]) { message in
                (message.isFlagged, message.importance, message.categories) = (
                    true, "high", ["Red Category", "Privé"]
                )
            }
            mailbox.remove(ids[2])
            mailbox.move(ids[3], to: GraphMailbox.folderID("archive"))
        }
        try await mirror.round(person.session)
        #expect(mirror.arrivals.count == 30 && mirror.held.count == 28)
        #expect(mirror.held[RemoteMessageID(ids[0])] == [.seen])
        #expect(
            mirror.held[RemoteMessageID(ids[1])] == [
                .flagged, Keyword("$important"), Keyword("red_category"), Keyword("priv~c3~a9"),
            ])
    }

    /// The folder is read again from the beginning; what the kernel has is neither downloaded nor lost.
    @Test func expiredChangesAreReadAgainWithoutTheMail() async throws {
        let person = try Person(GraphServer(.filled(230)))
        var mirror = Mirror()
        try await mirror.round(person.session)
        let ids = person.server.state.value.inbox
        person.server.state.withLock { mailbox in
            mailbox.remove(ids[5])
            mailbox.change(ids[6]) { $0.isFlagged = true }
            mailbox.add(
                GraphMailbox.bytes("late"), to: GraphMailbox.folderID("inbox"),
                received: Date(timeIntervalSince1970: 1_700_100_000))
            mailbox.expire()
        }
        await #expect(throws: AccountError.cursorExpired) { try await mirror.round(person.session) }
        mirror.cursor = nil
        try await mirror.round(person.session)
        #expect(mirror.arrivals.count == 231 && mirror.held.count == 230)
        #expect(mirror.held[RemoteMessageID(ids[5])] == nil)
        #expect(mirror.held[RemoteMessageID(ids[6])] == [.flagged])
    }

    /// ACC-122: what was read already is not asked for again.
    @Test func throttlingInTheMiddleKeepsWhatCame() async throws {
        let asked = Watched<[String: Int]>([:])
        let isBusy = Watched(true)
        let server = GraphServer(
            .filled(40),
            innerFault: { _, path in
                guard path.hasSuffix("/$value") else { return nil }
                let count = asked.withLock { asked in
                    asked[path, default: 0] += 1
                    return asked.count
                }
                return count > 15 && isBusy.value
                    ? (
                        429, ["Retry-After": "40"],
                        #"{"error":{"code":"ApplicationThrottled","message":"Slow."}}"#
                    )
                    : nil
            })
        let person = try Person(server)
        var mirror = Mirror()
        #expect(try await mirror.step(person.session))
        #expect(mirror.held.count == 15)
        let until = person.clock.now + 40
        await #expect(throws: AccountError.throttled(until: until)) { try await mirror.step(person.session) }
        isBusy.withLock { $0 = false }
        try await mirror.round(person.session)
        #expect(mirror.held.count == 40 && mirror.arrivals.count == 40)
        // After a restart the same goes on from the cursor.
        #expect(await person.session.width < GraphWire.mostRequests)
    }

    @Test(arguments: [429, 503]) func aThrottledPageNamesItsPause(_ status: Int) async throws {
        let server = GraphServer(.filled(3)) { request, _ in
            request.path.hasSuffix("/delta") ? .answer(status, ["retry-after": "17"], "") : nil
        }
        let person = try Person(server)
        let until = person.clock.now + 17
        await #expect(throws: AccountError.throttled(until: until)) {
            var mirror = Mirror()
            try await mirror.round(person.session)
        }
    }

    /// A message that the service never hands out does not keep the others back.
    @Test func aBrokenMessageIsSkippedInTheEnd() async throws {
        let start = GraphMailbox.filled(30)
        let broken = start.inbox[3]
        let server = GraphServer(
            start,
            innerFault: { _, path in
                path.contains(Place.escaped(broken)) && !path.contains("parentFolderId")
                    ? (500, [:], #"{"error":{"code":"ErrorItemCorrupt","message":"Corrupt."}}"#) : nil
            })
        let person = try Person(server)
        var mirror = Mirror()
        var tries = 0
        while tries < 5 {
            tries += 1
            do {
                try await mirror.round(person.session)
                break
            } catch AccountError.unreachable {
                // Not at once: it may be the service.
                #expect(mirror.failures.isEmpty)
                person.clock.advance(by: 301)
            }
        }
        #expect(mirror.held.count == 29 && mirror.arrivals.count == 29)
        #expect(mirror.failures.map(\.id) == [RemoteMessageID(broken)])
        // One whose text alone can be read is read.
        let half = GraphServer(
            start,
            innerFault: { _, path in
                path.contains(Place.escaped(broken)) && path.hasSuffix("/$value")
                    ? (500, [:], #"{"error":{"code":"ErrorMimeContentConversionFailed"}}"#) : nil
            })
        var second = Mirror()
        try await second.round(try Person(half).session)
        #expect(second.held.count == 30 && second.failures.isEmpty)
    }

    /// Answers that are missing, or for which there is no room, stop nothing.
    @Test func anAnswerThatIsMissingIsAskedForAgain() async throws {
        let isMissing = Watched(true)
        let start = GraphMailbox.filled(30)
        let id = Place.escaped(start.inbox[7])
        let server = GraphServer(
            start,
            innerFault: { _, path in
                isMissing.value && path.contains(id) && !path.contains("parentFolderId") ? (0, [:], "") : nil
            })
        let person = try Person(server)
        var mirror = Mirror()
        #expect(try await mirror.step(person.session))
        await #expect(throws: AccountError.self) { try await mirror.step(person.session) }
        isMissing.withLock { $0 = false }
        try await mirror.round(person.session)
        #expect(mirror.held.count == 30 && mirror.arrivals.count == 30 && mirror.failures.isEmpty)
    }

    @Test func aLargeMessageComesWithoutItsAttachments() async throws {
        var start = GraphMailbox()
        let large = start.add(
            GraphMailbox.bytes("large"), to: GraphMailbox.folderID("inbox"),
            received: Date(timeIntervalSince1970: 1_700_000_000)
        ) { message in
            message.attachments = [
                [
                    "@odata.type": "#microsoft.graph.fileAttachment", "id": "AAtt1=", "name": "film.mp4",
                    "contentType": "video/mp4", "size": 40_000_000, "isInline": false,
                    "contentBytes": "ZmlsbQ==",
                ]
            ]
        }
        start.sizes[large] = 50_000_000
        let person = try Person(GraphServer(start))
        var mirror = Mirror()
        try await mirror.round(person.session)
        let message = try #require(mirror.arrivals.first)
        guard case .parsed(let body) = message.content else {
            Issue.record("not parsed")
            return
        }
        #expect(message.size == 50_000_000 && body.structure.type == "multipart/mixed")
        #expect(body.structure.subParts.map(\.name) == [nil, "film.mp4"])
        #expect(body.headers.map(\.name) == ["From", "To", "Subject", "Message-ID"])
        let part = try #require(body.structure.subParts.last?.partID)
        let sink = Sink()
        try await person.session.fetch(message.id, feed: Person.inbox, partID: part, into: sink)
        #expect(await sink.bytes == Data("film".utf8))
        await #expect(throws: AccountError.notFound) {
            try await person.session.fetch(message.id, feed: Person.inbox, partID: "AAtt9=", into: sink)
        }
    }

    @Test func aLargeMessageIsFetchedWhole() async throws {
        let person = try Person(GraphServer(.filled(1, size: 6_000_000)))
        let id = try #require(person.server.state.value.inbox.first)
        let (one, other) = (Sink(), Sink())
        async let first: Void = person.session.fetch(
            RemoteMessageID(id), feed: Person.inbox, partID: nil, into: one)
        try await person.session.fetch(RemoteMessageID(id), feed: Person.inbox, partID: nil, into: other)
        try await first
        let bytes = person.server.state.value.messages[id]?.bytes
        let (read, again) = (await one.bytes, await other.bytes)
        #expect(read == bytes && again == bytes)
    }

    /// Old mail is passed over in large pages, without its content.
    @Test func olderMailIsNotAskedFor() async throws {
        let person = try Person(GraphServer(.filled(1_500)))
        var mirror = Mirror()
        try await mirror.round(person.session, since: Date(timeIntervalSince1970: 1_700_000_000 + 60 * 1_490))
        #expect(mirror.held.count == 10)
        #expect(person.server.requests.count < 12)
    }

    /// ACC-121: the folders, with their changes.
    @Test func foldersAreReadOnceAndThenTheirChanges() async throws {
        let person = try Person(GraphServer())
        let listing = try await person.session.mailboxes()
        #expect(
            Set(listing.mailboxes.compactMap(\.role)) == [.inbox, .sent, .drafts, .trash, .junk, .archive])
        #expect(!listing.mailboxes.contains { $0.name == "Outbox" })
        person.server.state.withLock { mailbox in
            mailbox.setFolder(
                .init(
                    id: "AAMk-x=", name: "Projects", parent: GraphMailbox.folderID("inbox"), changed: 0))
        }
        let before = person.server.requests.count
        let later = try await person.session.mailboxes().mailboxes
        #expect(
            later.first { $0.name == "Projects" }?.parentID == RemoteMailboxID(GraphMailbox.folderID("inbox"))
        )
        #expect(person.server.requests.count == before + 1)
        person.server.state.withLock { mailbox in
            mailbox.removeFolder("AAMk-x=")
            mailbox.expire()
        }
        #expect(try await person.session.mailboxes().mailboxes.count == listing.mailboxes.count)
    }

    /// ACC-127: what is new is asked for, since Microsoft cannot reach this computer.
    @Test func newMailIsFoundByAsking() async throws {
        let person = try Person(GraphServer(.filled(2)))
        var events = person.session.watch().makeAsyncIterator()
        #expect(try await events.next() == .listening)
        await person.clock.waitForSleepers()
        _ = person.server.state.withLock { mailbox in
            mailbox.add(
                GraphMailbox.bytes("new"), to: GraphMailbox.folderID("inbox"),
                received: Date(timeIntervalSince1970: 1_700_100_000))
        }
        person.clock.advance(by: 30)
        #expect(try await events.next() == .changed(Person.inbox))
        await person.session.close()
    }
}

actor Sink: ByteSink {
    private(set) var bytes = Data()

    func write(_ more: Data) { bytes += more }
}
