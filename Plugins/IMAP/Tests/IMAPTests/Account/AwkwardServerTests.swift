import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import IMAP

@Suite("What servers do when they should not") struct AwkwardServerTests {
    // MARK: Messages

    /// FR-SYNC-02: one bad message never stops the rest.
    @Test(arguments: [
        "* 2 FETCH (UID 2 BODY[] garbage (((\r\n", "* 2 FETCH (UID 2 BODY[] NIL)\r\n",
        "* 2 FETCH (UID 2 BODY[] {3}\r\n",
    ])
    func oneMessageThatCannotBeReadIsPassedBy(_ line: String) async throws {
        let bad = line.hasSuffix("{3}\r\n") ? line + "abc\r\n" : line
        let reader = try await Self.serving(bad: bad).readOnce()
        #expect(reader.held.count == 3 && reader.failures.count == 1)
        #expect(reader.failures.first.flatMap { MessageUID($0.id)?.uid } == 2)
    }

    /// Says something wrong about message 2 whenever bodies are asked for.
    private static func serving(bad: String) -> ServerInMemory {
        ServerInMemory.scripted(messages: 4) { uid in
            uid == 2 ? bad : nil
        }
    }

    @Test func aServerThatCannotReadAMessageSaysSo() async throws {
        let all = ServerInMemory.scripted(messages: 3, refuses: "NO [SERVERBUG] Internal error") { _ in "" }
        // It says the same of all: then it is not the message.
        await #expect(throws: AccountError.self) { try await all.readOnce() }
        let one = ServerInMemory.scripted(messages: 3, refuses: "NO [SERVERBUG] Internal error") { uid in
            uid == 3 ? "" : nil
        }
        let rest = try await one.readOnce()
        #expect(rest.held.count == 2 && rest.failures.count == 1)
        let other = ServerInMemory.scripted(messages: 3, refuses: "NO Message is corrupted") { uid in
            uid == 3 ? "" : nil
        }
        let reader = try await other.readOnce()
        #expect(reader.held.count == 2 && reader.failures.map(\.reason) == ["Message is corrupted"])
    }

    /// FR-SYNC-02: a changed UIDVALIDITY means that the mailbox is read again.
    @Test func anotherUIDVALIDITYBeginsAnew() async throws {
        let memory = ServerInMemory()
        memory.fill(1...3)
        let session = memory.session()
        var reader = FeedReader(allMail)
        try await reader.round(session)
        let old = try #require(reader.held.keys.max())
        memory.server.change { $0.renumber(GmailStore.allMail) }
        let other = memory.session()
        await #expect(throws: AccountError.cursorExpired) { try await reader.step(other) }
        // What was meant for a message of the old life is done to none of the new.
        let outcome = try await other.apply([
            .setKeywords([RemoteAddress(feed: allMail, id: old)], add: [.flagged], remove: [])
        ])
        #expect(outcome == [.done(newIDs: [:], mailbox: nil)])
        try await reader.round(other)
        #expect(reader.held.count == 3 && !reader.held.values.contains { $0.keywords.contains(.flagged) })
        for session in [session, other] { await session.close() }
    }

