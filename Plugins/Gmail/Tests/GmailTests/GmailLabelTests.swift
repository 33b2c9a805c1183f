import FoundationEssentials
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

@testable import Gmail

/// Mail is on a server in memory that has Gmail's extensions; signing in goes to the real OAuth server, and
/// what is submitted comes into the mailbox, as with Gmail.
private struct LabelNetwork: OfflineNetwork {
    let service: MailService
    let server: GmailServer
    let mail: MemoryNetwork

    init(_ service: MailService) {
        self.service = service
        var settings = GmailServer.Settings()
        settings.isToken = { $0.hasPrefix("ya29.") }
        let server = GmailServer(settings)
        self.server = server
        mail = MemoryNetwork { server.session() }
    }

    func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        try await service.network.send(request)
    }

    func connect(
        to endpoint: Endpoint, security: TransportSecurity, purpose: String
    ) async throws(NetworkError) -> any ByteStream {
        if endpoint.port == service.place.submissions {
            return try await service.network.connect(to: endpoint, security: security, purpose: purpose)
        }
        return try await mail.connect(to: endpoint, security: security, purpose: purpose)
    }

    func submit(
        _ message: any ByteSource, _ submission: SMTPSubmission
    ) async throws(NetworkError) -> SMTPOutcome {
        var network = service.network
        network.deliver = { [server] recipient, message in
            guard !recipient.contains("nobody") else { return false }
            let text = String(decoding: try await message.wholeBytes(), as: UTF8.self)
            server.deliver(text)
            server.deliver(text, to: "[Gmail]/Sent Mail")
            return true
        }
        return try await network.submit(message, submission)
    }
}

/// FR-SYNC-01: one copy of a message with its labels.
@Suite(
    "A Gmail account with labels keeps what accounts promise",
    .enabled(if: MailService.isInstalled, "dovecot-imapd is not installed"))
struct GmailLabelTests {
    /// It asks for no address when it signs in again, and imports nothing.
    private static let leftOut = ConformanceCase.forAccountsThatTakeNoMail.union([
        "signingInAgainOffersTheAddress", "aDemoAsksNothing", "importingAgainAddsNothing",
        "oneBadMessageStopsNoImport", "importedMailIsThere", "anEmptyImportHasNoOutcomes",
        "importingPutsIntoFurtherMailboxes", "withoutSearchItIsUnsupported", "withoutReadingItIsUnsupported",
        "withoutSubmissionItIsUnsupported", "zeroBytesComeBack", "partsComeDecoded",
    ])

    @Test(arguments: ConformanceCase.all(.account))
    func keeps(_ promise: ConformanceCase) async throws {
        let service = try await MailService.gmail()
        let client = try await service.newClient()
        let network = LabelNetwork(service)
        let answers = [
            "address": Secret("me@gmail.test"), "clientId": Secret(client.id),
            "clientSecret": Secret(client.secret),
        ]
        let subject = ConformanceSubject(
            settings: service.settings(["imap": ["host": "imap.gmail.test", "port": 993]]),
            formAnswers: answers, browser: { try await service.visit($0, as: "me@gmail.test") },
            network: network, makeProvider: { .account(GmailProvider($0)) })
        let verdict = try await promise.check(subject)
        #expect(Self.leftOut.contains(promise.name) == (verdict != .kept), "\(verdict)")
        #expect(network.mail.mostOpen <= 10, "two sessions at once, of five connections each")
    }
}
