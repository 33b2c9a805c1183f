import CMicroHTTPD
public import FoundationEssentials
import Glibc

/// Asks a server of this program in another process: one request, one connection.
public enum LoopbackClient {
    private static let answerLimit = 50_000_000

    /// Sends an HTTP/1.0 request, so that the response ends with the connection, and returns the raw
    /// response; nil if the connection failed.
    public static func exchange(port: UInt16, request: Data) -> Data? {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard connect(descriptor, to: port), send(request, on: descriptor) else { return nil }
        var answer = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while answer.count < answerLimit {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count == 0 { return answer }
            guard count > 0 else { return nil }
            answer.append(contentsOf: buffer[..<count])
        }
        return nil
    }

    private static func connect(_ descriptor: CInt, to port: UInt16) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func send(_ bytes: Data, on descriptor: CInt) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
