import FoundationEssentials
import IMAP
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import POP3

/// ACC-113, ACC-114, ACC-115: whatever a server does, mail is neither lost nor doubled.
@Suite("POP3 servers that go wrong") struct HostileServerTests {
    private static let three = (1...3).map { PopServer.message($0) }

    /// Cut anywhere, everything is either on the server or here, and comes once in the end.
    @Test(arguments: [LeaveOnServer.never, .always]) func cutsLoseNothing(_ leave: LeaveOnServer) async throws
    {
        for cut in stride(from: 0, through: 1_500, by: 37) {
            let account = try PopAccount(PopServer(Self.three))
            await account.attempt(leave, faults: Faults(dropsAfter: cut, chunk: 50))
            let kept = try await account.kept()
            let all = Set(kept).union(account.server.state.withLock { $0.messages.map(\.text) })
            #expect(all == Set(Self.three.map(\.text)), "cut after \(cut)")
            let reader = try await account.round(leave)
            #expect(reader.held.count == 3, "cut after \(cut)")
            #expect(account.server.names.isEmpty == (leave == .never))
        }
    }

    /// As killed at the moment at which a message is marked: a copy of the folder is all that is left.
    @Test func aKillBeforeDELELosesNothing() async throws {
        let account = try PopAccount(PopServer(Self.three))
        let copy = account.folder.appending(path: "copy")
        let folder = account.folder.appending(path: "accounts")
        account.server.change {
            $0.before = { line in
                guard line.hasPrefix("DELE"), !FileManager.default.fileExists(atPath: copy.path) else {
                    return
                }
                try? FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
                try? FileManager.default.copyItem(at: folder, to: copy.appending(path: "accounts"))
            }
        }
        try await account.round(.never)
        #expect(account.server.names.isEmpty)
        #expect(Set(try await account.kept(in: copy)) == Set(Self.three.map(\.text)))
    }

    @Test(arguments: ["RETR 2", "DELE 1", "QUIT"]) func aLostConnectionIsTriedAgain(_ command: String)
        async throws
    {
        let account = try PopAccount(PopServer(Self.three) { $0.cuts = [command] })
        await #expect(throws: AccountError.self) { try await account.round(.never) }
        #expect(account.server.names.count == 3)
        account.server.change { $0.cuts = [] }
        #expect(try await account.round(.never).held.count == 3)
        #expect(account.server.names.isEmpty)
        // Those that were here already are not fetched again.
        #expect(account.server.count("RETR") <= 6)
    }

    @Test func aSilentServerIsGivenUp() async throws {
        let account = try PopAccount(PopServer(Self.three) { $0.answers = ["LIST": ""] })
        let moving = Task { [clock = account.clock] in await clock.keepMoving(by: 45) }
        defer { moving.cancel() }
        do {
            try await account.round(.never)
            Issue.record("it ended")
        } catch AccountError.unreachable(_, let reason) {
            #expect(reason == "it did not respond in time on port 995")
        }
    }

    @Test func aMessageThatIsNotGivenOutStays() async throws {
        let account = try PopAccount(PopServer(Self.three) { $0.answers = ["RETR 2": "-ERR broken\r\n"] })
        #expect(try await account.round(.never).held.count == 2)
        #expect(account.server.names == ["uid2"])
    }

    @Test func wrongSizesRemoveNothing() async throws {
        let account = try PopAccount(PopServer(Self.three) { $0.messages[1].statedSize = 90_000 })
        #expect(try await account.round(.never).held.count == 3)
        account.clock.advance(by: 86_400)
        try await account.round(.never)
        #expect(account.server.names == ["uid2"])
    }

    @Test func anEndlessMessageIsNotRead() async throws {
        let text = String(repeating: "All work and no play.\r\n", count: 10_000)
        let account = try PopAccount(
            PopServer(Self.three + [.init(name: "endless", text: text, statedSize: 500)]))
        do {
            try await account.round(.never, largest: 100_000)
            Issue.record("it was read")
        } catch AccountError.badAnswer {}
        #expect(try await account.round(.never, largest: 100_000).held.count == 3)
        #expect(account.server.names == ["endless"])
    }

    @Test(arguments: [
        "+OK\r\n" + String(repeating: "x", count: 100_000), "+OK\r\n1 a\r\n1 b\r\n.\r\n",
        "+OK\r\n1 \u{1}\r\n.\r\n",
        "+OK\r\n0 a\r\n.\r\n", "+OK\r\n1\r\n.\r\n", "+OK\r\n1 \(String(repeating: "u", count: 300))\r\n.\r\n",
        "hello\r\n",
    ]) func badListsAreRefused(_ list: String) async throws {
        let account = try PopAccount(PopServer(Self.three) { $0.answers = ["UIDL": list] })
        do {
            try await account.round(.never)
            Issue.record("it was taken")
        } catch AccountError.badAnswer {}
        #expect(account.server.names.count == 3 && account.server.count("DELE") == 0)
    }