    @Test func anAnnouncedGigabyteEndsWithTheConnection() async throws {
        let memory = ServerInMemory.answering { verb, _, connection in
            verb == "UID FETCH" && connection == 1 ? "* 1 FETCH (UID 1 BODY[] {4294967299}\r\n" : nil
        }
        memory.fill(1...1)
        let session = memory.session()
        var reader = FeedReader(allMail)
        await #expect(throws: AccountError.badAnswer(FramingError.literalTooLong.reason)) {
            try await reader.round(session)
        }
        try await reader.round(session)
        #expect(reader.held.count == 1)
        await session.close()
    }

    @Test func garbageIsABadAnswerAndTheNextConnectionWorks() async throws {
        let memory = ServerInMemory.answering { verb, tag, connection in
            verb == "LIST" && connection == 1
                ? "* LIST (((\r\n\u{1}\u{2}\r\n* 7 WHAT\r\n\(tag) OK done\r\n" : nil
        }
        let session = memory.session()
        await #expect(throws: AccountError.badAnswer("the response to LIST is invalid")) {
            try await session.mailboxes()
        }
        // A server that sends nonsense may have lost count of the commands: the session takes another connection.
        #expect(try await session.mailboxes().mailboxes.contains { $0.role == .inbox })
        #expect(memory.network.opened == 2 && memory.network.open == 1)
        await session.close()
    }

    /// A few bytes name four thousand million messages, that would have to be written out.
    @Test func aSearchThatFindsMoreThanAnyMailboxHasIsABadAnswer() async throws {
        let memory = ServerInMemory.answering(capabilities: ServerInMemory.folders) { verb, tag, _ in
            switch verb {
            case "SELECT":
                "* 4294967295 EXISTS\r\n* OK [UIDVALIDITY 1] Fine\r\n* OK [UIDNEXT 4294967295] Fine\r\n"
                    + "\(tag) OK [READ-WRITE] Done\r\n"
            case "UID SEARCH": "* ESEARCH (TAG \"\(tag)\") UID ALL 1:4294967295\r\n\(tag) OK Done\r\n"
            default: nil
            }
        }
        let session = memory.session()
        let inbox = FeedID("INBOX")
        await #expect(throws: AccountError.badAnswer("a search found more messages than exist")) {
            var reader = FeedReader(inbox)
            try await reader.step(session)
        }
        await session.close()
    }

    // MARK: Patience

    /// FR-SYNC-09; nothing is tried before the pause is over, which grows.
    @Test func whoAsksForPatienceGetsIt() async throws {
        let asked = Watched(0)
        let memory = ServerInMemory.answering { verb, tag, _ in
            verb == "LIST" && asked.next() <= 2 ? "\(tag) NO [THROTTLED] Slow down\r\n" : nil
        }
        let session = memory.session()
        for pause in [15.0, 60] {
            let until = memory.clock.now + pause
            await #expect(throws: AccountError.throttled(until: until)) { try await session.mailboxes() }
            await #expect(throws: AccountError.throttled(until: until)) { try await session.mailboxes() }
            memory.clock.advance(by: pause)
        }
        _ = try await session.mailboxes()
        await session.close()
    }

    @Test func patienceCanBeAskedForInAnAnswerThatIsFine() async throws {
        let memory = ServerInMemory.answering { verb, tag, _ in
            verb == "NAMESPACE" ? "* NAMESPACE NIL NIL NIL\r\n\(tag) OK [THROTTLED] Success\r\n" : nil
        }
        let session = memory.session()
        _ = try await session.mailboxes()
        await #expect(throws: AccountError.throttled(until: memory.clock.now + 15)) {
            try await session.mailboxes()
        }
        await session.close()
    }

    @Test func goodbyesAreUnderstood() async throws {
        let bandwidth = ServerInMemory.answering { verb, _, _ in
            verb == "LIST"
                ? "* BYE [OVERQUOTA] Account exceeded command or bandwidth limits.\r\n\u{0}END" : nil
        }
        let session = bandwidth.session()
        await #expect(throws: AccountError.throttled(until: bandwidth.clock.now + 15)) {
            try await session.mailboxes()
        }
        await session.close()
        let restart = ServerInMemory.answering { verb, _, _ in
            verb == "LIST" ? "* BYE Server shutting down.\r\n\u{0}END" : nil
        }
        let other = restart.session()
        await #expect(
            throws: AccountError.unreachable(host: "imap.gmail.test", reason: "Server shutting down.")
        ) {
            try await other.mailboxes()
        }
        await other.close()
    }

    // MARK: Connections

    /// FR-SYNC-09: at most 5 connections per account, pooled, waiting rather than exceeding.
    @Test func thereAreNeverMoreThanFiveConnections() async throws {
        let memory = ServerInMemory()
        memory.fill(1...30)
        let session = memory.session()
        var reader = FeedReader(allMail)
        try await reader.round(session)
        let ids = Array(reader.held.keys)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in ids {
                group.addTask { try await session.fetch(id, feed: allMail, partID: nil, into: Nowhere()) }
            }
            try await group.waitForAll()
        }
        #expect(memory.network.mostOpen <= 5)
        await session.close()
        #expect(memory.network.open == 0)
    }

    /// Other programs of the user have connections too.
    @Test func aServerThatHasEnoughConnectionsIsNotPressed() async throws {
        var settings = GmailServer.Settings()
        settings.mostConnections = 2
        let memory = ServerInMemory(settings)
        memory.fill(1...20)
        let session = memory.session()
        var reader = FeedReader(allMail)
        try await reader.round(session)
        let ids = Array(reader.held.keys)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in ids {
                group.addTask { try await session.fetch(id, feed: allMail, partID: nil, into: Nowhere()) }
            }
            try await group.waitForAll()
        }
        #expect(memory.server.connections <= 2)
        await session.close()
    }

    @Test func unusedConnectionsAreClosed() async throws {
        let memory = ServerInMemory()
        let session = memory.session()
        _ = try await session.mailboxes()
        #expect(memory.network.open == 1)
        await memory.clock.waitForSleepers()
        memory.clock.advance(by: 121)
        await memory.connections.wait { $0 == 0 }
        _ = try await session.mailboxes()
        #expect(memory.network.opened == 2)
        await session.close()
    }

    /// A session that is thrown away need not be closed.
    @Test func aForgottenSessionLeavesNoConnection() async throws {
        let memory = ServerInMemory()
        memory.fill(1...3)
        var session: IMAPAccountSession? = memory.session()
        var reader = FeedReader(allMail)
        try await reader.round(try #require(session))
        #expect(memory.network.open > 0)
        session = nil
        await memory.connections.wait { $0 == 0 }
    }

    /// FR-SYNC-09: a server that says nothing does not hold up a call for ever.
    @Test func aSilentServerIsGivenUp() async throws {
        let memory = ServerInMemory.answering { verb, _, _ in verb == "LIST" ? "" : nil }
        let session = memory.session()
        let call = Task { try await session.mailboxes() }
        let hands = Task { [clock = memory.clock] in await clock.keepMoving(by: 91) }
        await #expect(
            throws: AccountError.unreachable(
                host: "imap.gmail.test", reason: "it did not respond in time on port 993")
        ) { try await call.value }
        hands.cancel()
        await session.close()
    }

    // MARK: Signing in

    /// FR-ACCT-04: a token that the server refuses is replaced once, before the user is asked.
    @Test func aRefusedTokenIsReplacedOnce() async throws {
        let memory = ServerInMemory()
        let calls = Watched(0)
        let session = memory.session { refused in
            _ = calls.next()
            return refused == Secret("old") ? Secret("good") : Secret("old")
        }
        _ = try await session.mailboxes()
        #expect(calls.value == 2)
        await session.close()
        let other = memory.session { refused in Secret(refused == nil ? "bad" : "worse") }
        await #expect(throws: AccountError.authenticationRequired(reason: "Invalid credentials (Failure)")) {
            try await other.mailboxes()
        }
        await other.close()
    }

    @Test func aServerThatSpeaksAnotherProtocolIsNoMailServer() async throws {
        for greeting in ["HTTP/1.1 400 Bad Request\r\n", "220 smtp ready\r\n"] {
            let network = MemoryNetwork { FixedServer(greeting) }
            let host = HostServices(
                pluginID: "test", log: PluginLog(least: .error) { _, _ in }, settings: PluginSettings(),
                secrets: FixedSecrets(), dataFolder: URL(filePath: "/tmp"), clock: ServerInMemory().clock,
                network: network)
            let session = IMAPAccountSession(
                IMAPConfiguration(
                    imap: MailServer("x.test", port: 993), submission: nil,
                    login: .password(user: "u") { () throws(AccountError) in Secret("p") }), host: host)
            await #expect(throws: AccountError.badAnswer("the server does not use IMAP")) {
                try await session.mailboxes()
            }
            await session.close()
        }
    }

    /// Nothing of worth is said before TLS, and never to a server that has none.
    @Test(arguments: [
        "* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] ready\r\n", "* PREAUTH [CAPABILITY IMAP4rev1] welcome\r\n",
    ])
    func withoutTLSNothingIsSaid(_ greeting: String) async throws {
        let server = FixedServer(greeting)
        let network = MemoryNetwork { server }
        let host = HostServices(
            pluginID: "test", log: PluginLog(least: .error) { _, _ in }, settings: PluginSettings(),
            secrets: FixedSecrets(), dataFolder: URL(filePath: "/tmp"), clock: ServerInMemory().clock,
            network: network)
        let session = IMAPAccountSession(
            IMAPConfiguration(
                imap: MailServer("x.test", port: 143, security: .startTLS), submission: nil,
                login: .password(user: "user") { () throws(AccountError) in Secret("pass") }), host: host)
        let error = await #expect(throws: AccountError.self) { try await session.mailboxes() }
        guard case .insecure("x.test", _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(
            !server.heard.contains("pass") && !server.heard.contains("AUTHENTICATE")
                && !server.heard.contains("LOGIN"))
        await session.close()
    }
}

private struct Nowhere: ByteSink {
    func write(_ bytes: Data) {}
}
