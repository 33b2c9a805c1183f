import Glibc

/// Whether this machine has any way to a network.
enum Reachability {
    /// False if no interface but loopback is up with an address that leads anywhere. Asks nobody.
    static var hasNetwork: Bool {
        var first: UnsafeMutablePointer<ifaddrs>?
        // Not knowing is no reason to say that the machine is offline.
        guard getifaddrs(&first) == 0 else { return true }
        defer { freeifaddrs(first) }
        var next = first
        while let interface = next?.pointee {
            if leadsSomewhere(interface) { return true }
            next = interface.ifa_next
        }
        return false
    }

    private static func leadsSomewhere(_ interface: ifaddrs) -> Bool {
        let needed = UInt32(IFF_UP | IFF_RUNNING)
        guard interface.ifa_flags & needed == needed, interface.ifa_flags & UInt32(IFF_LOOPBACK) == 0,
            let address = interface.ifa_addr
        else { return false }
        switch CInt(address.pointee.sa_family) {
        case AF_INET:
            return true
        case AF_INET6:
            // An address for the link alone is there even where no cable is.
            return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                withUnsafeBytes(of: address.pointee.sin6_addr) { $0[0] != 0xfe || $0[1] & 0xc0 != 0x80 }
            }
        default:
            return false
        }
    }
}
