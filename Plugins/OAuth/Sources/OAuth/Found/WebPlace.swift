import FoundationEssentials

/// Checks of addresses that strangers name.
enum WebPlace {
    private static let bytes = 2_000

    /// Nil unless it is an https address without a user, a password and a fragment.
    static func read(_ text: String) -> URL? {
        guard (1...bytes).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            let url = URL(string: text), url.scheme?.lowercased() == "https",
            url.user(percentEncoded: true) == nil, url.password(percentEncoded: true) == nil,
            url.fragment() == nil, !host(url).isEmpty
        else { return nil }
        return url
    }

    /// In lower case.
    static func host(_ url: URL) -> String { url.host(percentEncoded: false)?.lowercased() ?? "" }

    /// Whether a host is an address, or a name of this device or its network: what a stranger names there could be the
    /// router's page. Names with a number at their end are read as addresses.
    static func isInner(_ host: String) -> Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1, !host.contains(":"), let last = labels.last, let first = last.utf8.first,
            !last.allSatisfy(\.isNumber), !last.hasPrefix("0x")
        else { return true }
        return !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) || localEndings.contains(String(last))
            || host.hasSuffix(".home.arpa")
    }

    private static let localEndings: Set<String> = [
        "local", "localhost", "localdomain", "internal", "lan", "home", "corp", "intranet", "arpa",
    ]

    /// Whether a server may name this place: one on the internet, or one on its own host.
    static func mayName(_ place: URL, from server: URL) -> Bool {
        host(place) == host(server) || !isInner(host(place))
    }

    /// Whether a page is at the issuer's host, or at one below the domain of both.
    ///
    /// A stranger could otherwise lead the user to the page of a large service, and have the code from there sent to
    /// itself.
    static func isBeside(_ page: URL, _ issuer: URL) -> Bool {
        let (page, issuer) = (host(page), host(issuer))
        if page == issuer { return true }
        guard !isInner(issuer) else { return false }
        let labels = issuer.split(separator: ".")
        let isShared =
            labels.count == 3 && labels[2].utf8.count == 2 && sharedLevels.contains(String(labels[1]))
        let site = labels.count > 2 && !isShared ? labels.dropFirst().joined(separator: ".") : issuer
        return page == site || page.hasSuffix("." + site)
    }

    /// Below a country's domain these belong to everybody: `co.uk`.
    private static let sharedLevels: Set<String> = [
        "ac", "co", "com", "edu", "gob", "gov", "gv", "ne", "net", "nom", "or", "org",
    ]

    /// Scheme, host and port.
    static func origin(_ url: URL) -> String {
        let host = host(url)
        let port = url.port.flatMap { $0 == 443 ? nil : ":\($0)" } ?? ""
        return "https://" + (host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host) + port
    }

    /// The path without a slash at its end.
    static func path(_ url: URL) -> String {
        var path = url.path(percentEncoded: true)
        while path.hasSuffix("/") { path.removeLast() }
        return path
    }

    /// The names of the query's items.
    static func names(_ url: URL) -> Set<String> {
        let query = url.query(percentEncoded: false) ?? ""
        return Set(query.split(separator: "&").map { String($0.prefix { $0 != "=" }) })
    }
}
