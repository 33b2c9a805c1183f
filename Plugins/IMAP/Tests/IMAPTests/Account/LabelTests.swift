import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import IMAP

@Suite("Mail with labels is what Gmail means by it") struct LabelTests {
    private let memory = ServerInMemory()

    private func reader(_ session: any AccountSession, _ feed: FeedID = allMail) async throws -> FeedReader {
        var reader = FeedReader(feed)
        try await reader.round(session)
        return reader
    }

    private func address(_ number: Int, _ reader: FeedReader) throws -> RemoteAddress {
        let found = reader.held.first { $0.value.text.contains("<\(number)@b.test>") }
        return RemoteAddress(feed: reader.feed, id: try #require(found?.key))
    }

    private func done(_ outcomes: [MutationOutcome]) throws -> [RemoteAddress: RemoteAddress] {
        guard case .done(let ids, _)? = outcomes.first else {
            Issue.record("\(outcomes)")
            return [:]
        }
        return ids
    }

    /// FR-SYNC-01: mailboxes by special use, never `\All` or `\Important`; the names are the server's.
    @Test func mailboxesAreLabelsAndWhatHoldsEverythingIsAFeed() async throws {
        memory.server.change { $0.setLabels([], adds: true, ["Travel", "Travel/2026", "&ZeVnLIqe-"]) }
        let session = memory.session()
        let listing = try await session.mailboxes()
        let found = listing.mailboxes.map { "\($0.name):\($0.role?.rawValue ?? "-")" }
        #expect(
            found.sorted() == [
                "2026:-", "Archive:archive", "Bin:trash", "Drafts:drafts", "Inbox:inbox", "Sent Mail:sent",
                "Spam:junk",
                "Starred:flagged", "Travel:-", "日本語:-",
            ])
        #expect(listing.mailboxes.first { $0.name == "2026" }?.parentID == RemoteMailboxID("Travel"))
        #expect(listing.feeds.map(\.id.rawValue) == ["[Gmail]/All Mail", "[Gmail]/Bin", "[Gmail]/Spam"])
        #expect(await session.features.isSuperset(of: [.labels, .push, .serverSearch]))
        await session.close()
    }

    /// FR-SYNC-01: a message under several labels is stored once with several memberships.
    @Test func aMessageIsOnceWithAllItsLabels() async throws {
        memory.fill(1...2)
        memory.server.change { store in
            store.setLabels(Array(store.numbers.prefix(1)), adds: true, ["One", "\\Important", "\\Starred"])
            store.setLabels(Array(store.numbers.suffix(1)), adds: false, ["\\Inbox"])
        }
        let session = memory.session()
        let reader = try await reader(session)
        let both = reader.held.values.sorted { $0.text < $1.text }
        #expect(both.map(\.mailboxIDs) == [["INBOX", "One", "[Gmail]/Starred"].ids, ["archive"].ids])
        #expect(both[0].keywords == [.flagged])
        await session.close()
    }

    /// A label that was made elsewhere after the mailboxes were listed.
    @Test func aNewLabelIsLookedUp() async throws {
        memory.fill(1...1)
        let session = memory.session()
        var reader = try await reader(session)
        memory.server.change { $0.setLabels($0.numbers, adds: true, ["Later"]) }
        try await reader.round(session)
        #expect(reader.held.values.first?.mailboxIDs == ["INBOX", "Later"].ids)
        await session.close()
    }

    /// Real deletion is a move to Trash and an expunge there; an expunge elsewhere only archives.
    @Test func whatIsDestroyedIsNowhere() async throws {
        memory.fill(1...3)
        let session = memory.session()
        let reader = try await reader(session)
        _ = try done(try await session.apply([.destroy([try address(2, reader)])]))
        #expect(memory.server.texts(in: GmailStore.allMail).count == 2)
        #expect(memory.server.texts(in: GmailStore.trash).isEmpty)
        // Once more changes nothing.
        _ = try done(try await session.apply([.destroy([try address(2, reader)])]))
        #expect(memory.server.texts(in: GmailStore.allMail).count == 2)
        await session.close()
    }

