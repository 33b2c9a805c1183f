import CMicroHTTPD
import Glibc

/// A listening socket on the loopback interface.
struct LoopbackSocket {
    let descriptor: CInt
    let port: Int

    func close() { Glibc.close(descriptor) }

    /// Listens on every address with the same port.
    ///
    /// Both addresses of `localhost` are taken, for otherwise another user of this computer could take
    /// the one that is left and be mistaken for this program.
    static func listen(on addresses: [String], port: Int) throws(LocalServerError) -> [LoopbackSocket] {
        for address in addresses where !["127.0.0.1", "::1"].contains(address) {
            throw .notLoopback(address)
        }
        // A free port of the one address may be taken on the other.
        for _ in 0..<20 {
            do {
                return try all(addresses, port)
            } catch .portTaken where port == 0 {
                continue
            }
        }
        throw .portTaken(port)
    }

    private static func all(_ addresses: [String], _ port: Int) throws(LocalServerError) -> [LoopbackSocket] {
        var sockets: [LoopbackSocket] = []
        for address in addresses {
            do {
                let shared = sockets.first?.port ?? port
                if let socket = try open(address, shared) { sockets.append(socket) }
            } catch {
                for socket in sockets { socket.close() }
                throw error
            }
        }
        guard !sockets.isEmpty else { throw .noLoopback }
        return sockets
    }

    /// Nil if this computer does not have the address.
    private static func open(_ address: String, _ port: Int) throws(LocalServerError) -> LoopbackSocket? {
        let isIPv6 = address.contains(":")
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, type, 0)
        guard descriptor >= 0 else {
            if errno == EAFNOSUPPORT { return nil }
            throw .cannotListen(String(cString: strerror(errno)))
        }
        var yes: CInt = 1
        let size = socklen_t(MemoryLayout<CInt>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, size)
        if isIPv6 { setsockopt(descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY, &yes, size) }
        let result = isIPv6 ? bindIPv6(descriptor, port) : bindIPv4(descriptor, port)
        guard result == 0, Glibc.listen(descriptor, 512) == 0 else {
            let code = errno
            Glibc.close(descriptor)
            switch code {
            case EADDRINUSE: throw .portTaken(port)
            case EACCES: throw .portForbidden(port)
            case EADDRNOTAVAIL: return nil
            default: throw .cannotListen(String(cString: strerror(code)))
            }
        }
        return LoopbackSocket(descriptor: descriptor, port: boundPort(descriptor))
    }

    private static func bindIPv4(_ descriptor: CInt, _ port: Int) -> CInt {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func bindIPv6(_ descriptor: CInt, _ port: Int) -> CInt {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin6_addr = in6addr_loopback
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }

    private static func boundPort(_ descriptor: CInt) -> Int {
        var storage = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        return withUnsafeMutablePointer(to: &storage) {
            _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
            // The port is at the same place in both kinds of address.
            return Int(UInt16(bigEndian: $0.pointee.sin6_port))
        }
    }
}
