import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import IMAP

@Suite("FR-SYNC-02: mail that is there is never hidden for long") struct HiddenMailTests {
    private func numbers(_ reader: FeedReader) -> Set<UInt32> {
        Set(reader.held.keys.compactMap { MessageUID($0)?.uid })
    }

    // MARK: What servers leave out

    @Test func whatAnAnswerLeavesOutIsAskedForAlone() async throws {
        var settings = GmailServer.Settings()
        settings.answersWithArguments = { verb, tag, arguments in
            // Only of several, the one in the middle is forgotten.
            guard verb == "UID FETCH", arguments.contains("BODY.PEEK[]"), arguments.hasPrefix("1:3") else {
                return nil
            }
            let texts = [1, 3].map { uid in
                let text = ServerInMemory.message(uid)
                return "* \(uid) FETCH (UID \(uid) BODY[] {\(text.utf8.count)}\r\n\(text))\r\n"
            }
            return texts.joined() + "\(tag) OK Success\r\n"
        }
        let memory = ServerInMemory(settings)
        memory.fill(1...3)
        let reader = try await memory.readOnce()
        #expect(numbers(reader) == [1, 2, 3] && reader.failures.isEmpty)
    }

    /// What could not be read is tried again after a minute and after a start, then every six hours.
    @Test(arguments: [true, false]) func whatFailedIsTriedAgain(_ isRestarted: Bool) async throws {
        let isBroken = Watched(true)
        let memory = ServerInMemory.scripted(messages: 4, refuses: "NO Message is corrupted") { uid in
            uid == 2 && isBroken.value ? "" : nil
        }
        let session = memory.session()
        var reader = FeedReader(allMail)
        try await reader.round(session)
        try await reader.round(session)
        #expect(numbers(reader) == [1, 3, 4] && reader.failures.count == 1)
        isBroken.withLock { $0 = false }
        try await reader.round(session)
        #expect(numbers(reader) == [1, 3, 4])
        memory.clock.advance(by: isRestarted ? 1 : 60)
        let next = isRestarted ? memory.session() : session
        _ = try await next.mailboxes()
        try await reader.round(next)
        #expect(numbers(reader) == [1, 2, 3, 4] && reader.repeats == 0)
        for session in [session, next] { await session.close() }
    }

    @Test func whatFailsAgainWaitsForHours() async throws {
        let isBroken = Watched(true)
        let memory = ServerInMemory.scripted(messages: 4, refuses: "NO Message is corrupted") { uid in
            uid == 2 && isBroken.value ? "" : nil
        }
        let session = memory.session()
        var reader = FeedReader(allMail)
        for _ in 1...2 {
            try await reader.round(session)
            memory.clock.advance(by: 60)
        }
        #expect(reader.failures.count == 2)
        isBroken.withLock { $0 = false }
        try await reader.round(session)
        #expect(numbers(reader) == [1, 3, 4])
        memory.clock.advance(by: 21_600)
        try await reader.round(session)
        #expect(numbers(reader) == [1, 2, 3, 4])
        await session.close()
    }

    /// Some servers end the connection over one message.
    @Test func aMessageThatEndsTheConnectionIsPassedByAtLast() async throws {
        var settings = GmailServer.Settings()
        settings.answersWithArguments = { verb, _, arguments in
            guard verb == "UID FETCH", arguments.contains("BODY.PEEK[]") else { return nil }
            var scanner = ByteScanner(arguments)
            let isDeadly = (try? scanner.uidSet().contains(3)) ?? false
            return isDeadly ? "* BYE Oops\r\n\u{0}END" : nil
        }
        let memory = ServerInMemory(settings)
        memory.fill(1...5)
        let session = memory.session()
        var reader = FeedReader(allMail)
        for _ in 1...30 where reader.failures.isEmpty {
            try? await reader.round(session)
        }
        try await reader.round(session)
        #expect(numbers(reader) == [1, 2, 4, 5])
        #expect(reader.failures.compactMap { MessageUID($0.id)?.uid } == [3])
        await session.close()
    }

