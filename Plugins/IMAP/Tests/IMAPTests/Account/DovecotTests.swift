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
    var compression = IMAPBehaviour.Compression.never
    var wholeMessageLimit = 128 * 1_024

    func subject() async throws -> ConformanceSubject {
        let servers = try await MailServers.shared()
        let address = MailServers.newAddress()
        var behaviour = IMAPBehaviour()
        behaviour.ignoredCapabilities = lacks
        behaviour.compression = compression
        behaviour.wholeMessageLimit = wholeMessageLimit
        let secret = way == .oauth ? MailServers.token(for: address) : MailServers.password
        return ConformanceSubject(
            settings: PluginSettings(), formAnswers: ["address": Secret(address), "secret": secret],
            network: servers.network
        ) { [way, behaviour] host in
            .account(DovecotProvider(servers: servers, way: way, behaviour: behaviour, host: host))
        }
    }

    static let all = [
        DovecotKind(testDescription: "all extensions"),
        DovecotKind(testDescription: "a password, TLS begun later", way: .startTLS),
        DovecotKind(testDescription: "compressed, parts only", compression: .always, wholeMessageLimit: 0),
        DovecotKind(testDescription: "no QRESYNC", lacks: ["QRESYNC"]),
        DovecotKind(
            testDescription: "bare IMAP",
            lacks: [
                "QRESYNC", "CONDSTORE", "MOVE", "UIDPLUS", "ESEARCH", "LIST-STATUS", "SPECIAL-USE",
                "LITERAL+", "IDLE", "UNSELECT", "NAMESPACE", "ENABLE",
            ]),
    ]
}

@Suite("An account on Dovecot keeps what accounts promise", .enabled(if: MailServers.isInstalled))
struct DovecotPromises {
    @Test(arguments: DovecotKind.all, ConformanceCase.all(.account))
    func keep(_ kind: DovecotKind, _ promise: ConformanceCase) async throws {
        _ = try await promise.check(try await kind.subject())
    }
}
