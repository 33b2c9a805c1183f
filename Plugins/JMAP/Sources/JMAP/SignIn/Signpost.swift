import FoundationEssentials
import MailKernelAPI

/// Where a service's `/.well-known/jmap` leads.
///
/// Asked on a stream, without the password: the network follows redirects itself, and does not report where they led.
/// The session's relative URLs depend on that place, and a password is sent nowhere that the user has not agreed to.
struct Signpost: Sendable {
    static let path = "/.well-known/jmap"
    private static let limit = 16 * 1_024

    let network: any PluginNetwork
    var patience = Duration.seconds(10)

    /// Nil if it leads nowhere else, or if the server does not say.
    func target(of url: URL) async -> URL? {
        guard let host = url.host(percentEncoded: false),
            let head = await head(of: url, Endpoint(host: host, port: url.port ?? 443))
        else { return nil }
        return Self.target(head, url)
    }

    static func target(_ head: String, _ url: URL) -> URL? {
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."),
            ["301", "302", "303", "307", "308"].contains(words[1])
        else { return nil }
        let places = lines.dropFirst().filter { $0.lowercased().hasPrefix("location:") }
        guard places.count == 1, let place = places.first?.dropFirst("location:".count) else { return nil }
        let text = String(place.drop { $0 == " " || $0 == "\t" })
        guard let target = try? Resource.resolve(text, url), target != url,
            target.absoluteString.utf8.count <= 1_000
        else { return nil }
        return target
    }

    private func head(of url: URL, _ endpoint: Endpoint) async -> String? {
        await withTaskGroup(of: String?.self) { group in
            group.addTask { try? await ask(url, endpoint) }
            group.addTask {
                try? await Task.sleep(for: patience)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    /// The head of the answer; nil if it is none.
    private func ask(_ url: URL, _ endpoint: Endpoint) async throws(NetworkError) -> String? {
        let stream = try await network.connect(to: endpoint, security: .tls, purpose: "find the mailbox")
        let port = endpoint.port == 443 ? "" : ":\(endpoint.port)"
        let request =
            "GET \(url.path()) HTTP/1.1\r\nHost: \(endpoint.host)\(port)\r\nAccept: application/json\r\n"
            + "Connection: close\r\n\r\n"
        try await stream.write(Data(request.utf8))
        var bytes = Data()
        while bytes.count < Self.limit, let more = try await stream.read(upTo: Self.limit - bytes.count) {
            bytes.append(more)
            if let end = bytes.firstRange(of: Data("\r\n\r\n".utf8)) {
                await stream.close()
                return String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            }
        }
        await stream.close()
        return nil
    }
}
