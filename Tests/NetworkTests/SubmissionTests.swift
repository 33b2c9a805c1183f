import Foundation
import MailKernelAPI
import Synchronization
import TestSupport
import Testing

@testable import Network

/// FR-SYNC-07: 465 with TLS or 587 with STARTTLS; what the server refuses is shown in its own words.
@Suite("Submission, to aiosmtpd and to a server that breaks off", .timeLimit(.minutes(10)))
struct SubmissionTests {
    private static let token = "ya29.a-token-that-nobody-may-see"
    private static let login = SMTPSubmission.Login.oauth(user: "ana@mail.test", token: Secret(token))
    private static let password = SMTPSubmission.Login.password(
        user: "ana@mail.test", password: Secret("correct horse"))

    private func submit(
        _ bench: Bench, _ server: String, to recipients: [String], login: SMTPSubmission.Login = Self.login,
        security: TransportSecurity = .tls,
        message: any ByteSource = DataSource(Data("Subject: a\r\n\r\nb\r\n".utf8)),
        holdUntil: Date? = nil
    ) async throws -> SMTPOutcome {
        try await bench.access().submit(
            message,
            SMTPSubmission(
                endpoint: Endpoint(host: "localhost", port: bench.servers.port(server)), security: security,
                login: login,
                envelope: Envelope(mailFrom: "ana@mail.test", rcptTo: recipients, holdUntil: holdUntil),
                purpose: "send a message"))
    }

    private struct Received: Decodable {
        let from: String
        let to: [String]
        let options: [String]
        let bytes: Data
        let user: String
    }

    /// What aiosmtpd took for a recipient that only this test uses.
    private func received(_ bench: Bench, by recipient: String) async throws -> [Received] {
        let stream = try await bench.access().connect(
            to: Endpoint(host: "localhost", port: bench.servers.port("received")), security: .startTLS,
            purpose: "a test")
        var all = Data()
        while let more = try await stream.read(upTo: .max) { all.append(more) }
        await stream.close()
        return try JSONDecoder().decode([Received].self, from: all).filter { $0.to.contains(recipient) }
    }

    @Test(arguments: [TransportSecurity.tls, .startTLS], [Self.login, Self.password])
    func aMessageArrivesAsItWas(_ security: TransportSecurity, _ login: SMTPSubmission.Login) async throws {
        let bench = try await Bench()
        let recipient = "\(UUID().uuidString)@mail.test"
        let text = "Subject: dots\r\n\r\n.one\r\n..two\r\n.\r\nend"
        let outcome = try await submit(
            bench, security == .tls ? "submission" : "submissionUpgrade", to: [recipient], login: login,
            security: security, message: DataSource(Data(text.utf8)))
        guard case .accepted(let reply, let refused) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(reply.code == 250 && reply.enhancedCode == "2.0.0" && reply.text.hasPrefix("Taken as"))
        #expect(refused.isEmpty)
        let messages = try await received(bench, by: recipient)
        #expect(messages.count == 1)
        #expect(messages.first?.bytes == Data((text + "\r\n").utf8))
        #expect(messages.first?.from == "ana@mail.test")
        #expect(bench.ledger.open.isEmpty)
    }

    @Test func lettersBeyondASCIIAreAnnounced() async throws {
        let bench = try await Bench()
        let recipient = "\(UUID().uuidString)@mail.test"
        let body = DataSource(Data("Subject: a\r\n\r\nGrüße\r\n".utf8))
        guard case .accepted = try await submit(bench, "submission", to: [recipient], message: body) else {
            Issue.record("it was not taken")
            return
        }
        let first = try await received(bench, by: recipient)
        #expect(first.first?.options.contains("BODY=8BITMIME") == true)
        #expect(first.first?.options.contains("SMTPUTF8") == false)
        let header = DataSource(Data("Subject: Grüße\r\n\r\na\r\n".utf8))
        _ = try await submit(bench, "submission", to: [recipient], message: header)
        #expect(try await received(bench, by: recipient).last?.options.contains("SMTPUTF8") == true)
    }

    /// ORG-57: a server that holds messages is told until when; another gets nothing.
    @Test func aMessageIsHeldOrRefused() async throws {
        let bench = try await Bench()
        let date = Date(timeIntervalSince1970: 1_798_794_000)
        let held = try await submit(
            bench, "breaking", to: ["sender@mail.test"], login: Self.password, holdUntil: date)
        guard case .accepted(let reply, _) = held else {
            Issue.record("\(held)")
            return
        }
        #expect(reply.text.hasSuffix("HOLDUNTIL=2027-01-01T09:00:00Z"))
        let recipient = "\(UUID().uuidString)@mail.test"
        let refused = try await submit(bench, "submission", to: [recipient], holdUntil: date)
        guard case .rejected(let reply, _) = refused else {
            Issue.record("\(refused)")
            return
        }
        #expect(reply.text == "localhost does not hold messages for later delivery.")
        #expect(try await received(bench, by: recipient).isEmpty)
    }