    /// Two messages of one name are both fetched, and neither is deleted.
    @Test func namesThatAreNotUniqueKeepTheirMail() async throws {
        let twins = [
            PopServer.message(1, name: "same"), PopServer.message(2, name: "same"), PopServer.message(3),
        ]
        let account = try PopAccount(PopServer(twins))
        #expect(try await account.round(.never).held.count == 3)
        #expect(account.server.names == ["same", "same"])
        #expect(try await account.round(.never).held.count == 3)
        #expect(account.server.count("RETR") == 3)
    }

    /// Another message under a known name is fetched, and not deleted in the place of the old one.
    @Test func aNameThatIsUsedAgainIsNoticed() async throws {
        let account = try PopAccount(PopServer([PopServer.message(1)]))
        try await account.round(.always)
        account.server.change { $0.messages = [PopServer.message(2, name: "uid1")] }
        #expect(try await account.round(.days(1)).held.count == 1)
        account.clock.advance(by: 2 * 86_400)
        #expect(try await account.round(.days(1)).held.count == 2)
        #expect(account.server.names == ["uid1"])
    }

    @Test func newNamesForKnownMailDoubleNothing() async throws {
        let account = try PopAccount(PopServer(Self.three))
        try await account.round()
        for number in 1...3 {
            account.server.change { state in
                for index in state.messages.indices { state.messages[index].name = "new\(number).\(index)" }
            }
            #expect(try await account.round().held.count == 3)
        }
        account.server.change { state in
            for index in state.messages.indices { state.messages[index].name = "again\(index)" }
        }
        await #expect(throws: AccountError.self) { try await account.round() }
        #expect(account.server.count("RETR") == 12)
    }

    // MARK: Signing in

    struct Refusal: Sendable {
        var answers: [String: String]
        var error: AccountError
    }

    static let refusals = [
        Refusal(
            answers: ["correct": "-ERR [AUTH] wrong\r\n"], error: .authenticationRequired(reason: "wrong")),
        Refusal(
            answers: ["PASS": "-ERR [SYS/TEMP] later\r\n"],
            error: .unreachable(host: "pop.test", reason: "later")),
        Refusal(
            answers: ["PASS": "-ERR [IN-USE] locked\r\n"],
            error: .unreachable(
                host: "pop.test", reason: "The mailbox is in use by another mail program. (locked)")),
        Refusal(
            answers: ["PASS": "-ERR maildrop already locked\r\n"],
            error: .unreachable(
                host: "pop.test",
                reason: "The mailbox is in use by another mail program. (maildrop already locked)")),
        Refusal(answers: ["PASS": "-ERR [LOGIN-DELAY] wait\r\n"], error: .throttled(until: nil)),
        Refusal(answers: ["PASS": "-ERR no\r\n"], error: .authenticationRequired(reason: "no")),
        Refusal(answers: ["PASS": "-ERR [SYS/PERM] closed\r\n"], error: .refused("closed")),
        Refusal(answers: ["UIDL": "-ERR unknown command\r\n"], error: Maildrop.needsNames),
    ]

    @Test(arguments: refusals.indices) func refusalsAreUnderstood(_ index: Int) async throws {
        let refusal = Self.refusals[index]
        let account = try PopAccount(
            PopServer(Self.three) {
                $0.capabilities = ["USER"]
                $0.answers = refusal.answers
                if let wrong = refusal.answers["correct"] { $0.answers["PASS"] = wrong }
            })
        await #expect(throws: refusal.error) { try await account.round() }
    }

    /// ACC-110: TLS is demanded, and nothing private is said before it.
    @Test func noPasswordGoesOutWithoutTLS() async throws {
        let account = try PopAccount(PopServer(Self.three) { $0.answers = ["STLS": "-ERR no\r\n"] })
        let session = try account.session(security: .startTLS)
        var reader = FeedReader(FeedID("mail"))
        await #expect(
            throws: AccountError.insecure(host: "pop.test", reason: "it does not offer TLS on port 110")
        ) { try await reader.round(session) }
        await session.close()
        #expect(account.server.heard == ["STLS"])
        account.server.change { $0.answers = [:] }
        let again = try account.session(security: .startTLS)
        try await reader.round(again)
        await again.close()
        #expect(reader.held.count == 3)
    }

    @Test func aTokenSignsInAndIsRenewed() async throws {
        let account = try PopAccount(
            PopServer(Self.three) {
                $0.before = { [secret = "dXNlcj1hZGEBYXV0aD1CZWFyZXIgb2xkAQE="] line in
                    if line == secret { _ = line }
                }
                $0.answers = ["dXNlcj1hZGEBYXV0aD1CZWFyZXIgb2xkAQE=": "-ERR [AUTH] expired\r\n"]
            })
        let session = try account.session(
            login: .oauth(user: "ada") { refused throws(AccountError) in
                Secret(refused == nil ? "old" : "new")
            })
        var reader = FeedReader(FeedID("mail"))
        try await reader.round(session)
        await session.close()
        #expect(reader.held.count == 3 && account.server.count("AUTH XOAUTH2") == 2)
    }
}
