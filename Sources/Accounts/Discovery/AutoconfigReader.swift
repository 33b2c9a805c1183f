import CGMime
import FoundationEssentials
import MailKernelAPI

/// What a configuration file of a mail domain says.
enum AutoconfigAnswer: Sendable, Hashable {
    case found(FoundServers)
    /// Its servers are reached without encryption.
    case unencrypted
}

/// Reads configuration files as Thunderbird defined them (`config-v1.1.xml`).
///
/// GLib's reader knows neither entities of the document's own nor other files, so a document can do nothing but be
/// read.
final class AutoconfigReader {
    private static let sizeLimit = 256 * 1024
    private static let serverLimit = 50
    private static let textLimit = 1_000

    private struct Server {
        var isIncoming: Bool
        var type: String
        var values: [String: String] = [:]
        var authentication: [String] = []
    }

    private var path: [String] = []
    private var text = ""
    private var servers: [Server] = []
    private var issuer: String?

    /// - Returns: nil for anything but such a file.
    static func read(_ bytes: Data, for domain: MailDomain) -> AutoconfigAnswer? {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let bytes = bytes.starts(with: mark) ? bytes.dropFirst(3) : bytes[...]
        guard (1...sizeLimit).contains(bytes.count) else { return nil }
        let reader = AutoconfigReader()
        guard reader.parse(Array(bytes)) else { return nil }
        return reader.answer(for: domain)
    }

    private func parse(_ bytes: [UInt8]) -> Bool {
        var parser = GMarkupParser()
        parser.start_element = { _, name, names, values, me, _ in
            AutoconfigReader.this(me)?.begin(name, names, values)
        }
        parser.end_element = { _, _, me, _ in AutoconfigReader.this(me)?.end() }
        parser.text = { _, text, size, me, _ in
            guard let text, let reader = AutoconfigReader.this(me) else { return }
            let count = min(Int(size), AutoconfigReader.textLimit)
            reader.text += text.withMemoryRebound(to: UInt8.self, capacity: count) {
                String(decoding: UnsafeBufferPointer(start: $0, count: count), as: UTF8.self)
            }
        }
        let me = Unmanaged.passUnretained(self).toOpaque()
        return withUnsafePointer(to: &parser) { parser in
            guard let context = g_markup_parse_context_new(parser, G_MARKUP_TREAT_CDATA_AS_TEXT, me, nil)
            else { return false }
            defer { g_markup_parse_context_free(context) }
            return bytes.withUnsafeBytes { bytes in
                g_markup_parse_context_parse(
                    context, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, nil) != 0
                    && g_markup_parse_context_end_parse(context, nil) != 0
            }
        }
    }

    private static func this(_ context: gpointer?) -> AutoconfigReader? {
        context.map { Unmanaged<AutoconfigReader>.fromOpaque($0).takeUnretainedValue() }
    }

    private func begin(
        _ name: UnsafePointer<CChar>?, _ names: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
        _ values: UnsafeMutablePointer<UnsafePointer<CChar>?>?
    ) {
        let name = name.map { String(cString: $0) } ?? ""
        path.append(name)
        text = ""
        guard path.count == 3, path[0] == "clientConfig", servers.count < Self.serverLimit,
            ["incomingServer", "outgoingServer"].contains(name)
        else { return }
        var (index, type) = (0, "")
        while let attribute = names?[index], let value = values?[index] {
            if String(cString: attribute) == "type" { type = String(cString: value).lowercased() }
            index += 1
        }
        servers.append(Server(isIncoming: name == "incomingServer", type: type))
    }

    private func end() {
        let name = path.popLast() ?? ""
        let value = String(
            text.prefix(Self.textLimit).drop(while: \.isWhitespace).reversed()
                .drop(while: \.isWhitespace).reversed())
        text = ""
        if name == "issuer", path.last == "oAuth2" { issuer = issuer ?? value }
        guard path.count == 3, ["incomingServer", "outgoingServer"].contains(path[2]), !servers.isEmpty else {
            return
        }
        let last = servers.count - 1
        if name == "authentication" {
            if servers[last].authentication.count < 10 { servers[last].authentication.append(value) }
        } else if servers[last].values[name] == nil, servers[last].values.count < 20 {
            servers[last].values[name] = value
        }
    }

    // MARK: What it says

    private func answer(for domain: MailDomain) -> AutoconfigAnswer? {
        let imap = servers.filter { $0.isIncoming && $0.type == "imap" }
        let incoming = imap.isEmpty ? servers.filter(Self.isUsualPOP3) : imap
        let outgoing = servers.filter { !$0.isIncoming && $0.type == "smtp" }
        guard !incoming.isEmpty, !outgoing.isEmpty else { return nil }
        guard let best = Self.best(incoming, domain), let sender = Self.best(outgoing, domain) else {
            return .unencrypted
        }
        var found = FoundServers(incoming: best.server, submission: sender.server)
        found.userName = Self.filled(best.from.values["username"] ?? "", domain)
        let ways = best.from.authentication
        let isPassword = ways.isEmpty || ways.contains { Self.passwords.contains($0.lowercased()) }
        let issuer = issuer.flatMap { URL(string: $0.contains("://") ? $0 : "https://" + $0) }
        if ways.contains(where: { $0.lowercased() == "oauth2" }), let issuer {
            found.authentication.append(.oauth(issuer: issuer))
        }
        if isPassword { found.authentication.append(.password) }
        return .found(found)
    }

    private static let passwords: Set<String> = [
        "password-cleartext", "plain", "password-encrypted", "secure",
    ]

    /// On another port it could not be told from IMAP later.
    private static func isUsualPOP3(_ server: Server) -> Bool {
        let port = server.values["port"].flatMap { Int($0) }
        return server.isIncoming && server.type == "pop3"
            && port.map(FoundServers.pop3Ports.contains) ?? false
    }

    /// The first server with TLS from the start, or else the first with STARTTLS.
    private static func best(
        _ servers: [Server], _ domain: MailDomain
    ) -> (server: DiscoveredServer, from: Server)? {
        for (socket, security) in [("SSL", TransportSecurity.tls), ("STARTTLS", .startTLS)] {
            for server in servers where server.values["socketType"]?.uppercased() == socket {
                guard let port = server.values["port"].flatMap({ Int($0) }) else { continue }
                // The name before the @ belongs into no look-up of a host.
                let host = (server.values["hostname"] ?? "").replacing("%EMAILDOMAIN%", with: domain.name)
                    .lowercased()
                return (DiscoveredServer(host, port: port, security: security), server)
            }
        }
        return nil
    }

    private static func filled(_ text: String, _ domain: MailDomain) -> String {
        text.replacing("%EMAILADDRESS%", with: domain.address)
            .replacing("%EMAILLOCALPART%", with: domain.localPart)
            .replacing("%EMAILDOMAIN%", with: domain.name)
    }
}
