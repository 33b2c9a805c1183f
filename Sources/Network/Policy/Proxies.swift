import Glibc

/// The proxies that the environment names. Nothing goes past one that is set.
public struct Proxies: Sendable {
    private let forRequests: String?
    private let forStreams: String?
    private let exceptions: [Substring]

    /// No proxies.
    public static let none = Proxies(environment: [:])

    /// - Parameter environment: `https_proxy` is for web requests and `all_proxy` for the rest; where
    ///   only one of them is set it is for both. `no_proxy` lists hosts that are reached directly.
    public init(environment: [String: String]) {
        func value(_ name: String) -> String? {
            let value = environment[name] ?? environment[name.uppercased()] ?? ""
            return value.isEmpty ? nil : value
        }
        let (https, all) = (value("https_proxy"), value("all_proxy"))
        forRequests = (https ?? all).map(Self.resolvingNamesThere)
        forStreams = (all ?? https).map(Self.resolvingNamesThere)
        exceptions = (value("no_proxy") ?? "").split { $0 == "," || $0 == " " }
    }

    /// Whether anything goes through a proxy.
    var areSet: Bool { forRequests != nil || forStreams != nil }

    /// The address of the proxy, or nil to connect directly.
    func proxy(for host: String, isStream: Bool) -> String? {
        guard let proxy = isStream ? forStreams : forRequests else { return nil }
        return exceptions.contains { Self.matches(host, $0) } ? nil : proxy
    }

    /// A SOCKS proxy must hide destinations from the local network, so it looks up the names.
    private static func resolvingNamesThere(_ proxy: String) -> String {
        for (plain, remote) in [
            ("socks5://", "socks5h://"), ("socks4://", "socks4a://"), ("socks://", "socks5h://"),
        ]
        where proxy.lowercased().hasPrefix(plain) {
            return remote + proxy.dropFirst(plain.count)
        }
        return proxy
    }

    private static func matches(_ host: String, _ exception: Substring) -> Bool {
        if exception == "*" { return true }
        let host = host.lowercased()
        if exception.contains("/") { return isAddress(host, in: exception) }
        var name = exception.lowercased()[...]
        if name.hasPrefix("*") { name.removeFirst() }
        if name.hasPrefix(".") { name.removeFirst() }
        return !name.isEmpty && (host == name || host.hasSuffix("." + name))
    }

    /// Whether an address is in a block such as `192.168.0.0/16`.
    private static func isAddress(_ host: String, in block: Substring) -> Bool {
        let parts = block.split(separator: "/", maxSplits: 1)
        guard parts.count == 2, let length = Int(parts[1]), let network = NetworkAddress(String(parts[0])),
            let address = NetworkAddress(host), network.bytes.count == address.bytes.count,
            (0...network.bytes.count * 8).contains(length)
        else { return false }
        return (0..<length).allSatisfy { bit in
            (network.bytes[bit / 8] ^ address.bytes[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0
        }
    }
}

/// An IPv4 or IPv6 address as bytes.
struct NetworkAddress {
    let bytes: [UInt8]

    /// Nil if the text is a name.
    init?(_ text: String) {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            self.bytes = Array(bytes.prefix(4))
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            self.bytes = bytes
        } else {
            return nil
        }
    }
}
