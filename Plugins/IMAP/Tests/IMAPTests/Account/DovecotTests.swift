import FoundationEssentials
import IMAP
import IMAPTestSupport
import MailKernelAPI
import MailKernelConformance
import Testing

/// A Dovecot that offers more or less, and the promises that do not apply to it then.
struct DovecotKind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var way = DovecotProvider.Way.oauth
    var lacks: Set<String> = []
    var compression = IMAPBehavior.Compression.never
    var wholeMessageLimit = 128 * 1_024
    var sends = false
    /// The promises that do not apply to it, by their names.
    var leavesOut: Set<String> = []

    static let always = ConformanceCase.forAccountsThatTakeNoMail.union([
        "labelsAreTold", "deletingAMailboxSparesLabeledMail", "withoutSearchItIsUnsupported",
        "withoutReadingItIsUnsupported",
        "zeroBytesComeBack", "aDemoAsksNothing", "anEmptyImportHasNoOutcomes", "importedMailIsThere",
        "importingAgainAddsNothing", "importingPutsIntoFurtherMailboxes", "oneBadMessageStopsNoImport",
    ])
    /// Small mail comes as a whole.
    static let whole: Set = ["partsComeDecoded"]
    static let unsent: Set = [
        "mailToOneselfArrives", "aRefusedRecipientIsNamed", "nobodyToSendToIsRejected",
        "aBrokenMessageIsNotSent",
    ]
    static let unwatched: Set = [
        "watchingBeginsWithListening", "watchingTellsOfNewMail", "closingEndsWatching",
    ]

    func subject() async throws -> ConformanceSubject {
        let servers = try await MailServers.shared()
        let address = MailServers.newAddress()
        var behavior = IMAPBehavior()
        behavior.ignoredCapabilities = lacks
        behavior.compression = compression
        behavior.wholeMessageLimit = wholeMessageLimit
        var network = servers.network
        network.deliver = { recipient, message in
            guard !recipient.contains("nobody") else { return false }
            try await PlainClient(servers, address: recipient).append([message.wholeBytes()], to: "INBOX")
            return true
        }
        let secret = way == .oauth ? MailServers.token(for: address) : MailServers.password
        return ConformanceSubject(
            settings: PluginSettings(), formAnswers: ["address": Secret(address), "secret": secret],
            network: network
        ) { [way, behavior, sends] host in
            .account(
                DovecotProvider(
                    servers: servers, way: way, behavior: behavior, sends: sends, host: host))
        }
    }

    static let all = [
        DovecotKind(
            testDescription: "all extensions", sends: true,
            leavesOut: whole.union(["withoutSubmissionItIsUnsupported"])),
        DovecotKind(
            testDescription: "a password, TLS begun later", way: .startTLS, leavesOut: whole.union(unsent)),
        DovecotKind(
            testDescription: "compressed, parts only", compression: .always, wholeMessageLimit: 0,
            leavesOut: unsent),
        DovecotKind(testDescription: "no QRESYNC", lacks: ["QRESYNC"], leavesOut: whole.union(unsent)),
        DovecotKind(
            testDescription: "bare IMAP",
            lacks: [
                "QRESYNC", "CONDSTORE", "MOVE", "UIDPLUS", "ESEARCH", "LIST-STATUS", "SPECIAL-USE",
                "LITERAL+", "IDLE", "UNSELECT", "NAMESPACE", "ENABLE",
            ], leavesOut: whole.union(unsent).union(unwatched)),
    ]
}

@Suite(
    "An account on Dovecot keeps what accounts promise",
    .enabled(if: MailServers.isInstalled, "dovecot-imapd is not installed"))
struct DovecotPromises {
    @Test(arguments: DovecotKind.all, ConformanceCase.all(.account))
    func keep(_ kind: DovecotKind, _ promise: ConformanceCase) async throws {
        let verdict = try await Turnstile.dovecot.pass { try await promise.check(try await kind.subject()) }
        let isLeftOut = kind.leavesOut.union(DovecotKind.always).contains(promise.name)
        #expect(isLeftOut == (verdict != .kept), "\(verdict)")
    }
}