    @Test func whoIsRefusedIsNamedAndTheOthersGetIt() async throws {
        let bench = try await Bench()
        let recipient = "\(UUID().uuidString)@mail.test"
        let outcome = try await submit(
            bench, "submission", to: ["nobody@mail.test", recipient, "later@mail.test"])
        guard case .accepted(_, let refused) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(
            refused == [
                "nobody@mail.test": SMTPReply(
                    code: 550, enhancedCode: "5.1.1", text: "There is no such user"),
                "later@mail.test": SMTPReply(code: 451, enhancedCode: "4.2.1", text: "Try later"),
            ])
        #expect(try await received(bench, by: recipient).map(\.to) == [[recipient]])
    }

    @Test func nobodyLeftMeansNobodyGotIt() async throws {
        let bench = try await Bench()
        let reply = SMTPReply(code: 550, enhancedCode: "5.1.1", text: "There is no such user")
        #expect(
            try await submit(bench, "submission", to: ["nobody@mail.test"])
                == .rejected(reply, refused: ["nobody@mail.test": reply]))
    }

    @Test func aRefusedMessageIsRejectedInTheServersWords() async throws {
        let bench = try await Bench()
        #expect(
            try await submit(bench, "submission", to: ["spam@mail.test"])
                == .rejected(
                    SMTPReply(code: 554, enhancedCode: "5.7.1", text: "This looks like spam"), refused: [:]))
    }

    @Test func aMessageThatIsTooLargeIsNotSent() async throws {
        let bench = try await Bench()
        let outcome = try await submit(
            bench, "submission", to: ["a@mail.test"], message: DataSource(Data(count: 1_000_001)))
        guard case .rejected(let reply, _) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(reply.code == 552 && reply.text.contains("1000001"))
    }

    @Test(
        arguments: [
            SMTPSubmission.Login.oauth(user: "ana@mail.test", token: Secret("wrong-token-wrong-token")),
            .password(user: "ana@mail.test", password: Secret("wrong-password")),
        ])
    func aRefusedLoginSaysWhatTheServerSaidAndNeverTheSecret(_ login: SMTPSubmission.Login) async throws {
        let bench = try await Bench()
        let failed = await failure {
            try await submit(bench, "submission", to: ["a@mail.test"], login: login)
        }
        guard case .loginRefused("localhost", let reply) = failed else {
            Issue.record("\(String(describing: failed))")
            return
        }
        #expect(reply.hasPrefix("535 5.7.8"))
        let secret =
            switch login {
            case .oauth(_, let token): token.revealed
            case .password(_, let password): password.revealed
            }
        let forms = [secret, String(Data(secret.utf8).base64EncodedString().prefix(12))]
        for form in forms { #expect(!reply.contains(form)) }
        // aiosmtpd repeats the whole answer, encoded.
        if case .oauth = login { #expect(reply.contains("You said …")) }
    }

    @Test func withoutSTARTTLSNothingOfWorthIsSent() async throws {
        let bench = try await Bench()
        let port = bench.servers.port("noUpgrade")
        #expect(
            await failure {
                try await submit(bench, "noUpgrade", to: ["a@mail.test"], security: .startTLS)
            } == .insecure(host: "localhost", reason: "it does not offer STARTTLS on port \(port)"))
    }

    @Test(arguments: ["drop-data", "drop-message"])
    func aConnectionLostBeforeTheFinalDotIsSafeToRepeat(_ manner: String) async throws {
        let bench = try await Bench()
        // Larger than what fits into buffers on the way, so that the loss is noticed before the dot.
        let message = DataSource(Data(String(repeating: "line\r\n", count: 3_000_000).utf8))
        #expect(
            await failure {
                try await submit(
                    bench, "breaking", to: ["\(manner)@mail.test"], login: Self.password, message: message)
            } == .closed(host: "localhost"))
    }

    @Test func aConnectionLostAfterTheFinalDotIsUnknown() async throws {
        let bench = try await Bench()
        #expect(
            try await submit(bench, "breaking", to: ["drop-dot@mail.test"], login: Self.password) == .unknown)
    }

    @Test func silenceAfterTheFinalDotIsUnknown() async throws {
        var patience = Patience.patient
        patience.verdict = .milliseconds(300)
        let bench = try await Bench(patience: patience)
        #expect(
            try await submit(bench, "breaking", to: ["silent-dot@mail.test"], login: Self.password)
                == .unknown)
    }

    @Test func noiseAfterTheFinalDotIsUnknown() async throws {
        let bench = try await Bench()
        #expect(
            try await submit(bench, "breaking", to: ["garbage-dot@mail.test"], login: Self.password)
                == .unknown)
    }

    @Test func aServerThatHasHeardEnoughIsBelieved() async throws {
        let bench = try await Bench()
        let message = DataSource(Data(String(repeating: "line\r\n", count: 10_000).utf8))
        let outcome = try? await submit(
            bench, "breaking", to: ["early@mail.test"], login: Self.password, message: message)
        #expect(
            outcome
                == .rejected(
                    SMTPReply(code: 552, enhancedCode: "5.3.4", text: "That is enough"), refused: [:]))
    }

    @Test func aMessageThatCannotBeReadIsNotHalfSent() async throws {
        struct Broken: ByteSource {
            struct Gone: Error {}
            let lines = Data(String(repeating: "line\r\n", count: 150_000).utf8)
            var size: Int { lines.count }
            let beginnings = Counter()

            func read(at offset: Int, count: Int) async throws -> Data {
                // The first time round it is only looked at.
                if offset == 0 { beginnings.next() }
                if beginnings.value == 2, offset > 0 { throw Gone() }
                return Data(lines.dropFirst(offset).prefix(count))
            }
        }
        let bench = try await Bench()
        let recipient = "\(UUID().uuidString)@mail.test"
        let failed = await failure {
            try await submit(bench, "submission", to: [recipient], message: Broken())
        }
        guard case .local = failed else {
            Issue.record("\(String(describing: failed))")
            return
        }
        #expect(try await received(bench, by: recipient).isEmpty)
    }

    @Test(arguments: ["a@b.test>\r\nRCPT TO:<c@d.test", "a b@c.test", "", "a@b.test\u{0}"])
    func anAddressCannotBringACommand(_ address: String) async throws {
        let bench = try await Bench()
        guard case .local = await failure({ try await submit(bench, "submission", to: [address]) }) else {
            Issue.record("it was sent")
            return
        }
        #expect(bench.entries.isEmpty)
    }
}