    @Test func aDateThatIsNoneHidesNoMessage() async throws {
        var settings = GmailServer.Settings()
        settings.answersWithArguments = { verb, tag, arguments in
            guard verb == "UID FETCH", arguments.contains("INTERNALDATE") else { return nil }
            return "* 1 FETCH (UID 1 FLAGS () INTERNALDATE \"00-Nix-0000\" RFC822.SIZE 50 X-GM-LABELS ())\r\n"
                + "\(tag) OK Success\r\n"
        }
        let memory = ServerInMemory(settings)
        memory.fill(1...1)
        #expect(try await memory.readOnce().held.count == 1)
    }

    @Test func aSearchWithoutAnAnswerHidesNothing() async throws {
        let isMute = Watched(true)
        let memory = ServerInMemory.answering { verb, tag, _ in
            verb == "UID SEARCH" && isMute.value ? "\(tag) OK SEARCH completed\r\n" : nil
        }
        memory.fill(1...5)
        let session = memory.session()
        var reader = FeedReader(allMail)
        try await reader.round(session)
        #expect(numbers(reader) == [1, 2, 3, 4, 5])
        memory.server.change { $0.remove(Array($0.numbers.prefix(1)), from: GmailStore.trash) }
        memory.fill(6...6)
        try await reader.round(session)
        memory.server.change { $0.remove(Array($0.numbers.prefix(1)), from: GmailStore.trash) }
        try await reader.round(session)
        #expect(numbers(reader) == [3, 4, 5, 6])
        await session.close()
    }

    @Test func aSearchThatFindsNothingTakesNothingAway() async throws {
        let isBlind = Watched(false)
        let memory = ServerInMemory.answering { verb, tag, _ in
            verb == "UID SEARCH" && isBlind.value
                ? "* ESEARCH (TAG \"\(tag)\") UID\r\n\(tag) OK done\r\n" : nil
        }
        memory.fill(1...5)
        let session = memory.session()
        var reader = FeedReader(allMail)
        try await reader.round(session)
        isBlind.withLock { $0 = true }
        memory.server.change { $0.remove(Array($0.numbers.prefix(1)), from: GmailStore.trash) }
        await #expect(throws: AccountError.self) { try await reader.round(session) }
        #expect(reader.held.count == 5)
        await session.close()
    }

