import FoundationEssentials
import MailKernelAPI

/// What one source says about the servers of a domain.
struct FoundServers: Sendable, Hashable {
    var incoming: DiscoveredServer?
    var submission: DiscoveredServer?
    var jmap: URL?
    /// Nil for the address.
    var userName: String?
    var authentication: [DiscoveredService.Authentication] = []

    /// Where people sign in with the browser.
    var issuer: URL? { authentication.lazy.compactMap(\.issuer).first }

    var hasMail: Bool { incoming != nil && submission != nil }

    /// The ports of POP3, which have no other use: the plugin tells by them that it is not IMAP.
    static let pop3Ports = [995, 110]

    /// Whether mail can only be fetched there, without folders.
    var isPOP3: Bool { incoming.map { Self.pop3Ports.contains($0.endpoint.port) } ?? false }

    /// The hosts that a password may be sent to.
    func hosts(through chosen: MailProtocol) -> [String] {
        switch chosen {
        case .imap:
            [incoming, submission].compactMap { $0?.endpoint.host }.reduce(into: []) { hosts, host in
                if !hosts.contains(host) { hosts.append(host) }
            }
        case .jmap: [jmap?.host].compactMap(\.self)
        }
    }

    /// The same, and the host where people sign in with the browser.
    func allHosts(through chosen: MailProtocol) -> [String] {
        let hosts = hosts(through: chosen)
        guard let issuer = issuer?.host?.lowercased(), !hosts.contains(issuer) else { return hosts }
        return hosts + [issuer]
    }

    /// Only servers that can be on the internet and speak TLS.
    var safe: FoundServers {
        func isSafe(_ server: DiscoveredServer) -> Bool {
            MailDomain.isPublicHost(server.endpoint.host) && (1...65_535).contains(server.endpoint.port)
        }
        var safe = self
        safe.incoming = incoming.flatMap { isSafe($0) ? $0 : nil }
        safe.submission = submission.flatMap { isSafe($0) ? $0 : nil }
        safe.jmap = jmap.flatMap { Self.isSafe($0) ? $0 : nil }
        safe.authentication = authentication.filter {
            if case .oauth(let issuer) = $0 { Self.isSafe(issuer) } else { true }
        }
        let isName = userName.map { user in
            (1...254).contains(user.utf8.count)
                && user.unicodeScalars.allSatisfy { $0.value >= 32 && !(127...159).contains($0.value) }
        }
        if isName != true { safe.userName = nil }
        return safe
    }

    private static func isSafe(_ url: URL) -> Bool {
        url.scheme == "https" && url.user == nil && url.password == nil
            && url.absoluteString.utf8.count <= 2_000
            && url.host.map { MailDomain.isPublicHost($0.lowercased()) } ?? false
    }
}

extension DiscoveredService.Authentication {
    var issuer: URL? { if case .oauth(let issuer) = self { issuer } else { nil } }
}

extension DiscoveredService {
    /// Where people sign in with the browser; nil if the service names no such place.
    var issuer: URL? { authentication.lazy.compactMap(\.issuer).first }
}
