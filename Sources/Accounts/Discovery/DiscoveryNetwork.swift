import FoundationEssentials
import MailKernelAPI
import Network

/// The network of discovery. Every answer is bounded in size, time and redirects.
package struct DiscoveryNetwork: Sendable {
    private static let redirectLimit = 3
    private static let sizeLimit = 256 * 1024
    static let purpose = "find the mail service"

    /// Nil if names cannot be looked up without going past a proxy.
    let names: (any NameLookup)?
    /// Follows no redirects itself; nil where there is no network.
    private let web: (any PluginNetwork)?
    private let patience: Duration
    /// Learns whether anything responds.
    private var contact: Contact?

    package init(
        names: (any NameLookup)?, web: (any PluginNetwork)?, patience: Duration = .seconds(5)
    ) {
        self.names = names
        self.web = web
        self.patience = patience
    }

    /// No server can be asked.
    package static let none = DiscoveryNetwork(names: nil, web: nil)

    var isThere: Bool { web != nil }

    /// The same, for one search.
    func noting(_ contact: Contact) -> DiscoveryNetwork {
        var network = self
        network.contact = contact
        return network
    }

    func records(_ name: String, _ kind: NameRecordKind) async -> [NameRecord] {
        guard let records = await names?.records(name, kind, purpose: Self.purpose) else { return [] }
        contact?.responded()
        return records
    }

    /// Nil if no answer came.
    private func answer(to url: URL) async -> HTTPResponse? {
        guard let web else { return nil }
        do throws(NetworkError) {
            let answer = try await web.send(
                HTTPRequest("GET", url, purpose: Self.purpose, silence: patience))
            contact?.responded()
            return answer
        } catch {
            contact?.failed(error)
            return nil
        }
    }

    /// The file at an address; nil if there is none. The certificate is verified as always.
    ///
    /// Redirects are followed over https within `domain` only: the user agreed to ask that, and no other.
    func file(_ address: String, of domain: String) async -> Data? {
        guard let start = URL(string: address) else { return nil }
        return await Self.within(patience) {
            var url = start
            for _ in 0...Self.redirectLimit {
                guard url.scheme == "https", let host = url.host?.lowercased(),
                    host == domain || host.hasSuffix("." + domain), MailDomain.isPublicHost(host),
                    url.port == nil || url.port == 443
                else { return nil }
                guard let answer = await answer(to: url) else { return nil }
                if answer.status == 200 {
                    return answer.body.count <= Self.sizeLimit ? answer.body : nil
                }
                guard [301, 302, 303, 307, 308].contains(answer.status),
                    let next = answer.headers["location"].flatMap({ URL(string: $0, relativeTo: url) })
                else { return nil }
                url = next.absoluteURL
            }
            return nil
        } ?? nil
    }

    /// Where a domain offers JMAP (RFC 8620, section 2.2), if it does so at the usual place.
    ///
    /// Without a password, most services answer that one is missing. A web server that answers so to
    /// everything offers nothing.
    func jmapSession(of domain: MailDomain) async -> URL? {
        guard let start = URL(string: "https://\(domain.name)/.well-known/jmap") else { return nil }
        let isThere = await Self.within(patience) {
            var url = start
            for _ in 0...Self.redirectLimit {
                guard let answer = await answer(to: url) else { return false }
                switch answer.status {
                case 200: return Self.isSession(answer.body)
                case 401: return await !refusesEverything(url)
                case 301, 302, 303, 307, 308: break
                default: return false
                }
                let next = answer.headers["location"].flatMap { URL(string: $0, relativeTo: url) }
                guard let next = next?.absoluteURL, next.scheme == "https", next.port ?? 443 == 443,
                    let host = next.host?.lowercased(), MailDomain.isPublicHost(host)
                else { return false }
                // Another host is not asked here. A website that has moved keeps the path.
                guard domain.contains(host) else {
                    return next.path.contains("jmap") && next.path != start.path
                }
                url = next
            }
            return false
        }
        return isThere == true ? start : nil
    }

    private static func isSession(_ body: Data) -> Bool {
        guard body.count <= sizeLimit, let json = try? JSONDecoder().decode(JSONValue.self, from: body)
        else { return false }
        return json["apiUrl"]?.stringValue != nil && json["capabilities"]?.objectValue != nil
    }

    private func refusesEverything(_ url: URL) async -> Bool {
        guard let other = URL(string: "/.well-known/no-such-service", relativeTo: url)?.absoluteURL,
            let answer = await answer(to: other)
        else { return true }
        return answer.status == 401
    }

    /// Whether a server answers there over TLS with a certificate for its name. Nothing is sent to it.
    func answers(_ server: DiscoveredServer) async -> Bool {
        guard let web, server.security == .tls else { return false }
        return await Self.within(patience) {
            do throws(NetworkError) {
                let stream = try await web.connect(
                    to: server.endpoint, security: .tls, purpose: Self.purpose)
                contact?.responded()
                await stream.close()
                return true
            } catch {
                contact?.failed(error)
                return false
            }
        } ?? false
    }

    private static func within<Answer: Sendable>(
        _ patience: Duration, _ body: @escaping @Sendable () async -> Answer
    ) async -> Answer? {
        await withTaskGroup(of: Answer?.self) { group in
            group.addTask { await body() }
            group.addTask {
                try? await Task.sleep(for: patience)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }
}
