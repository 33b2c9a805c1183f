import Network

/// An address and its domain, as far as look-ups need them.
struct MailDomain: Sendable, Hashable {
    let address: String
    let localPart: String
    /// In lower case.
    let name: String

    /// Nil for what is no address.
    init?(address: String) {
        let parts = address.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, address.utf8.count <= 254,
            address.unicodeScalars.allSatisfy({ $0.value > 32 && $0.value != 127 })
        else { return nil }
        name = parts[1].lowercased()
        // Some foreign letters have ASCII ones in lower case, such as the Kelvin sign.
        guard name.contains("."), parts[1].utf8.count == name.utf8.count,
            name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy({
                (1...63).contains($0.utf8.count)
            })
        else { return nil }
        self.address = address
        localPart = String(parts[0])
    }

    /// The address as a value in the query of a URL.
    var encodedAddress: String {
        address.utf8.map { byte in
            let isPlain =
                (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte)
                || byte == 0x2D || byte == 0x2E || byte == 0x5F
            return isPlain
                ? String(UnicodeScalar(byte))
                : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    /// Whether servers may be asked about it: it is on the internet, and written as on the wire.
    var mayBeAskedAbout: Bool { Self.isPublicHost(name) }

    /// Whether a host is the domain or below it.
    func contains(_ host: String) -> Bool { host == name || host.hasSuffix("." + name) }

    /// A name of a host on the internet: no address, no name of this device or its network.
    static func isPublicHost(_ host: String) -> Bool {
        host.utf8.count <= 253 && PublicAddress.mayBeName(host) && PublicAddress.literal(host) == nil
            && host.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy { byte in
                        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
                            || byte == 0x5F
                    }
            }
    }

    /// The domains that a mail host may belong to, the longest first: the host without its first label, and
    /// what remains after more of them, as long as it can be an organization's.
    static func owners(ofMailHost host: String) -> [String] {
        let labels = host.split(separator: ".").map(String.init)
        guard labels.count > 2, let last = labels.last else { return [] }
        let isBelowCountry = last.utf8.count == 2 && sharedLevels.contains(labels[labels.count - 2])
        let least = isBelowCountry ? 3 : 2
        guard labels.count > least else { return [] }
        return Array(
            Set([labels.count - 1, least]).sorted(by: >).map { labels.suffix($0).joined(separator: ".") })
    }

    /// Below a country's domain these belong to everybody: `co.uk`.
    private static let sharedLevels: Set<String> = [
        "ac", "co", "com", "edu", "gob", "gov", "gv", "ne", "net", "nom", "or", "org",
    ]
}
