import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import IMAP

@Suite("Servers with large mailboxes and limits") struct MessageLimitTests {
    private static let inbox = FeedID("INBOX")

    /// What Yahoo offers, as far as it matters here.
    private static let yahoo =
        "IMAP4rev1 ID MOVE NAMESPACE UIDPLUS LITERAL+ ENABLE CONDSTORE ESEARCH PARTIAL "
        + "OBJECTID UIDONLY LIST-STATUS SPECIAL-USE MESSAGELIMIT=7 UIDBATCHES"

    private func server(
        _ capabilities: String = yahoo, _ messages: Int = 30, limit: Int? = 7, _ commands: Watched<[String]>
    ) -> ServerInMemory {
        var memory = ServerInMemory.with(capabilities) { settings in
            settings.messageLimit = limit
            settings.answersWithArguments = { verb, _, arguments in
                commands.withLock { $0.append("\(verb) \(arguments)") }
                return nil
            }
        }
        memory.server.change { $0.setLabels([], adds: true, ["Travel"]) }
        memory.fill(1...messages)
        memory.behavior.firstBatch = 20
        return memory
    }

    /// ACC-24, ACC-26: everything is read, changed, moved and found to be gone, seven messages at a time.
    @Test(arguments: [yahoo, yahoo.replacing(" CONDSTORE ESEARCH", with: "")])
    func nothingIsMissedWhereCommandsAreLimited(_ capabilities: String) async throws {
        let commands = Watched<[String]>([])
        let memory = server(capabilities, 30, commands)
        let session = memory.session()
        _ = try await session.mailboxes()
        var reader = FeedReader(Self.inbox)
        try await reader.round(session)
        #expect(reader.held.count == 30 && reader.failures.isEmpty)
        memory.server.change { $0.setFlags($0.numbers, adds: true, ["\\Flagged"]) }
        try await reader.round(session)
        #expect(reader.held.values.filter { $0.keywords.contains(.flagged) }.count == 30)
        let addresses = reader.held.keys.sorted().map { RemoteAddress(feed: Self.inbox, id: $0) }
        let outcomes = try await session.apply([
            .setKeywords(addresses, add: [.seen], remove: []),
            .move(Array(addresses.prefix(20)), from: gmailInbox, to: RemoteMailboxID("Travel")),
            .destroy(Array(addresses.suffix(8))),
        ])
        guard case .done(let newIDs, _) = outcomes[1] else { throw Unexpected(outcome: outcomes[1]) }
        #expect(newIDs.count == 20)
        #expect(memory.server.contents(of: "Travel").count == 20)
        try await reader.round(session)
        #expect(reader.held.count == 2 && reader.held.values.allSatisfy { $0.keywords.contains(.seen) })
        #expect(!commands.value.contains { $0.hasPrefix("FETCH") })
        await session.close()
    }

    /// ACC-24: a server that makes no progress is not asked for ever, and nothing is taken for gone.
    @Test func aLimitThatNeverEndsIsABadAnswer() async throws {
        let memory = ServerInMemory.answering(capabilities: ServerInMemory.folders) { verb, tag, _ in
            verb == "UID SEARCH"
                ? "* ESEARCH (TAG \"\(tag)\") UID\r\n\(tag) OK [MESSAGELIMIT 1 3] x\r\n" : nil
        }
        memory.fill(1...3)
        let session = memory.session()
        var reader = FeedReader(Self.inbox)
        await #expect(throws: AccountError.badAnswer("the server repeats its limit without progress")) {
            try await reader.round(session)
        }
        await session.close()
    }

    /// ACC-26
    @Test(arguments: [true, false]) func onlyUIDsAreUsedWhereThatIsOffered(_ isOffered: Bool) async throws {
        let commands = Watched<[String]>([])
        let memory = server(
            isOffered ? Self.yahoo : ServerInMemory.folders, 3, limit: nil, commands)
        let session = memory.session()
        var reader = FeedReader(Self.inbox)
        try await reader.round(session)
        #expect(reader.held.count == 3)
        memory.server.change { $0.remove(Array($0.numbers.prefix(1)), from: "INBOX") }
        try await reader.round(session)
        #expect(reader.held.count == 2)
        #expect(commands.value.contains { $0.hasPrefix("ENABLE") && $0.contains("UIDONLY") } == isOffered)
        await session.close()
    }

    /// ACC-23: of many results, only the newest are sent.
    @Test(arguments: [true, false]) func aSearchAsksForTheNewestResults(_ isOffered: Bool) async throws {
        let commands = Watched<[String]>([])
        let memory = server(
            ServerInMemory.folders + (isOffered ? " PARTIAL" : ""), 12, limit: nil, commands)
        let session = memory.session()
        let found = try await session.search(.subject("Number"), limit: 5)
        #expect(found.compactMap { MessageUID($0.id)?.uid } == [12, 11, 10, 9, 8])
        #expect(commands.value.contains { $0.contains("PARTIAL -1:-5") } == isOffered)
        await session.close()
    }

    /// ACC-25: where UIDs have gaps, the server knows where the newest messages begin.
    @Test(arguments: [true, false]) func theNewestOfALargeMailboxAreFound(_ isOffered: Bool) async throws {
        let commands = Watched<[String]>([])
        var memory = ServerInMemory.with(ServerInMemory.folders + (isOffered ? " UIDBATCHES" : "")) {
            settings in
            settings.answersWithArguments = { verb, tag, arguments in
                commands.withLock { $0.append("\(verb) \(arguments)") }
                return verb == "UIDBATCHES" ? "* UIDBATCHES (TAG \"\(tag)\") 30:4\r\n\(tag) OK Done\r\n" : nil
            }
        }
        memory.behavior.largeMailbox = 20
        memory.behavior.firstBatch = 10
        memory.fill(1...30)
        let session = memory.session()
        var reader = FeedReader(Self.inbox)
        let since = Date(timeIntervalSince1970: 1_600_000_000)
        let batch = try await reader.step(session, since: since)
        #expect(batch.messages.count == 10 && batch.hasMore)
        #expect(commands.value.contains("UIDBATCHES 500 1:1") == isOffered)
        #expect(commands.value.contains { $0.contains("UID 4:30") } == isOffered)
        try await reader.round(session, since: since)
        #expect(reader.held.count == 30)
        await session.close()
    }

    private struct Unexpected: Error { let outcome: MutationOutcome }
}
