import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Synchronization
import Testing

@testable import IMAP

/// A submission server that knows one token.
private final class SubmissionServer: ServerSession {
    private let offers: String
    private let said = Mutex("")
    private let hello: String

    init(offers: String = "AUTH XOAUTH2 PLAIN", greeting: String = "220 smtp ready") {
        self.offers = offers
        hello = greeting
    }

    var heard: [String] { said.withLock { $0.split(separator: "\r\n").map(String.init) } }

    func greeting() -> Data { Data("\(hello)\r\n".utf8) }
    func setPush(_ push: @escaping @Sendable (Data) -> Void) {}
    func end() {}

    func take(_ bytes: Data) -> Data? {
        let line = String(decoding: bytes, as: UTF8.self)
        said.withLock { $0 += line }
        let good = Data("user=me@x.test\u{1}auth=Bearer good\u{1}\u{1}".utf8).base64EncodedString()
        let answer =
            switch line.split(separator: " ").first?.uppercased() {
            case "EHLO": "250-smtp at your service\r\n250-\(offers)\r\n250 PIPELINING"
            case "AUTH": line.contains(good) ? "235 2.7.0 Accepted" : "334 eyJzdGF0dXMiOiI0MDEifQ=="
            case "STARTTLS\r\n": "220 go ahead"
            case "QUIT\r\n": "221 bye"
            default: "535-5.7.8 Username and Password not accepted.\r\n535 5.7.8 Learn more"
            }
        return Data("\(answer)\r\n".utf8)
    }
}

/// One that says nothing from some line on.
private final class SilentServer: ServerSession {
    private let inner = SubmissionServer()
    private let lastWord: String?
    let heard = Watched<[String]>([])
    let isReached = Watched(false)

    /// - Parameter lastWord: what is the first that is not answered; nil if it does not even greet.
    init(before lastWord: String?) { self.lastWord = lastWord }

    func greeting() -> Data {
        isReached.withLock { $0 = true }
        return lastWord == nil ? Data() : inner.greeting()
    }

    func setPush(_ push: @escaping @Sendable (Data) -> Void) {}
    func end() {}

    func take(_ bytes: Data) -> Data? {
        let line = String(decoding: bytes, as: UTF8.self)
        heard.withLock { $0.append(String(line.prefix(4))) }
        return lastWord.map { line.hasPrefix($0) } == false ? inner.take(bytes) : Data()
    }
}

/// FR-ACCT-01: receiving and sending are both tried before an account counts as added.
@Suite("An account is tried before it is added") struct TrialTests {
    private func tryOut(
        _ smtp: any ServerSession, token: String = "good", security: TransportSecurity = .tls,
        clock: ManualClock = ManualClock()
    ) async throws {
        let imap = GmailServer()
        let isFirst = Once()
        let network = MemoryNetwork { isFirst.first ? imap.session() : smtp }
        let host = HostServices(
            pluginID: "test", log: PluginLog(least: .error) { _, _ in }, settings: PluginSettings(),
            secrets: FixedSecrets(), dataFolder: URL(filePath: "/tmp"), clock: clock, network: network
        )
        let calls = Watched(0)
        let configuration = IMAPConfiguration(
            imap: MailServer("imap.x.test", port: 993),
            submission: MailServer("smtp.x.test", port: 465, security: security),
            login: .oauth(user: "me@x.test") { _ in Secret(calls.next() == 1 ? "good" : token) })
        do {
            try await configuration.tryOut(host: host)
            #expect(network.open == 0)
        } catch {
            #expect(network.open == 0)
            throw error
        }
    }

    @Test func bothWaysAreTriedAndNothingIsSent() async throws {
        let smtp = SubmissionServer()
        try await tryOut(smtp)
        #expect(smtp.heard.map { $0.prefix(4) } == ["EHLO", "AUTH", "QUIT"])
        let later = SubmissionServer(offers: "STARTTLS\r\n250-AUTH XOAUTH2")
        try await tryOut(later, security: .startTLS)
        #expect(later.heard.map { $0.prefix(4) } == ["EHLO", "STAR", "EHLO", "AUTH", "QUIT"])
    }

    @Test func whatIsWrongIsSaid() async throws {
        await #expect(
            throws: AccountError.authenticationRequired(
                reason: "5.7.8 Username and Password not accepted. 5.7.8 Learn more")
        ) {
            try await tryOut(SubmissionServer(), token: "bad")
        }
        await #expect(
            throws: AccountError.insecure(host: "smtp.x.test", reason: "it does not offer TLS on port 465")
        ) {
            try await tryOut(SubmissionServer(), security: .startTLS)
        }
        await #expect(throws: AccountError.throttled(until: nil)) {
            try await tryOut(SubmissionServer(greeting: "421 too busy"))
        }
        await #expect(throws: AccountError.badAnswer("the outgoing server does not use SMTP")) {
            try await tryOut(SubmissionServer(greeting: "* OK IMAP4 ready"))
        }
        let silent = await #expect(throws: AccountError.self) {
            try await tryOut(SubmissionServer(offers: "AUTH CRAM-MD5"))
        }
        guard case .authenticationRequired? = silent else {
            Issue.record("\(String(describing: silent))")
            return
        }
    }

    /// STARTTLS chosen for a port where TLS begins at once: both sides wait for the other.
    @Test(arguments: [nil, "EHLO", "AUTH"]) func aSilentServerForSendingIsNotWaitedForEver(
        _ lastWord: String?
    ) async throws {
        let clock = ManualClock()
        let server = SilentServer(before: lastWord)
        let trying = Task { try await tryOut(server, clock: clock) }
        await server.isReached.wait { $0 }
        let moving = Task { await clock.keepMoving(by: 5) }
        await #expect(
            throws: AccountError.unreachable(
                host: "smtp.x.test", reason: "it did not respond in time on port 465")
        ) { try await trying.value }
        moving.cancel()
        await moving.value
    }

    @Test func noAnswerToTheFarewellIsWaitedFor() async throws {
        let smtp = SilentServer(before: "QUIT")
        try await tryOut(smtp)
        #expect(smtp.heard.value == ["EHLO", "AUTH", "QUIT"])
    }
}

/// ORG-57: whether the submission server holds messages, as RFC 4865 has it.
@Suite("A service says for how long it holds messages") struct HoldLimitsTests {
    @Test func theLimitsAreRead() {
        #expect(HoldLimits(offers: ["SIZE 1000", "AUTH PLAIN"]) == nil)
        let latest = Date(timeIntervalSince1970: 1_798_761_600)
        #expect(
            HoldLimits(offers: ["FUTURERELEASE 86400 2027-01-01T00:00:00Z"])
                == HoldLimits(maxSeconds: 86_400, latest: latest))
        #expect(HoldLimits(offers: ["FUTURERELEASE 60 SOON"]) == HoldLimits(maxSeconds: 60))
    }

    @Test(arguments: [
        "FUTURERELEASE", "FUTURERELEASE 0", "FUTURERELEASE -5", "FUTURERELEASE 99999999999999999999",
    ])
    func nonsenseIsNoOffer(_ line: String) {
        #expect(HoldLimits(offers: [line]) == nil)
    }
}
