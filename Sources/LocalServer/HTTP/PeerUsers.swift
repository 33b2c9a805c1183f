import CMicroHTTPD
import FoundationEssentials
import Glibc
import Synchronization

/// Asks Linux which user owns the other end of a loopback connection.
///
/// All users share loopback. A cookie stolen by another user (browsers send it to every port) is thus useless
/// to them.
final class PeerUsers: Sendable {
    private let socket: CInt
    private let sequence = Mutex<UInt32>(0)

    init() {
        let type = CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        socket = Glibc.socket(AF_NETLINK, type, Self.sockDiag)
    }

    deinit {
        if socket >= 0 { close(socket) }
    }

    /// Whether the other end is certainly neither this user nor the administrator.
    func isForeign(_ connection: CInt) -> Bool {
        guard let owner = owner(of: connection) else { return false }
        return owner != geteuid() && owner != 0
    }

    /// Nil if the system does not tell.
    func owner(of connection: CInt) -> uid_t? {
        guard socket >= 0, let here = Self.address(connection, getsockname),
            let there = Self.address(connection, getpeername), here.family == there.family
        else { return nil }
        return sequence.withLock { sequence in
            sequence &+= 1
            // The question is about the client's socket, whose own end is our other one.
            let question = Self.question(sequence, there, here)
            let isSent =
                question.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, 0) } == question.count
            guard isSent else { return nil }
            var answer = [UInt8](repeating: 0, count: 512)
            // Linux has answered by now. An answer to an older question is passed over.
            while case let count = recv(socket, &answer, answer.count, CInt(MSG_DONTWAIT)), count > 0 {
                if let owner = Self.owner(in: Data(answer.prefix(count)), sequence) { return owner }
            }
            return nil
        }
    }

    private struct Address {
        var family: UInt8
        /// Both as on the wire.
        var port: Data
        var host: Data
    }

    private static func address(
        _ connection: CInt,
        _ ask: (CInt, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> CInt
    ) -> Address? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask(connection, $0, &length) }
        }
        guard result == 0 else { return nil }
        let bytes = withUnsafeBytes(of: storage) { Data($0) }
        switch CInt(storage.ss_family) {
        case AF_INET: return Address(family: UInt8(AF_INET), port: bytes[2..<4], host: bytes[4..<8])
        case AF_INET6: return Address(family: UInt8(AF_INET6), port: bytes[2..<4], host: bytes[8..<24])
        default: return nil
        }
    }

    // `sock_diag(7)`: a netlink header, an inet_diag_req_v2, and an inet_diag_msg or an error in answer.
    private static let sockDiag: CInt = 4
    private static let byFamily: UInt16 = 20
    private static let headerSize = 16
    private static let ownerOffset = headerSize + 4 + 48 + 12

    private static func question(_ sequence: UInt32, _ client: Address, _ server: Address) -> Data {
        func padded(_ host: Data) -> Data { host + Data(count: 16 - host.count) }
        var request = Data([client.family, UInt8(IPPROTO_TCP), 0, 0])
        request += bytes(UInt32.max) + client.port + server.port + padded(client.host) + padded(server.host)
        // Any interface, any incarnation of the socket.
        request += bytes(UInt32(0)) + bytes(UInt32.max) + bytes(UInt32.max)
        let isRequest: UInt16 = 1
        return bytes(UInt32(headerSize + request.count)) + bytes(byFamily) + bytes(isRequest)
            + bytes(sequence)
            + bytes(UInt32(0)) + request
    }

    private static func owner(in answer: Data, _ sequence: UInt32) -> uid_t? {
        guard answer.count >= ownerOffset + 4, number(answer, 8) == sequence,
            number(answer, 4) & 0xffff == UInt32(byFamily)
        else { return nil }
        return number(answer, ownerOffset)
    }

    private static func bytes(_ number: some FixedWidthInteger) -> Data {
        withUnsafeBytes(of: number) { Data($0) }
    }

    private static func number(_ data: Data, _ offset: Int) -> UInt32 {
        data.dropFirst(offset).withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
    }
}