    @Test func aListOfNothingIsNoList() async throws {
        let memory = ServerInMemory.answering { verb, tag, _ in
            verb == "LIST" ? "\(tag) OK LIST completed\r\n" : nil
        }
        let session = memory.session()
        await #expect(throws: AccountError.badAnswer("an empty list of mailboxes")) {
            try await session.mailboxes()
        }
        await session.close()
    }

    /// Passing trouble is no reason to keep a message without its text.
    @Test func aTextThatCannotBeHadNowIsWaitedFor() async throws {
        var settings = GmailServer.Settings()
        let refusal = Watched("NO [UNAVAILABLE] Later")
        settings.answersWithArguments = { verb, tag, arguments in
            verb == "UID FETCH" && arguments.contains("BODY.PEEK[1]") && !refusal.value.isEmpty
                ? "\(tag) \(refusal.value)\r\n" : nil
        }
        var memory = ServerInMemory(settings)
        memory.behavior.wholeMessageLimit = 0
        memory.fill(1...1)
        await #expect(throws: AccountError.self) { try await memory.readOnce() }
        // Where it is the text itself, the message is shown without.
        refusal.withLock { $0 = "NO Part is damaged" }
        let session = memory.session()
        var reader = FeedReader(allMail)
        let batch = try await reader.step(session)
        guard case .parts(_, let structure)? = batch.messages.first?.content else {
            Issue.record("\(batch)")
            return
        }
        #expect(structure.isTruncated)
        await session.close()
    }

    /// Gmail's settings can hide all mail from mail programs: then labels are folders.
    @Test func allMailThatIsHiddenAndShownAgainIsReadOnce() async throws {
        let memory = ServerInMemory()
        memory.fill(1...3)
        memory.server.change { $0.setLabels(Array($0.numbers.prefix(1)), adds: true, ["Travel"]) }
        let session = memory.session()
        var all = FeedReader(allMail)
        try await all.round(session)
        #expect(await session.features.contains(.labels))
        memory.server.change { $0.hidden = [GmailStore.allMail] }
        let listing = try await session.mailboxes()
        #expect(await !session.features.contains(.labels))
        #expect(!listing.feeds.contains { $0.id == allMail })
        await #expect(throws: AccountError.notFound) { try await all.round(session) }
        for (feed, count) in [("INBOX", 3), ("Travel", 1)] {
            var reader = FeedReader(FeedID(feed))
            try await reader.round(session)
            #expect(reader.held.count == count && reader.failures.isEmpty)
            #expect(Set(reader.held.values.map(\.mailboxIDs)) == [[RemoteMailboxID(feed)]])
        }
        memory.server.change { $0.hidden = [] }
        #expect(try await session.mailboxes().feeds.contains { $0.id == allMail })
        // The kernel has forgotten what it held.
        all = FeedReader(allMail)
        try await all.round(session)
        #expect(all.held.count == 3 && all.repeats == 0)
        await session.close()
    }

    // MARK: What servers do not count

    @Test(arguments: [true, false]) func aLabelThatIsRenamedTakesItsMailAlong(_ isQuiet: Bool) async throws {
        let memory = ServerInMemory()
        memory.fill(1...3)
        memory.server.change { store in
            store.setLabels(store.numbers, adds: true, ["Before"])
            store.setLabels(store.numbers, adds: false, ["\\Inbox"])
        }
        let session = memory.session()
        _ = try await session.mailboxes()
        var reader = FeedReader(allMail)
        try await reader.round(session)
        #expect(Set(reader.held.values.map(\.mailboxIDs)) == [[RemoteMailboxID("Before")]])
        memory.server.change { $0.renameQuietly("Before", to: "After") }
        let other = memory.session()
        for session in isQuiet ? [session] : [session, other] {
            _ = try await session.mailboxes()
            try await reader.round(session)
            #expect(Set(reader.held.values.map(\.mailboxIDs)) == [[RemoteMailboxID("After")]])
        }
        for session in [session, other] { await session.close() }
    }

    @Test func aCountThatBeginsAnewHidesNoChange() async throws {
        let memory = ServerInMemory()
        memory.fill(1...3)
        let session = memory.session()
        var reader = FeedReader(allMail)
        try await reader.round(session)
        memory.server.change { store in
            store.setFlags(Array(store.numbers.prefix(1)), adds: true, ["\\Seen"])
            store.forgetCount()
        }
        _ = try await session.mailboxes()
        try await reader.round(session)
        #expect(reader.held.values.filter { $0.keywords.contains(.seen) }.count == 1)
        await session.close()
    }

    // MARK: Getting stuck, and hammering

    /// Other programs have all the other connections.
    @Test func oneConnectionIsEnough() async throws {
        var settings = GmailServer.Settings()
        settings.mostConnections = 1
        let memory = ServerInMemory(settings)
        memory.fill(1...3)
        let session = memory.session()
        // The watcher has it first.
        let events = session.watch()
        let watching = Task {
            var count = 0
            for try await _ in events { count += 1 }
            return count
        }
        var reader = FeedReader(allMail)
        for number in 4...6 {
            memory.fill(number...number)
            _ = try await session.mailboxes()
            try await reader.round(session)
            #expect(reader.held.count == number)
        }
        _ = await watching.result
        // No call is throttled because of it, and a later try to watch ends at once.
        for try await _ in session.watch() { Issue.record("it watches") }
        _ = try await session.mailboxes()
        #expect(memory.server.connections <= 1)
        await session.close()
    }

    /// The first of two is refused last, when nothing shows any more that there was another.
    @Test(.timeLimit(.minutes(5))) func twoThatAreOpenedAtOnceAndBothRefusedAreTriedAgain() async throws {
        let memory = ServerInMemory.answering { verb, tag, connection in
            verb == "AUTHENTICATE" && connection <= 2
                ? "\(tag) NO [ALERT] Too many simultaneous connections. (Failure)\r\n" : nil
        }
        let (signingIn, begins) = AsyncStream.makeStream(of: Void.self)
        let (goingOn, goOn) = AsyncStream.makeStream(of: Void.self)
        let asked = Watched(0)
        let session = memory.session { _ throws(AccountError) in
            if asked.next() == 1 {
                begins.finish()
                for await _ in goingOn {}
            }
            return Secret("good")
        }
        @Sendable func use() async throws {
            await session.pool.giveBack(try await session.pool.lend(preferring: nil))
        }
        let first = Task { try await use() }
        for await _ in signingIn {}
        let second = Task { try await use() }
        while await session.pool.limit > 1 { await Task.yield() }
        goOn.finish()
        for task in [first, second] { try await task.value }
        await session.close()
    }

    @Test func connectionsThatAreFreeAgainAreUsed() async throws {
        let isFull = Watched(true)
        let memory = ServerInMemory.answering { verb, tag, connection in
            verb == "AUTHENTICATE" && connection > 1 && isFull.value
                ? "\(tag) NO [ALERT] Too many simultaneous connections. (Failure)\r\n" : nil
        }
        let session = memory.session()
        _ = try await session.mailboxes()
        let first = try await session.pool.lend(preferring: nil)
        let second = Task { try await session.pool.lend(preferring: nil) }
        while await session.pool.limit > 1 { await Task.yield() }
        await session.pool.giveBack(first)
        await session.pool.giveBack(try await second.value)
        isFull.withLock { $0 = false }
        memory.clock.advance(by: 601)
        _ = try await session.mailboxes()
        #expect(await session.pool.limit == 2)
        await session.close()
    }

    @Test func aServerThatDoesNotWaitIsNotAskedForEver() async throws {
        let asked = Watched(0)
        let memory = ServerInMemory.answering { verb, tag, _ in
            guard verb == "IDLE" else { return nil }
            _ = asked.next()
            return "\(tag) OK IDLE terminated\r\n"
        }
        let session = memory.session()
        await #expect(throws: AccountError.self) { for try await _ in session.watch() {} }
        #expect(asked.value == 3)
        await session.close()
    }

    @Test func aPauseIsNotMadeLongerByAClockThatWasSetBack() async throws {
        let asked = Watched(0)
        let memory = ServerInMemory.answering { verb, tag, _ in
            verb == "LIST" && asked.next() == 1 ? "\(tag) NO [THROTTLED] Slow down\r\n" : nil
        }
        let session = memory.session()
        await #expect(throws: AccountError.self) { try await session.mailboxes() }
        memory.clock.advance(by: -86_400)
        _ = try await session.mailboxes()
        await session.close()
    }

    /// FR-ACCT-04: only what is about the sign-in asks the user to sign in again.
    @Test(arguments: [
        ("NO Server Unavailable. 15", false),
        ("NO [ALERT] Account exceeded command or bandwidth limits.", false),
        ("BAD Request is throttled. Suggested Backoff Time: 92415 milliseconds", false),
        ("NO System Error (Failure)", false), ("NO [SERVERBUG] Oops", false), ("NO [INUSE] Locked", false),
        ("NO [LIMIT] Enough", false), ("NO [AUTHENTICATIONFAILED] Temporarily not allowed", true),
        ("NO LOGIN failed.", true),
    ])
    func troubleIsNotTakenForAWrongPassword(_ words: String, _ isRefusal: Bool) async throws {
        let memory = ServerInMemory.answering { verb, tag, _ in
            verb == "AUTHENTICATE" ? "\(tag) \(words)\r\n" : nil
        }
        let session = memory.session()
        let error = await #expect(throws: AccountError.self) { try await session.mailboxes() }
        var isTaken = false
        if case .authenticationRequired? = error { isTaken = true }
        #expect(isTaken == isRefusal, "\(String(describing: error))")
        await session.close()
    }
}
