import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import IMAP

/// FR-SYNC-02, FR-SYNC-10: what goes wrong with one mailbox or one change leaves everything else as it is.
@Suite("One thing that goes wrong stops nothing else", .timeLimit(.minutes(10))) struct OneThingTests {
    private static let inbox = FeedID("INBOX")
    private static let words = ["SERVERBUG", "INUSE", "LIMIT", "EXPUNGEISSUED"]

    private func folders(
        _ capabilities: String = ServerInMemory.folders,
        _ answers: @escaping @Sendable (_ verb: String, _ tag: String, _ arguments: String) -> String?
    ) -> ServerInMemory {
        ServerInMemory.with(capabilities) { $0.answersWithArguments = answers }
    }

    private func address(_ uid: UInt32, _ reader: FeedReader) throws -> RemoteAddress {
        let id = reader.held.keys.first { MessageUID($0)?.uid == uid }
        return RemoteAddress(feed: reader.feed, id: try #require(id))
    }

    /// FR-SYNC-05: sent together while others change the mailbox, Dovecot may expunge by what it knew before the
    /// mark, and say that all is well.
    @Test(arguments: [ServerInMemory.folders, ServerInMemory.folders.replacing("UIDPLUS ", with: "")])
    func nothingIsExpungedBeforeItIsMarked(_ capabilities: String) async throws {
        let verbs = Watched<[String]>([])
        let memory = folders(capabilities) { verb, tag, _ in
            verbs.withLock { $0.append(verb) }
            return verb == "UID STORE" ? "\(tag) NO Not now\r\n" : nil
        }
        memory.fill(1...1)
        let session = memory.session()
        var reader = FeedReader(Self.inbox)
        try await reader.round(session)
        let outcomes = try await session.apply([.destroy([try address(1, reader)])])
        #expect(outcomes == [.failed(.refused("Not now"))])
        #expect(verbs.value.contains("UID STORE") && !verbs.value.contains { $0.hasSuffix("EXPUNGE") })
        await session.close()
    }

    // MARK: Words for one thing

    @Test(arguments: words.dropLast()) func aMailboxThatCannotBeReadLeavesTheOthers(_ word: String)
        async throws
    {
        let memory = folders { verb, tag, arguments in
            verb == "SELECT" && arguments.hasPrefix("Work") ? "\(tag) NO [\(word)] Not now\r\n" : nil
        }
        memory.server.change { $0.setLabels([], adds: true, ["Work", "Zoo"]) }
        memory.server.deliver(ServerInMemory.message(1), to: "Zoo")
        let session = memory.session()
        _ = try await session.mailboxes()
        var work = FeedReader(FeedID("Work"))
        await #expect(throws: AccountError.badAnswer("Not now")) { try await work.round(session) }
        var zoo = FeedReader(FeedID("Zoo"))
        try await zoo.round(session)
        #expect(zoo.held.count == 1)
        await session.close()
    }

    @Test(arguments: words) func aChangeThatCannotBeMadeNowLeavesTheOthers(_ word: String) async throws {
        let memory = folders { verb, tag, _ in
            verb == "UID STORE" ? "\(tag) NO [\(word)] Not now\r\n" : nil
        }
        memory.fill(1...1)
        let session = memory.session()
        var reader = FeedReader(Self.inbox)
        try await reader.round(session)
        let outcomes = try await session.apply([
            .setKeywords([try address(1, reader)], add: [.flagged], remove: []),
            .createMailbox(name: "New", parent: nil),
        ])
        #expect(
            outcomes == [
                .failed(.badAnswer("Not now")), .done(newIDs: [:], mailbox: RemoteMailboxID("New")),
            ])
        await session.close()
    }

    /// The words are about the mailbox, and not about the messages that it does not tell of, nor about others.
    @Test(arguments: ["INUSE", "LIMIT", "SERVERBUG"], ["INTERNALDATE", "BODY.PEEK[]"])
    func aMailboxWhoseMessagesCannotBeHadNowLeavesTheOthers(_ word: String, _ items: String) async throws {
        let isRefusing = Watched(true)
        let mailbox = Watched("")
        let memory = folders { verb, tag, arguments in
            if verb == "SELECT" { mailbox.withLock { $0 = arguments } }
            guard verb == "UID FETCH", arguments.contains(items), mailbox.value.hasPrefix("Work") else {
                return nil
            }
            return isRefusing.value ? "\(tag) NO [\(word)] Locked\r\n" : nil
        }
        memory.server.change { $0.setLabels([], adds: true, ["Work", "Zoo"]) }
        for number in 1...2 { memory.server.deliver(ServerInMemory.message(number), to: "Work") }
        memory.server.deliver(ServerInMemory.message(3), to: "Zoo")
        let session = memory.session()
        _ = try await session.mailboxes()
        var work = FeedReader(FeedID("Work"))
        await #expect(throws: AccountError.refused("Locked")) { try await work.round(session) }
        #expect(work.failures.isEmpty)
        var zoo = FeedReader(FeedID("Zoo"))
        try await zoo.round(session)
        #expect(zoo.held.count == 1)
        isRefusing.withLock { $0 = false }
        try await work.round(session)
        #expect(work.held.count == 2 && work.failures.isEmpty)
        await session.close()
    }

    /// What is too much at once is not too much one by one; only what is so even then is passed by.
    @Test func aMessageThatIsBeyondALimitLeavesTheOthers() async throws {
        let memory = ServerInMemory.scripted(messages: 3, refuses: "NO [LIMIT] Too much") { uid in
            uid == 2 ? "" : nil
        }
        let session = memory.session()
        var reader = FeedReader(allMail)
        try await reader.round(session)
        #expect(Set(reader.held.keys.compactMap { MessageUID($0)?.uid }) == [1, 3])
        #expect(reader.failures.map(\.reason) == ["Too much"])
        await session.close()
    }

    // MARK: Connections

    @Test func oneConnectionIsEnoughToMakeAMailbox() async throws {
        var memory = ServerInMemory()
        memory.behavior.connections = 1
        let session = memory.session()
        let outcomes = try await session.apply([.createMailbox(name: "New", parent: nil)])
        #expect(outcomes == [.done(newIDs: [:], mailbox: RemoteMailboxID("New"))])
        await session.close()
    }

    @Test func oneConnectionIsEnoughToLookUpALabel() async throws {
        var memory = ServerInMemory()
        memory.behavior.connections = 1
        memory.fill(1...1)
        let session = memory.session()
        _ = try await session.mailboxes()
        memory.server.change { $0.setLabels($0.numbers, adds: true, ["Later"]) }
        var reader = FeedReader(allMail)
        try await reader.round(session)
        #expect(reader.held.values.first?.mailboxIDs == [gmailInbox, RemoteMailboxID("Later")])
        memory.server.change { store in
            store.setLabels(store.numbers, adds: false, ["Later"])
            store.setLabels(store.numbers, adds: true, ["Latest"])
        }
        try await reader.round(session)
        #expect(reader.held.values.first?.mailboxIDs == [gmailInbox, RemoteMailboxID("Latest")])
        await session.close()
    }

    @Test func whoWatchesMakesRoomForWhoWaits() async throws {
        var memory = ServerInMemory()
        memory.behavior.connections = 2
        let session = memory.session()
        var events = session.watch().makeAsyncIterator()
        #expect(try await events.next() == .listening)
        let held = try await session.pool.lend(preferring: nil)
        _ = try await session.mailboxes()
        #expect(try await events.next() == nil)
        await session.pool.giveBack(held)
        await session.close()
    }

    // MARK: Labels

    @Test func aLabelThatIsRefusedLeavesTheMessageWhereItIs() async throws {
        var settings = GmailServer.Settings()
        settings.answersWithArguments = { verb, tag, arguments in
            verb == "UID STORE" && arguments.contains("+X-GM-LABELS")
                ? "\(tag) NO Label is not allowed (Failure)\r\n" : nil
        }
        let memory = ServerInMemory(settings)
        memory.fill(1...1)
        memory.server.change { $0.setLabels([], adds: true, ["Travel"]) }
        let session = memory.session()
        var reader = FeedReader(allMail)
        try await reader.round(session)
        let outcomes = try await session.apply([
            .move([try address(1, reader)], from: gmailInbox, to: RemoteMailboxID("Travel"))
        ])
        #expect(outcomes == [.failed(.refused("Label is not allowed (Failure)"))])
        #expect(memory.server.texts(in: "INBOX").count == 1)
        await session.close()
    }

    // MARK: Deleting for good

    /// Gmail's search can be late: what the answer to the move says is enough.
    @Test func whatIsDestroyedIsNotLookedForWhenItsPlaceIsKnown() async throws {
        var settings = GmailServer.Settings()
        settings.answersWithArguments = { verb, tag, arguments in
            verb == "UID SEARCH" && arguments.contains("X-GM-MSGID") ? "* SEARCH\r\n\(tag) OK done\r\n" : nil
        }
        let memory = ServerInMemory(settings)
        memory.fill(1...2)
        let session = memory.session()
        var reader = FeedReader(allMail)
        try await reader.round(session)
        let outcomes = try await session.apply([.destroy([try address(1, reader)])])
        #expect(outcomes == [.done(newIDs: [:], mailbox: nil)])
        #expect(memory.server.texts(in: GmailStore.trash).isEmpty)
        #expect(memory.server.texts(in: GmailStore.allMail).count == 1)
        await session.close()
    }

    /// Two messages on a server, whose answers may change what it has, and a session that has read them.
    private func read(
        _ settings: GmailServer.Settings, as server: Watched<GmailServer?>
    ) async throws -> (memory: ServerInMemory, session: IMAPAccountSession, reader: FeedReader) {
        let memory = ServerInMemory(settings)
        server.withLock { $0 = memory.server }
        memory.fill(1...2)
        let session = memory.session()
        var reader = FeedReader(allMail)
        try await reader.round(session)
        return (memory, session, reader)
    }

    @Test func whatIsNotFoundInTrashIsNotDestroyedYet() async throws {
        let isBlind = Watched(true)
        let server = Watched<GmailServer?>(nil)
        var settings = GmailServer.Settings()
        settings.answersWithArguments = { verb, tag, arguments in
            switch verb {
            case "UID MOVE":
                // It says nothing of where they are now.
                server.value?.change { store in
                    for number in store.numbers { store.put(number, into: GmailStore.trash) }
                }
                return "\(tag) OK (Success)\r\n"
            case "UID SEARCH" where arguments.contains("X-GM-MSGID") && isBlind.value:
                return "* SEARCH\r\n\(tag) OK done\r\n"
            default: return nil
            }
        }
        let (memory, session, reader) = try await read(settings, as: server)
        let change = RemoteMutation.destroy([try address(1, reader), try address(2, reader)])
        guard case .failed(.badAnswer)? = try await session.apply([change]).first else {
            Issue.record("It is taken for done.")
            return
        }
        #expect(memory.server.texts(in: GmailStore.trash).count == 2)
        isBlind.withLock { $0 = false }
        #expect(try await session.apply([change]) == [.done(newIDs: [:], mailbox: nil)])
        #expect(memory.server.texts(in: GmailStore.trash).isEmpty)
        await session.close()
    }

    enum Step: String, CaseIterable, Sendable {
        case afterTheMove, beforeTheMark, beforeTheEnd, afterTheEnd
    }

    /// FR-SYNC-10: what is deleted for good is not left in Trash by a program that was killed, or a line that broke,
    /// between the steps.
    @Test(arguments: Step.allCases, [true, false])
    func whatIsDestroyedIsGoneWhateverStoppedIt(_ step: Step, _ isTold: Bool) async throws {
        let isBroken = Watched(true)
        let server = Watched<GmailServer?>(nil)
        let lost = "* BYE Oops\r\n\u{0}END"
        var settings = GmailServer.Settings()
        settings.answersWithArguments = { verb, tag, arguments in
            guard isBroken.value else { return nil }
            switch (verb, step) {
            case ("UID MOVE", _) where step == .afterTheMove || !isTold:
                server.value?.change { store in store.put(store.numbers[0], into: GmailStore.trash) }
                return step == .afterTheMove ? lost : "\(tag) OK (Success)\r\n"
            case ("UID STORE", .beforeTheMark), ("UID EXPUNGE", .beforeTheEnd): return lost
            case ("UID EXPUNGE", .afterTheEnd):
                server.value?.change { store in
                    store.remove([store.numbers[0]], from: GmailStore.trash)
                }
                return lost
            default: return nil
            }
        }
        let (memory, session, reader) = try await read(settings, as: server)
        let change = RemoteMutation.destroy([try address(1, reader)])
        guard case .failed? = try await session.apply([change]).first else {
            Issue.record("It was not stopped.")
            return
        }
        await session.close()
        isBroken.withLock { $0 = false }
        let next = memory.session()
        #expect(try await next.apply([change]) == [.done(newIDs: [:], mailbox: nil)])
        #expect(memory.server.texts(in: GmailStore.trash).isEmpty)
        #expect(memory.server.texts(in: GmailStore.allMail).count == 1)
        // Nothing of it is left on disk.
        #expect((try? FileManager.default.contentsOfDirectory(atPath: memory.dataFolder.path)) == [])
        try FileManager.default.removeItem(at: memory.dataFolder)
        await next.close()
    }

    // MARK: Servers that do not count changes

    private static let withoutCount = "IMAP4rev1 UNSELECT UIDPLUS MOVE ESEARCH SPECIAL-USE"

    /// FR-SYNC-02: the connection goes after the flags were compared, and before they were reported.
    @Test func aChangedFlagIsToldThoughTheConnectionWasLost() async throws {
        let isBroken = Watched(false)
        let memory = folders(Self.withoutCount) { verb, _, arguments in
            verb == "UID FETCH" && arguments.contains("BODY.PEEK[]") && isBroken.value
                ? "* BYE Oops\r\n\u{0}END" : nil
        }
        memory.fill(1...2)
        let session = memory.session()
        var reader = FeedReader(Self.inbox)
        for _ in 1...2 { try await reader.round(session) }
        memory.server.change { $0.setFlags(Array($0.numbers.prefix(1)), adds: true, ["\\Flagged"]) }
        memory.fill(3...3)
        isBroken.withLock { $0 = true }
        await #expect(throws: AccountError.self) { try await reader.round(session) }
        isBroken.withLock { $0 = false }
        try await reader.round(session)
        #expect(reader.held.count == 3)
        let flagged = try address(1, reader)
        #expect(reader.held.filter { $0.value.keywords.contains(.flagged) }.map(\.key) == [flagged.id])
        // What was told is not told again.
        #expect(try await !reader.step(session).updates.contains { $0.id == flagged.id })
        await session.close()
    }

    /// FR-SYNC-02: a full disk, say. What was told and not stored is told again.
    @Test func aChangedFlagIsToldAgainWhenItWasNotStored() async throws {
        let memory = folders(Self.withoutCount) { _, _, _ in nil }
        memory.fill(1...2)
        let session = memory.session()
        var reader = FeedReader(Self.inbox)
        for _ in 1...2 { try await reader.round(session) }
        memory.server.change { $0.setFlags(Array($0.numbers.prefix(1)), adds: true, ["\\Flagged"]) }
        for _ in 1...2 {
            var lost = reader
            try await lost.round(session)
            #expect(lost.held.values.contains { $0.keywords.contains(.flagged) })
        }
        try await reader.round(session)
        #expect(reader.held.values.contains { $0.keywords.contains(.flagged) })
        // What was told and stored is not told again.
        #expect(try await reader.step(session).updates.isEmpty)
        await session.close()
    }

    /// FR-SYNC-02: set here and taken back elsewhere, it is as it was told last, and not as it is held.
    @Test func whatIsTakenBackElsewhereIsTold() async throws {
        let memory = folders(Self.withoutCount) { _, _, _ in nil }
        memory.fill(1...2)
        let session = memory.session()
        var reader = FeedReader(Self.inbox)
        for _ in 1...2 { try await reader.round(session) }
        let one = try address(1, reader)
        _ = try await session.apply([.setKeywords([one], add: [.flagged], remove: [])])
        memory.server.change { $0.setFlags($0.numbers, adds: false, ["\\Flagged"]) }
        let told = try await reader.step(session).updates
        #expect(told.map(\.id) == [one.id] && told.first?.keywords == [])
        await session.close()
    }

    // MARK: Two mailboxes on one connection

    /// RFC 7162: what a server says before `CLOSED` is about the mailbox that was open until then.
    @Test(arguments: [
        "* VANISHED 1\r\n* 1 FETCH (UID 1 FLAGS (\\Flagged))\r\n* OK [CLOSED] x\r\n", "* VANISHED 1\r\n",
    ])
    func whatIsSaidOfTheMailboxBeforeIsNotTakenForThisOne(_ before: String) async throws {
        let opening = Watched("")
        let memory = folders(ServerInMemory.folders + " QRESYNC") { verb, tag, _ in
            switch verb {
            case "ENABLE": "* ENABLED QRESYNC\r\n\(tag) OK enabled\r\n"
            case "SELECT" where !opening.value.isEmpty: opening.value + "\(tag) OK [READ-WRITE] done\r\n"
            default: nil
            }
        }
        memory.fill(1...3)
        let session = memory.session()
        var reader = FeedReader(Self.inbox)
        try await reader.round(session)
        let cursor = try #require(reader.cursor.flatMap { FeedCursor($0) })
        opening.withLock {
            $0 =
                before + "* 2 EXISTS\r\n* OK [UIDVALIDITY \(cursor.validity)] x\r\n* OK [UIDNEXT 4] x\r\n"
                + "* OK [HIGHESTMODSEQ \(cursor.modSeq + 1)] x\r\n* VANISHED (EARLIER) 2\r\n"
        }
        try await reader.round(session)
        #expect(Set(reader.held.keys.compactMap { MessageUID($0)?.uid }) == [1, 3])
        #expect(!reader.held.values.contains { $0.keywords.contains(.flagged) })
        await session.close()
    }
}
