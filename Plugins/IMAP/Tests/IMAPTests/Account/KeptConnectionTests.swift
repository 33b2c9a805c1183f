import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import IMAP

/// FR-SYNC-09: after the network was another one, or the computer slept, what is kept leads nowhere.
@Suite("Connections that are kept hold up no call", .timeLimit(.minutes(5))) struct KeptConnectionTests {
    /// Says nothing to `verb` on the first connection, and counts how often it was asked.
    private func silent(
        to verb: String, _ asked: Watched<Int>, settings: GmailServer.Settings = .init()
    ) -> ServerInMemory {
        var settings = settings
        settings.answers = { said, _, connection in
            guard said == verb else { return nil }
            _ = asked.next()
            return connection == 1 ? "" : nil
        }
        return ServerInMemory(settings)
    }

    /// Lets `seconds` go by without an answer, with as many asleep as are then.
    private func wait(_ seconds: Double, _ memory: ServerInMemory, _ connection: IMAPConnection, _ count: Int)
        async
    {
        while await !connection.isWaiting { await Task.yield() }
        await memory.clock.waitForSleepers { $0 == count }
        memory.clock.advance(by: seconds)
    }

    @Test func aServerThatSaysNothingAtAllIsGivenUpAfterOnePatience() async throws {
        let memory = silent(to: "LIST", Watched(0))
        let session = memory.session()
        let connection = try await session.pool.lend(preferring: nil)
        let call = Task { try await connection.perform(.list(specialUse: false, status: nil)) }
        await wait(IMAPConnection.patience, memory, connection, 1)
        await #expect(
            throws: AccountError.unreachable(
                host: "imap.gmail.test", reason: "it did not respond in time on port 993")
        ) { try await call.value }
        await session.close()
    }

    @Test func oneThatLeadsNowhereIsKnownSoon() async throws {
        let memory = silent(to: "NOOP", Watched(0))
        let session = memory.session()
        let kept = try await session.pool.lend(preferring: nil)
        await session.pool.giveBack(kept)
        memory.clock.advance(by: 60)
        let call = Task { try await session.mailboxes() }
        // The timer that closes unused connections, and the one of this answer.
        await wait(10, memory, kept, 2)
        _ = try await call.value
        #expect(memory.network.opened == 2 && memory.network.open == 1)
        await session.close()
    }

    /// Of several that lie unused for as long, one tells of them all.
    @Test func oneThatLeadsNowhereTellsOfTheOthers() async throws {
        let asked = Watched(0)
        var settings = GmailServer.Settings()
        settings.answers = { verb, _, connection in
            guard verb == "NOOP", connection <= 3 else { return nil }
            _ = asked.next()
            return ""
        }
        let memory = ServerInMemory(settings)
        let session = memory.session()
        var kept: [IMAPConnection] = []
        for _ in 1...3 { kept.append(try await session.pool.lend(preferring: nil)) }
        for connection in kept { await session.pool.giveBack(connection) }
        memory.clock.advance(by: 60)
        let call = Task { try await session.mailboxes() }
        // The one that was given back last is tried first.
        await wait(10, memory, try #require(kept.last), 2)
        _ = try await call.value
        #expect(asked.value == 1 && memory.network.opened == 4 && memory.network.open == 1)
        await session.close()
    }

    /// FR-SYNC-03: nor does a watcher hear any news there. The server is asked whether it still listens.
    @Test func oneThatLeadsNowhereEndsWaitingForNews() async throws {
        let memory = ServerInMemory.answering { verb, _, connection in
            verb == "NOOP" && connection == 2 ? "" : nil
        }
        let session = memory.session()
        var events = session.watch().makeAsyncIterator()
        #expect(try await events.next() == .listening)
        let kept = try await session.pool.lend(preferring: nil)
        await session.pool.giveBack(kept)
        memory.clock.advance(by: 60)
        let call = Task { try await session.mailboxes() }
        // The timer that renews the watch, too.
        await wait(10, memory, kept, 3)
        _ = try await call.value
        #expect(try await events.next() == nil)
        await session.close()
    }

    /// The clock of a computer that slept goes on at once; set back, it says just as little.
    @Test func oneThatIsTooOldIsNotAsked() async throws {
        let asked = Watched(0)
        let memory = silent(to: "NOOP", asked)
        let session = memory.session()
        _ = try await session.mailboxes()
        memory.clock.advance(by: -600)
        _ = try await session.mailboxes()
        #expect(asked.value == 0 && memory.network.opened == 2 && memory.network.open == 1)
        await session.close()
    }

    /// A waiter that is woken and cannot go on wakes the next: otherwise the others wait for ever.
    @Test func everybodyWhoWaitsLearnsThatTheServerAsksForPatience() async throws {
        var memory = ServerInMemory.answering { verb, tag, _ in
            verb == "NOOP" ? "\(tag) OK [THROTTLED] Fine\r\n" : nil
        }
        memory.behavior.connections = 1
        let session = memory.session()
        let pool = await session.pool
        let held = try await pool.lend(preferring: nil)
        let waiting = (1...3).map { _ in Task { try await pool.lend(preferring: nil) } }
        while await pool.waiting < 3 { await Task.yield() }
        _ = try await held.perform(.noop)
        await pool.giveBack(held)
        for one in waiting {
            await #expect(throws: AccountError.throttled(until: memory.clock.now + 15)) {
                try await one.value
            }
        }
        await session.close()
    }
}
