import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import Testing

@testable import IMAP

/// FR-SYNC-02: an interrupted sync goes on where it stopped; one bad message never stops the rest.
@Suite("Whatever the connection does, a sync ends equal to the server") struct FaultTests {
    /// Rounds until one succeeds, as the kernel tries them.
    private func sync(_ reader: inout FeedReader, _ session: any AccountSession) async throws {
        for _ in 0..<200 {
            do {
                _ = try await session.mailboxes()
                return try await reader.round(session)
            } catch let error as AccountError where error.isConnectionLoss {
                continue
            }
        }
        throw AccountError.unreachable(host: "", reason: "200 tries were not enough")
    }

    private func small() -> IMAPBehavior {
        var behavior = IMAPBehavior()
        behavior.firstBatch = 2
        behavior.batch = 3
        return behavior
    }

    /// FR-SYNC-02. The connection is lost after a byte of a session, whichever it is.
    @Test func aDropAtAnyByteLosesNothing() async throws {
        let whole = try await twoRounds(dropping: nil)
        #expect(whole.reader.held.count == 4 && whole.reader.repeats == 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for start in 0..<4 {
                group.addTask {
                    for byte in stride(from: start, to: whole.bytes, by: 4) {
                        let cut = try await twoRounds(dropping: byte)
                        try #require(cut.reader.held == whole.reader.held, "dropped after \(byte) bytes")
                        try #require(cut.reader.failures.isEmpty, "dropped after \(byte) bytes")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// A first round, changes by another client, and a second round. The first connection is the one that
    /// is lost.
    private func twoRounds(dropping: Int?) async throws -> (reader: FeedReader, bytes: Int) {
        var settings = GmailServer.Settings()
        settings.capabilities = "IMAP4rev1 X-GM-EXT-1 CONDSTORE ESEARCH SPECIAL-USE"
        var memory = ServerInMemory(settings) { number in Faults(dropsAfter: number == 1 ? dropping : nil) }
        memory.behavior = small()
        memory.fill(1...3)
        let session = memory.session()
        var reader = FeedReader(allMail)
        try await sync(&reader, session)
        memory.fill(4...4)
        memory.server.change { store in
            store.setFlags(Array(store.numbers.prefix(1)), adds: true, ["\\Flagged"])
            store.setLabels(Array(store.numbers.suffix(1)), adds: true, ["New"])
        }
        try await sync(&reader, session)
        await session.close()
        return (reader, memory.network.sent)
    }

    /// Issue 5: 500 network faults injected into one sync: it completes and equals the server.
    @Test func fiveHundredFaultsInOneSync() async throws {
        let random = SeededFaults(seed: 7)
        var memory = ServerInMemory { number in random.next(number, until: 500) }
        memory.behavior = small()
        memory.fill(1...100)
        let session = memory.session()
        var reader = FeedReader(allMail)
        var tries = 0
        while true {
            do {
                _ = try await session.mailboxes()
                try await reader.round(session)
                if memory.network.opened > 500 { break }
                if tries.isMultiple(of: 10) { memory.fill(1_000 + tries...1_000 + tries) }
            } catch let error as AccountError where error.isConnectionLoss {}
            tries += 1
            try #require(tries < 5_000)
        }
        try await reader.round(session)
        #expect(reader.texts.sorted() == memory.server.texts(in: "[Gmail]/All Mail").sorted())
        #expect(reader.failures.isEmpty && reader.repeats == 0)
        await session.close()
        #expect(memory.network.open == 0)
    }

    @Test(arguments: [1, 7, 100]) func slowBytesAreEnough(_ chunk: Int) async throws {
        let memory = ServerInMemory { _ in Faults(chunk: chunk) }
        memory.fill(1...20)
        let session = memory.session()
        var reader = FeedReader(allMail)
        try await reader.round(session)
        #expect(reader.held.count == 20)
        await session.close()
    }

    @Test func noNetworkIsSaidAsItIs() async throws {
        let session = ServerInMemory { _ in Faults(refuses: .offline) }.session()
        await #expect(throws: AccountError.offline) { try await session.mailboxes() }
        #expect(
            try await session.apply([
                .destroy([RemoteAddress(feed: allMail, id: MessageUID(validity: 1, uid: 1).id)]),
                .createMailbox(name: "x", parent: nil),
            ])
                == [.failed(.offline), .notTried])
    }

    /// A connection that the server closed while it lay unused is normal life.
    @Test func aConnectionThatWasClosedMeanwhileIsReplaced() async throws {
        // Long enough for signing in and a first round, and not for the second.
        let memory = ServerInMemory { number in Faults(dropsAfter: number == 1 ? 3_400 : nil) }
        memory.fill(1...3)
        let session = memory.session()
        var reader = FeedReader(allMail)
        try await reader.round(session)
        for number in 4...40 {
            memory.fill(number...number)
            try await reader.round(session)
        }
        #expect(reader.held.count == 40 && memory.network.opened == 2)
        await session.close()
    }
}

/// Connections that break early, at random.
private struct SeededFaults: Sendable {
    let seed: UInt64

    func next(_ number: Int, until last: Int) -> Faults {
        guard number <= last else { return Faults() }
        var random = SeededRandom(seed &+ UInt64(number))
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return Faults(refuses: .unreachable(host: "x", reason: "no answer"))
        case 1: return Faults(dropsAfter: Int.random(in: 0..<600, using: &random))
        default:
            return Faults(
                dropsAfter: Int.random(in: 600..<5_000, using: &random),
                chunk: Int.random(in: 20..<2_000, using: &random))
        }
    }
}
