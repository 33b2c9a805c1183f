import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import POP3

/// ACC-110, ACC-111: mail is fetched once, newest first, and stays on the server unless the user chose otherwise.
@Suite("A POP3 account fetches its mail") struct VisitTests {
    private static let three = (1...3).map { PopServer.message($0) }

    @Test func mailArrivesOnceAndStaysThere() async throws {
        let account = try PopAccount(PopServer(Self.three))
        let first = try await account.round()
        #expect(first.held.count == 3 && first.failures.isEmpty)
        #expect(
            first.held.values.allSatisfy { $0.mailboxIDs == [RemoteMailboxID("inbox")] && $0.keywords == [] })
        #expect(Set(first.texts) == Set(Self.three.map(\.text)))
        account.server.change { $0.messages.append(PopServer.message(4)) }
        let second = try await account.round()
        #expect(second.held.count == 4)
        #expect(account.server.count("RETR") == 4 && account.server.count("DELE") == 0)
        #expect(account.server.names.count == 4 && account.server.heard.last == "QUIT")
    }

    @Test func newestComesFirstWithItsDate() async throws {
        let account = try PopAccount(PopServer(Self.three))
        let session = try account.session()
        var reader = FeedReader(FeedID("mail"))
        let batch = try await reader.step(session)
        await session.close()
        #expect(account.server.heard.filter { $0.hasPrefix("RETR") } == ["RETR 3", "RETR 2", "RETR 1"])
        #expect(batch.messages.first?.receivedAt == Date(timeIntervalSince1970: 1_699_992_180))
    }

    @Test func dotsAndEmptyMessagesComeAsTheyAre() async throws {
        let text = "Subject: dots\r\n\r\n.\r\n..\r\n.a\r\nb.\r\n\r\n"
        let server = PopServer([.init(name: "a", text: text), .init(name: "b", text: "")])
        let account = try PopAccount(server)
        for chunk in [1, 3, Int.max] {
            let reader = try await account.round(
                faults: Faults(chunk: chunk))
            #expect(Set(reader.texts) == [text, ""])
        }
    }

    /// Everything that a server may lack.
    @Test func oldServersWithoutCapabilitiesWork() async throws {
        let account = try PopAccount(PopServer(Self.three) { $0.capabilities = nil })
        #expect(try await account.round(.never).held.count == 3)
        #expect(account.server.heard.contains("PASS correct horse") && account.server.names.isEmpty)
    }

    struct Way: Sendable {
        var leave: LeaveOnServer
        var days = 0.0
        /// What is done with message 1 here.
        var change: (@Sendable (RemoteAddress) -> RemoteMutation)?
        var left: [String]
    }

    private static let inbox = RemoteMailboxID("inbox")
    private static let toTrash: @Sendable (RemoteAddress) -> RemoteMutation = {
        .move([$0], from: inbox, to: RemoteMailboxID("trash"))
    }

    /// ACC-112.
    static let ways = [
        Way(leave: .always, days: 400, change: { .destroy([$0]) }, left: ["uid1", "uid2", "uid3"]),
        Way(leave: .days(14), days: 13, left: ["uid1", "uid2", "uid3"]),
        Way(leave: .days(14), days: 15, left: []),
        Way(leave: .untilDeleted, days: 400, left: ["uid1", "uid2", "uid3"]),
        Way(leave: .untilDeleted, days: 1, change: { .destroy([$0]) }, left: ["uid2", "uid3"]),
        Way(leave: .untilDeleted, days: 1, change: toTrash, left: ["uid2", "uid3"]),
        Way(
            leave: .untilDeleted, days: 1,
            change: { .move([$0], from: inbox, to: RemoteMailboxID("archive")) },
            left: ["uid1", "uid2", "uid3"]),
        Way(leave: .never, left: []),
    ]

    @Test(arguments: ways.indices) func messagesLeaveTheServerAsChosen(_ index: Int) async throws {
        let way = Self.ways[index]
        let account = try PopAccount(PopServer(Self.three))
        let session = try account.session(way.leave)
        var reader = FeedReader(FeedID("mail"))
        try await reader.round(session)
        if let change = way.change,
            let one = reader.held.first(where: { $0.value.text.contains("Number 1\r\n") })
        {
            let mutation = change(RemoteAddress(feed: FeedID("mail"), id: one.key))
            _ = try await session.apply([mutation])
        }
        account.clock.advance(by: way.days * 86_400 + 60)
        try await reader.round(session)
        await session.close()
        #expect(account.server.names == way.left)
        let wasDestroyed = way.change != nil && reader.held.count == 2
        #expect(reader.held.count == 3 || wasDestroyed)
        // What was deleted here does not come again.
        let again = try await account.round(way.leave)
        #expect(again.held.count == reader.held.count)
    }

    @Test func fiftyThousandMessagesAreListed() async throws {
        let names = Dictionary(uniqueKeysWithValues: (1...50_000).map { ($0, "uid\($0)") })
        let sizes = names.mapValues { _ in 1_000 }
        let drop = Maildrop(names: names, sizes: sizes)
        let plan = try VisitPlan(drop, [:], .always, at: Date(timeIntervalSince1970: 0))
        #expect(plan.new.count == 50_000 && plan.new.first?.number == 50_000)
        let server = PopServer()
        let list = (1...50_000).map { "\($0) uid\($0)\r\n" }.joined()
        let lengths = (1...50_000).map { "\($0) 1000\r\n" }.joined()
        server.change {
            $0.answers = ["UIDL": "+OK\r\n\(list).\r\n", "LIST": "+OK\r\n\(lengths).\r\n"]
            $0.cuts = ["RETR"]
        }
        let account = try PopAccount(server)
        await #expect(throws: AccountError.self) { try await account.round() }
        #expect(server.heard.contains("RETR 50000"))
    }

    /// A visit waits for the one before, unless that failed.
    @Test func theServerIsNotAskedAllTheTime() async throws {
        let account = try PopAccount(
            PopServer(Self.three) { $0.capabilities = ["USER", "UIDL", "LOGIN-DELAY 600"] })
        let session = try account.session()
        var reader = FeedReader(FeedID("mail"))
        for (seconds, visits) in [(0.0, 1), (10, 1), (500, 1), (100, 2)] {
            account.clock.advance(by: seconds)
            try await reader.round(session)
            #expect(account.server.count("QUIT") == visits, "after \(seconds) s more")
        }
        await session.close()
    }
}
