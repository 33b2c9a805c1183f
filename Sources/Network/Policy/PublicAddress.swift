import Glibc

/// Tells addresses of the internet from those of this machine and of the networks around it.
public enum PublicAddress {
    /// - Parameter address: the four bytes of IPv4 or the sixteen of IPv6.
    public static func isOne(_ address: [UInt8]) -> Bool {
        if address.count == 4 { return !isIn(reserved4, address) }
        guard address.count == 16 else { return false }
        // Networks without IPv4 reach it under this prefix (RFC 6052).
        if matches(address, [0x00, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8), 96) {
            return isOne(Array(address[12...]))
        }
        // Only 2000::/3 has been assigned; other addresses are local, mapped, multicast or unused.
        return matches(address, [0x20], 3) && !isIn(reserved6, address)
    }

    /// Whether a host name can be public: not a name of this machine or its network, and not one of their
    /// addresses in any notation.
    public static func mayBeName(_ host: String) -> Bool {
        let name = HostRules.plain(host)
        if let address = literal(name) { return isOne(address) }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, !name.contains(":"), let last = labels.last else { return false }
        return !localEndings.contains(String(last)) && !name.hasSuffix(".home.arpa")
    }

    /// The address that a host is, however it is written: `127.1`, `0x7f000001`, `017700000001`, `::1`.
    public static func literal(_ host: String) -> [UInt8]? {
        var old = in_addr()
        // As libcurl and the system's resolver understand numbers.
        if inet_aton(host, &old) != 0 { return withUnsafeBytes(of: &old) { Array($0) } }
        let withoutZone = String(host.prefix { $0 != "%" })
        return NetworkAddress(withoutZone)?.bytes
    }

    private static let localEndings: Set<String> = [
        "local", "localhost", "localdomain", "internal", "lan", "home", "corp", "intranet", "test", "invalid",
        "onion",
    ]

    private typealias Block = (start: [UInt8], length: Int)

    /// IANA's registry of special addresses, including multicast and reserved ones (RFC 6890).
    private static let reserved4: [Block] = [
        ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12),
        ([192, 0, 0], 24),
        ([192, 0, 2], 24), ([192, 88, 99], 24), ([192, 168], 16), ([198, 18], 15), ([198, 51, 100], 24),
        ([203, 0, 113], 24), ([224], 3),
    ]

    /// Within 2000::/3: for protocols and tunnels, whose other end may be anywhere, and for documents.
    private static let reserved6: [Block] = [
        ([0x20, 0x01, 0x00], 23), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x20, 0x02], 16),
        ([0x3F, 0xFF, 0x00], 20),
    ]

    private static func isIn(_ blocks: [Block], _ address: [UInt8]) -> Bool {
        blocks.contains { matches(address, $0.start, $0.length) }
    }

    private static func matches(_ address: [UInt8], _ start: [UInt8], _ length: Int) -> Bool {
        (0..<length).allSatisfy { bit in
            let byte = bit / 8 < start.count ? start[bit / 8] : 0
            return bit / 8 < address.count && (byte ^ address[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0
        }
    }
}
