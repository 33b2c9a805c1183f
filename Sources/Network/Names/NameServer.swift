/// Where names are looked up: a DNS server to ask instead of the system's.
public struct NameServer: Sendable, Hashable {
    public let address: String
    public let port: Int

    /// - Parameter text: an IPv4 address, with a port if it is not 53: `127.0.0.1:5353`.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let bytes = NetworkAddress(String(parts[0]))?.bytes,
            bytes.count == 4, let port = parts.count == 1 ? 53 : Int(parts[1]), (1...65_535).contains(port)
        else { return nil }
        address = String(parts[0])
        self.port = port
    }
}

/// What a name can be asked for.
public enum NameRecordKind: String, Sendable, Hashable {
    /// Where mail for a domain is delivered.
    case mx = "MX"
    /// Where a domain offers a service (RFC 2782).
    case srv = "SRV"
    case txt = "TXT"

    var number: CInt {
        switch self {
        case .mx: 15
        case .txt: 16
        case .srv: 33
        }
    }
}

/// A record in the DNS. Any server on the way may have written it: nothing in it is trusted.
public struct NameRecord: Sendable, Hashable {
    public var kind: NameRecordKind
    /// The preferred has the lowest.
    public var priority: Int
    public var weight: Int
    public var port: Int
    /// The host without a final dot, in lower case; for TXT the text. Empty for a service that is not offered.
    public var value: String

    public init(_ kind: NameRecordKind, _ value: String, priority: Int = 0, weight: Int = 0, port: Int = 0) {
        self.kind = kind
        self.priority = priority
        self.weight = weight
        self.port = port
        self.value = value
    }
}

/// Looks up records of names in the DNS.
public protocol NameLookup: Sendable {
    /// The records of a name, the preferred first; nil if no server answered.
    ///
    /// - Parameter purpose: why, for the list of connections.
    func records(_ name: String, _ kind: NameRecordKind, purpose: String) async -> [NameRecord]?
}
