import CCurl
import Glibc

/// Where connections may lead, by the address that a name turned out to have.
///
/// Names say nothing about that: anyone can have a name that leads to your router, and change where it leads between
/// two look-ups. So the address is looked at when the socket for it is made, for each connection, also those that a
/// redirect asks for.
///
/// Through a proxy it is the proxy that looks up the name, and that address alone is seen here: then only what the
/// name itself says is checked. A proxy on this machine, such as Tor's, does not lead to this machine's network.
public struct AddressRules: Sendable {
    /// - Parameter host: as libcurl understands it, without brackets.
    let allowsName: @Sendable (_ host: String) -> Bool
    /// - Parameter address: four bytes or sixteen.
    let allowsAddress: @Sendable (_ address: [UInt8]) -> Bool

    /// Anywhere, as for servers that the user enters.
    public static let any = AddressRules(allowsName: { _ in true }, allowsAddress: { _ in true })

    /// The internet, and neither this machine nor the networks that it is on: for what a stranger's message names.
    public static let publicOnly = AddressRules(
        allowsName: PublicAddress.mayBeName, allowsAddress: PublicAddress.isOne)

    init(
        allowsName: @escaping @Sendable (String) -> Bool,
        allowsAddress: @escaping @Sendable ([UInt8]) -> Bool
    ) {
        self.allowsName = allowsName
        self.allowsAddress = allowsAddress
    }

    /// Whether a socket may be connected to what libcurl asks for.
    func allow(_ address: UnsafePointer<curl_sockaddr>) -> Bool {
        guard let place = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return false }
        // For IPv6, libcurl's address is longer than the struct declares.
        let (offset, count) =
            switch address.pointee.family {
            case AF_INET: (4, 4)
            case AF_INET6: (8, 16)
            default: (0, 0)
            }
        guard count > 0, Int(address.pointee.addrlen) >= offset + count else { return false }
        let start = UnsafeRawPointer(address).advanced(by: place + offset)
        return allowsAddress(Array(UnsafeRawBufferPointer(start: start, count: count)))
    }
}