    /// FR-SYNC-10: archiving keeps it in All Mail; deleting moves it to Trash, and it can come back.
    @Test func archivingTrashingAndBringingBack() async throws {
        memory.fill(1...2)
        let session = memory.session()
        var reader = try await reader(session)
        let (one, two) = (try address(1, reader), try address(2, reader))
        _ = try done(try await session.apply([.remove([one], from: gmailInbox)]))
        #expect(
            memory.server.texts(in: "INBOX").count == 1
                && memory.server.texts(in: GmailStore.allMail).count == 2)

        let bin = RemoteMailboxID("[Gmail]/Bin")
        let moved = try done(try await session.apply([.move([two], from: gmailInbox, to: bin)]))
        let inBin = try #require(moved[two])
        #expect(inBin.feed == FeedID("[Gmail]/Bin") && memory.server.texts(in: GmailStore.trash).count == 1)
        try await reader.round(session)
        #expect(reader.held.count == 1)

        let back = try done(try await session.apply([.move([inBin], from: bin, to: gmailInbox)]))
        try await reader.round(session)
        let again = try address(2, reader)
        #expect(back[inBin] == again && reader.held[again.id]?.mailboxIDs == ["INBOX"].ids)
        #expect(memory.server.texts(in: GmailStore.trash).isEmpty)
        await session.close()
    }

    /// A draft that was replaced leaves no litter in Trash or All Mail.
    @Test func aReplacedDraftLeavesNoTrace() async throws {
        let session = memory.session()
        let drafts = RemoteMailboxID("[Gmail]/Drafts")
        var last: RemoteAddress?
        for version in 1...4 {
            let text = ServerInMemory.message(version, text: "Version")
            last = try await session.append(
                DataSource(Data(text.utf8)), to: drafts, keywords: [.draft, .seen],
                receivedAt: Date(timeIntervalSince1970: 1_700_000_000), replacing: last
            ).address
            #expect(last?.feed == allMail)
        }
        #expect(memory.server.texts(in: GmailStore.allMail) == [ServerInMemory.message(4, text: "Version")])
        #expect(memory.server.texts(in: GmailStore.trash).isEmpty)
        await session.close()
    }

    @Test func whatIsTooLargeIsRefusedBeforeItIsSent() async throws {
        let session = memory.session()
        _ = try await session.mailboxes()
        let sent = memory.network.sent
        struct Large: ByteSource {
            let size = 40_000_000
            func read(at offset: Int, count: Int) -> Data { Data(repeating: 65, count: count) }
        }
        await #expect(
            throws: AccountError.invalid(
                field: "size", reason: "The message is larger than the server's limit of 35651584 bytes.")
        ) {
            try await session.append(
                Large(), to: gmailInbox, keywords: [], receivedAt: Date(), replacing: nil)
        }
        #expect(memory.network.sent == sent)
        await session.close()
    }

    /// FR-SYNC-05: what a server refuses it may take the next time, and what cannot be done it never will.
    @Test func whatIsRefusedIsTriedAgainAndWhatIsImpossibleIsNot() async throws {
        let memory = ServerInMemory.answering { verb, tag, _ in
            verb == "UID STORE" ? "\(tag) NO System Error (Failure)\r\n" : nil
        }
        memory.fill(1...1)
        let session = memory.session()
        var reader = FeedReader(allMail)
        try await reader.round(session)
        let one = [RemoteAddress(feed: allMail, id: try #require(reader.held.keys.first))]
        #expect(
            try await session.apply([.setKeywords(one, add: [.flagged], remove: [])])
                == [.failed(.refused("System Error (Failure)"))])
        let sent = RemoteMailboxID("[Gmail]/Sent Mail")
        let impossible: [RemoteMutation] = [
            .setKeywords(one, add: [Keyword("a(b")], remove: []),
            .renameMailbox(sent, name: "x", parent: nil),
            .deleteMailbox(sent), .createMailbox(name: "a/b", parent: nil),
            .createMailbox(name: "x", parent: RemoteMailboxID("nowhere")),
            .move(one, from: gmailInbox, to: RemoteMailboxID("nowhere")),
            .remove(one, from: MailboxDirectory.archiveID),
        ]
        for (mutation, outcome) in zip(impossible, try await session.apply(impossible)) {
            guard case .refused(let error) = outcome else {
                Issue.record("\(mutation): \(outcome)")
                continue
            }
            if case .refused = error { Issue.record("\(mutation): \(error)") }
        }
        await session.close()
    }

    /// A server that says how often it was asked to tell of news.
    private static func countingIdles() -> (ServerInMemory, Watched<Int>) {
        let idles = Watched(0)
        let memory = ServerInMemory.answering { verb, _, _ in
            if verb == "IDLE" { _ = idles.next() }
            return nil
        }
        return (memory, idles)
    }

    /// FR-SYNC-03: with IDLE on the inbox, on one connection, renewed every 25 minutes.
    @Test func watchingIsRenewedEvery25Minutes() async throws {
        let (memory, idles) = Self.countingIdles()
        let session = memory.session()
        let events = session.watch()
        var iterator = events.makeAsyncIterator()
        #expect(try await iterator.next() == .listening)
        for renewal in 1...3 {
            // The renewal itself, and all other waiters.
            await memory.clock.waitForSleepers()
            memory.clock.advance(by: 25 * 60)
            await idles.wait { $0 > renewal }
            memory.server.deliver(ServerInMemory.message(renewal))
            #expect(try await iterator.next() == .changed(allMail))
        }
        #expect(memory.network.open == 1)
        await session.close()
        await #expect(throws: (any Error).self) { while try await iterator.next() != nil {} }
        #expect(memory.network.open == 0)
    }

    /// Issue 5: the newest of the inbox are there first, whatever was archived since.
    @Test func theInboxComesFirst() async throws {
        var memory = ServerInMemory()
        memory.fill(1...5)
        for number in 6...12 {
            memory.server.deliver(ServerInMemory.message(number), to: GmailStore.allMail)
        }
        memory.behavior.firstBatch = 3
        memory.behavior.batch = 4
        let session = memory.session()
        var reader = FeedReader(allMail)
        #expect(try await reader.step(session).messages.compactMap { MessageUID($0.id)?.uid } == [5, 4, 3])
        try await reader.round(session)
        #expect(reader.held.count == 12 && reader.repeats == 0)
        await session.close()
    }

    /// A server may refuse the search that finds them.
    @Test func withoutASearchForTheInboxAllIsRead() async throws {
        let searches = Watched(0)
        var memory = ServerInMemory.answering { verb, tag, _ in
            guard verb == "UID SEARCH" || verb == "SEARCH", searches.next() == 0 else { return nil }
            return "\(tag) NO Not today\r\n"
        }
        memory.fill(1...5)
        memory.behavior.firstBatch = 3
        let session = memory.session()
        var reader = FeedReader(allMail)
        try await reader.round(session, since: Date(timeIntervalSince1970: 0))
        #expect(searches.withLock { $0 } == 2, "one was refused")
        #expect(reader.held.count == 5 && reader.repeats == 0)
        await session.close()
    }

    /// FR-SYNC-04: labels that were changed before the mailbox was read again.
    @Test func mailBegunAnewHasTheLabelsThatItHasNow() async throws {
        var memory = ServerInMemory()
        memory.fill(1...5)
        memory.behavior.firstBatch = 3
        let session = memory.session()
        var reader = try await reader(session)
        memory.server.change { $0.setLabels(Array($0.numbers.prefix(1)), adds: false, ["\\Inbox"]) }
        reader.beginAnew(without: try address(5, reader).id)
        try await reader.round(session)
        #expect(reader.held.count == 5 && reader.repeats == 0)
        #expect(reader.held[try address(1, reader).id]?.mailboxIDs == ["archive"].ids)
        await session.close()
    }

    /// FR-SYNC-03: after a first sync Dovecot would tell of new mail half a minute late.
    @Test func watchingIsRenewedAfterALongReading() async throws {
        var (memory, idles) = Self.countingIdles()
        memory.fill(1...6)
        memory.behavior.firstBatch = 2
        memory.behavior.batch = 2
        memory.behavior.longReading = 4
        let session = memory.session()
        var events = session.watch().makeAsyncIterator()
        #expect(try await events.next() == .listening)
        var reader = FeedReader(allMail)
        try await reader.round(session)
        #expect(reader.held.count == 6)
        await idles.wait { $0 == 2 }
        // A round that reads little leaves it alone.
        memory.server.deliver(ServerInMemory.message(7))
        #expect(try await events.next() == .changed(allMail))
        try await reader.round(session)
        #expect(reader.held.count == 7 && idles.withLock { $0 } == 2)
        await session.close()
    }
}

extension [String] {
    fileprivate var ids: Set<RemoteMailboxID> { Set(map { RemoteMailboxID($0) }) }
}
