import FoundationEssentials
import MailKernelAPI
import Testing

@testable import Accounts

/// ACC-116: a domain whose configuration file names POP3 only leads to the form for it.
@Suite("A mail service with POP3 only") struct PopDiscoveryTests {
    private static func server(
        _ type: String, _ host: String, _ port: Int, _ socket: String, isIncoming: Bool = true
    ) -> String {
        let name = isIncoming ? "incomingServer" : "outgoingServer"
        return """
            <\(name) type="\(type)"><hostname>\(host)</hostname><port>\(port)</port>
            <socketType>\(socket)</socketType><username>%EMAILLOCALPART%</username>
            <authentication>password-cleartext</authentication></\(name)>
            """
    }

    private func read(_ incoming: String) -> AutoconfigAnswer? {
        let smtp = Self.server("smtp", "smtp.lovelace.example", 465, "SSL", isIncoming: false)
        let file = "<clientConfig><emailProvider>\(incoming)\(smtp)</emailProvider></clientConfig>"
        return MailDomain(address: "ada@lovelace.example").flatMap {
            AutoconfigReader.read(Data(file.utf8), for: $0)
        }
    }

    private func found(_ incoming: String) throws -> FoundServers {
        guard case .found(let servers)? = read(incoming) else { throw CancellationError() }
        return servers
    }

    @Test func isTakenIfThereIsNothingElse() throws {
        let pop = Self.server("pop3", "pop.lovelace.example", 995, "SSL")
        let servers = try found(pop)
        #expect(servers.incoming == DiscoveredServer("pop.lovelace.example", port: 995))
        #expect(servers.isPOP3 && servers.hasMail && servers.userName == "ada")
        let domain = try #require(MailDomain(address: "ada@lovelace.example"))
        #expect(
            Finding(servers: servers, origin: .file(domain.name)).line(for: domain)
                == "POP3 at pop.lovelace.example and SMTP at smtp.lovelace.example over TLS, according to "
                + "lovelace.example")
        let startTLS = try found(Self.server("pop3", "pop.lovelace.example", 110, "STARTTLS"))
        #expect(startTLS.incoming?.security == .startTLS && startTLS.isPOP3)
        let both = try found(pop + Self.server("imap", "imap.lovelace.example", 993, "SSL"))
        #expect(both.incoming?.endpoint.host == "imap.lovelace.example" && !both.isPOP3)
    }

    @Test func isNotTakenWithoutEncryptionOrOnAnotherPort() {
        #expect(read(Self.server("pop3", "pop.lovelace.example", 110, "plain")) == .unencrypted)
        #expect(read(Self.server("pop3", "pop.lovelace.example", 1_995, "SSL")) == nil)
    }
}