final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    @discardableResult
    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}

@Suite("SMTP as values") struct SMTPValueTests {
    @Test func repliesAreReadByteByByte() throws {
        var reader = SMTPReplyReader()
        var replies: [SMTPReply] = []
        for byte in Data("250-mail.test\r\n250 SIZE 10\r\n550-5.1.1 No\r\n550 5.1.1 such user\n354\r\n".utf8)
        {
            reader.append(Data([byte]))
            while let reply = try reader.next() { replies.append(reply.shown) }
        }
        #expect(
            replies == [
                SMTPReply(code: 250, text: "mail.test SIZE 10"),
                SMTPReply(code: 550, enhancedCode: "5.1.1", text: "No such user"),
                SMTPReply(code: 354, text: ""),
            ])
    }

    @Test(
        arguments: [
            "hello\r\n", "25\r\n", "250x\r\n", "250-a\r\n251 b\r\n", "199 a\r\n", "999 a\r\n",
            "250 " + String(repeating: "a", count: 9_000),
            String(repeating: "250-a\r\n", count: 300),
        ])
    func whatIsNoReplyIsRefused(_ text: String) {
        var reader = SMTPReplyReader()
        reader.append(Data(text.utf8))
        #expect(throws: SMTPSyntaxError.self) { while try reader.next() != nil {} }
    }

    @Test(
        arguments: [
            ("a\r\n", "a\r\n"), ("a", "a\r\n"), ("a\nb\r", "a\r\nb\r\n"), (".", "..\r\n"),
            ("a\r\n.\r\nb", "a\r\n..\r\nb\r\n"),
            ("a\n.\n", "a\r\n..\r\n"), ("a\r.\r", "a\r\n..\r\n"), ("", ""), ("a.b\r\n\r\n", "a.b\r\n\r\n"),
        ])
    func linesAndDotsAreAsSMTPWantsThem(_ text: String, _ expected: String) {
        // In pieces of every size, since a line can end anywhere.
        for size in 1...max(1, text.utf8.count) {
            var encoder = SMTPText()
            var encoded = Data()
            var rest = Data(text.utf8)
            while !rest.isEmpty {
                encoded.append(encoder.encode(Data(rest.prefix(size))))
                rest = Data(rest.dropFirst(size))
            }
            encoded.append(encoder.finish())
            #expect(encoded == Data(expected.utf8), "in pieces of \(size)")
        }
    }
}
