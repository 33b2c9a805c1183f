import FoundationEssentials
import MailKernelAPI
import Testing

@testable import IMAP

/// A session, and what a server says to it.
private struct Exchange {
    var session = IMAPSession()

    init(capabilities: String = "IMAP4rev1") throws {
        _ = try hear("* OK [CAPABILITY \(capabilities)] ready\r\n")
    }

    /// What is sent now.
    mutating func said() -> String {
        var bytes = Data()
        while let output = session.nextOutput() {
            switch output {
            case .bytes(let some): bytes += some
            case .stream(let size): bytes += Data("<\(size)>".utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    mutating func hear(_ text: String) throws -> [IMAPSession.Event] {
        session.push(Data(text.utf8))
        var events: [IMAPSession.Event] = []
        while let event = try session.nextEvent() { events.append(event) }
        return events
    }
}

private func completed(_ tag: String, _ command: String, malformed: Int = 0) -> IMAPSession.Event {
    .completed(
        IMAPSession.Completion(
            tag: tag, command: command, status: StatusResponse(kind: .ok, code: nil, text: "done"),
            malformed: malformed))
}

@Suite("A session speaks and listens") struct SessionTests {
    @Test func commandsTravelTogetherAndAreAnsweredInTurn() throws {
        var exchange = try Exchange()
        let tags = [Command.noop, .capability].map { exchange.session.begin($0) }
        #expect(tags == ["a1", "a2"])
        #expect(exchange.said() == "a1 NOOP\r\na2 CAPABILITY\r\n")
        let events = try exchange.hear(
            "* 3 EXISTS\r\na1 OK done\r\n* CAPABILITY IMAP4rev1 IDLE\r\na2 OK done\r\n")
        #expect(
            events == [
                .untagged(.exists(3)), completed("a1", "NOOP"),
                .untagged(.capability(["IMAP4REV1", "IDLE"])),
                completed("a2", "CAPABILITY"),
            ])
        #expect(exchange.session.has("IDLE"))
    }

    @Test func aLiteralWaitsForTheServerAndSoDoesWhatFollows() throws {
        var exchange = try Exchange()
        _ = exchange.session.begin(Command("X").astring("ü").raw("Y"))
        _ = exchange.session.begin(.noop)
        #expect(exchange.said() == "a1 X {2}\r\n")
        #expect(try exchange.hear("* 1 EXISTS\r\n") == [.untagged(.exists(1))])
        #expect(exchange.said().isEmpty)
        #expect(try exchange.hear("+ go\r\n").isEmpty)
        #expect(exchange.said() == "ü Y\r\na2 NOOP\r\n")
    }

    @Test(arguments: [
        (
            "LITERAL+", "a1 X {2+}\r\nü\r\n",
            "a2 APPEND x () \"01-Jan-1970 00:00:00 +0000\" {5000+}\r\n<5000>\r\n"
        ), ("LITERAL-", "a1 X {2+}\r\nü\r\n", "a2 APPEND x () \"01-Jan-1970 00:00:00 +0000\" {5000}\r\n"),
    ])
    func literalsDoNotWaitWhereTheyNeedNot(_ capability: String, _ small: String, _ large: String) throws {
        var exchange = try Exchange(capabilities: capability)
        _ = exchange.session.begin(Command("X").astring("ü"))
        #expect(exchange.said() == small)
        _ = exchange.session.begin(
            .append(
                to: MailboxName(wire: "x"), flags: [], receivedAt: Date(timeIntervalSince1970: 0), size: 5_000
            ))
        #expect(exchange.said() == large)
        _ = try exchange.hear("+\r\n")
        if capability == "LITERAL-" { #expect(exchange.said() == "<5000>\r\n") }
    }

    @Test func aCommandThatIsRefusedHalfwayIsNotSentOn() throws {
        var exchange = try Exchange()
        let append = Command.append(
            to: MailboxName(wire: "gone"), flags: [], receivedAt: Date(timeIntervalSince1970: 0), size: 9)
        _ = exchange.session.begin(append)
        _ = exchange.session.begin(.noop)
        _ = exchange.said()
        guard case .completed(let refusal)? = try exchange.hear("a1 NO [TRYCREATE] no such mailbox\r\n").first
        else {
            Issue.record("the command was not completed")
            return
        }
        #expect(refusal.status.word == "TRYCREATE")
        #expect(exchange.said() == "a2 NOOP\r\n")
    }

    @Test func whatCannotBeReadCountsAgainstOneCommandAlone() throws {
        var exchange = try Exchange()
        for _ in 0..<2 { _ = exchange.session.begin(.noop) }
        let events = try exchange.hear(
            "* 1 FETCH (UID\r\n\u{0}\u{1}\r\n\r\na1 OK done\r\na9 OK whose\r\na2 OK done\r\n")
        #expect(events.filter { if case .malformed = $0 { true } else { false } }.count == 2)
        #expect(events.suffix(2) == [completed("a1", "NOOP", malformed: 2), completed("a2", "NOOP")])
    }

    @Test func aSelectedMailboxIsKnown() throws {
        var exchange = try Exchange()
        _ = exchange.session.begin(.select(.inbox))
        _ = try exchange.hear(
            "* 172 EXISTS\r\n* OK [UIDVALIDITY 3857529045] x\r\n* OK [UIDNEXT 4392] x\r\n* OK [HIGHESTMODSEQ 715194045007] x\r\n* OK [PERMANENTFLAGS (\\Deleted \\*)] x\r\na1 OK [READ-WRITE] done\r\n"
        )
        var expected = SelectedMailbox(name: .inbox)
        expected.exists = 172
        expected.validity = 3_857_529_045
        expected.uidNext = 4_392
        expected.highestModSeq = 715_194_045_007
        expected.permanentFlags = ["\\Deleted", "\\*"]
        #expect(exchange.session.selected == expected)
        _ = try exchange.hear("* 3 EXPUNGE\r\n* VANISHED 9:10\r\n")
        #expect(
            exchange.session.selected?.exists == 169 && exchange.session.selected?.hasNewMessages == false)
        _ = try exchange.hear("* 170 EXISTS\r\n")
        #expect(exchange.session.selected?.hasNewMessages == true)
    }

    @Test func anotherMailboxTakesItsPlaceOrNone() throws {
        var exchange = try Exchange()
        _ = exchange.session.begin(.select(.inbox))
        _ = try exchange.hear("* 5 EXISTS\r\na1 OK done\r\n")
        _ = exchange.session.begin(.select(MailboxName(wire: "x")))
        _ = try exchange.hear("* 9 EXISTS\r\n* OK [CLOSED] bye\r\n* 1 EXISTS\r\na2 OK done\r\n")
        #expect(exchange.session.selected?.exists == 1 && exchange.session.selected?.name.wire == "x")
        _ = exchange.session.begin(.select(MailboxName(wire: "gone")))
        _ = try exchange.hear("a3 NO no\r\n")
        #expect(exchange.session.selected == nil)
    }

    @Test func whatWasSaidInTheClearIsForgotten() throws {
        var exchange = try Exchange(capabilities: "STARTTLS LITERAL+")
        _ = exchange.session.begin(.startTLS)
        exchange.session.push(Data("a1 OK go\r\n* CAPABILITY AUTH=PLAIN EVIL\r\na2 OK injected\r\n".utf8))
        guard case .completed? = try exchange.session.nextEvent() else {
            Issue.record("the command was not completed")
            return
        }
        exchange.session.forgetPlainText()
        #expect(try exchange.session.nextEvent() == nil && exchange.session.capabilities == nil)
    }

    @Test func whatIsOfferedBeforeSigningInDoesNotCountAfterwards() throws {
        var exchange = try Exchange(capabilities: "AUTH=PLAIN")
        _ = exchange.session.begin(Command("LOGIN").raw("x y"))
        _ = try exchange.hear("a1 OK done\r\n")
        exchange.session.becomeAuthenticated()
        #expect(exchange.session.capabilities == nil)
        var other = try Exchange(capabilities: "AUTH=PLAIN")
        _ = other.session.begin(Command("LOGIN").raw("x y"))
        _ = try other.hear("a1 OK [CAPABILITY IDLE] done\r\n")
        other.session.becomeAuthenticated()
        #expect(other.session.capabilities == ["IDLE"])
    }

    @Test func waitingCommandsAreAnsweredAndEnded() throws {
        var exchange = try Exchange()
        _ = exchange.session.begin(.idle)
        #expect(
            try exchange.hear("+ idling\r\n* 4 EXISTS\r\n") == [
                .continuation("idling"), .untagged(.exists(4)),
            ])
        _ = exchange.said()
        exchange.session.send(line: "DONE")
        #expect(exchange.said() == "DONE\r\n")
        #expect(try exchange.hear("a1 OK done\r\n") == [completed("a1", "IDLE")])
        // A tag that was never sent means nothing.
        #expect(try exchange.hear("+ what\r\n").isEmpty)
    }
}

@Suite("Signing in says what each way wants") struct AuthenticationTests {
    private static let endpoint = Endpoint(host: "imap.example", port: 993)
    private static let token = IMAPCredentials.oauth(user: "a,b=c@x", token: Secret("t0k"))
    private static let password = IMAPCredentials.password(user: "u", password: Secret("p\"w"))

    private func choose(_ credentials: IMAPCredentials, _ capabilities: Set<String>) -> Authentication? {
        Authentication.choose(credentials, capabilities: capabilities, endpoint: Self.endpoint)
    }

    @Test func theBestThatBothKnowIsChosen() throws {
        let both = try #require(choose(Self.token, ["AUTH=OAUTHBEARER", "AUTH=XOAUTH2", "AUTH=PLAIN"]))
        #expect(Data(base64Encoded: both.answer) == Data("user=a,b=c@x\u{1}auth=Bearer t0k\u{1}\u{1}".utf8))
        #expect(both.answerToRefusal.isEmpty)
        let bearer = try #require(choose(Self.token, ["AUTH=OAUTHBEARER"]))
        #expect(
            Data(base64Encoded: bearer.answer)
                == Data(
                    "n,a=a=2Cb=3Dc@x,\u{1}host=imap.example\u{1}port=993\u{1}auth=Bearer t0k\u{1}\u{1}".utf8))
        #expect(bearer.answerToRefusal == "AQ==")
        // A token is never tried as a password.
        #expect(choose(Self.token, ["AUTH=PLAIN"]) == nil)
        #expect(choose(Self.password, ["AUTH=XOAUTH2", "LOGINDISABLED"]) == nil)
        let plain = try #require(choose(Self.password, ["AUTH=PLAIN", "LOGINDISABLED"]))
        #expect(Data(base64Encoded: plain.answer) == Data("\0u\0p\"w".utf8))
        #expect(plain.command(isOneStep: false).parts == [.text("AUTHENTICATE PLAIN")])
        #expect(choose(Self.password, [])?.command(isOneStep: true).parts == [.text("LOGIN u \"p\\\"w\"")])
    }
}
