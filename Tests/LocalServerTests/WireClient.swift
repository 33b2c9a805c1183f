import Foundation
import Testing

/// A client on a real socket that sends what it is given, well-formed or not.
///
/// What blocks runs on threads of its own: the server's tasks need those of the tests.
final class WireClient: Sendable {
    struct Answer: Sendable {
        var status: Int
        var headers: [(name: String, value: String)]
        var body: Data

        func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
        var text: String { String(decoding: body, as: UTF8.self) }
        var json: [String: Any] { (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:] }
    }

    struct Closed: Error {}
    /// Nothing came, and nothing was closed.
    struct Silent: Error {}

    let socket: Int32

    init(port: Int, address: String = "127.0.0.1") throws {
        let isIPv6 = address.contains(":")
        socket = Foundation.socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let isConnected: Bool
        if isIPv6 {
            var place = sockaddr_in6()
            place.sin6_family = sa_family_t(AF_INET6)
            place.sin6_port = UInt16(port).bigEndian
            place.sin6_addr = in6addr_loopback
            isConnected = Self.connect(socket, &place)
        } else {
            var place = sockaddr_in()
            place.sin_family = sa_family_t(AF_INET)
            place.sin_port = UInt16(port).bigEndian
            place.sin_addr.s_addr = inet_addr(address)
            isConnected = Self.connect(socket, &place)
        }
        guard isConnected else {
            Foundation.close(socket)
            throw Closed()
        }
        // Only against hanging for ever: what is slow is no failure.
        var limit = timeval(tv_sec: 300, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var yes: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { Foundation.close(socket) }

    private static func connect<Place>(_ socket: Int32, _ place: inout Place) -> Bool {
        withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(socket, $0, socklen_t(MemoryLayout<Place>.size)) == 0
            }
        }
    }

    /// Runs what blocks on a thread.
    static func onThread<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { done in
            let thread = Thread { done.resume(with: Result(catching: body)) }
            thread.stackSize = 256 * 1024
            thread.start()
        }
    }

    // MARK: Blocking

    func put(_ data: Data) throws {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw Closed() }
            rest = rest.dropFirst(count)
        }
    }

    func put(_ text: String) throws { try put(Data(text.utf8)) }

    /// What comes next; empty at the end.
    func some(_ count: Int = 65_536) throws -> Data {
        var buffer = [UInt8](repeating: 0, count: count)
        let received = recv(socket, &buffer, count, 0)
        guard received >= 0 else {
            if errno == EAGAIN { throw Silent() }
            throw Closed()
        }
        return Data(buffer.prefix(received))
    }

    /// Reads one answer.
    func answer(isHead: Bool = false) throws -> Answer {
        var bytes = Data()
        let end = Data("\r\n\r\n".utf8)
        while bytes.range(of: end) == nil {
            let more = try some()
            guard !more.isEmpty else { throw Closed() }
            bytes += more
        }
        guard let range = bytes.range(of: end) else { throw Closed() }
        let lines = String(decoding: bytes[..<range.lowerBound], as: UTF8.self).components(
            separatedBy: "\r\n")
        var answer = Answer(
            status: Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0,
            headers: lines.dropFirst().map { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                return (
                    String(parts[0]), parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
                )
            }, body: bytes[range.upperBound...])
        if isHead || answer.status == 101 || answer.status == 204 || answer.status == 304 {
            answer.body = Data()
        } else if let length = answer.header("Content-Length").flatMap({ Int($0) }) {
            while answer.body.count < length {
                let more = try some()
                guard !more.isEmpty else { throw Closed() }
                answer.body += more
            }
        } else {
            answer.body = try chunks(answer.body)
        }
        answer.body = Data(answer.body)
        return answer
    }

    private func chunks(_ begun: Data) throws -> Data {
        var raw = Data(begun)
        while raw.range(of: Data("0\r\n\r\n".utf8)) == nil {
            let more = try some()
            guard !more.isEmpty else { throw Closed() }
            raw += more
        }
        var body = Data()
        while let line = raw.range(of: Data("\r\n".utf8)),
            let count = Int(String(decoding: raw[..<line.lowerBound], as: UTF8.self), radix: 16), count > 0
        {
            body += raw[line.upperBound..<(line.upperBound + count)]
            raw = Data(raw[(line.upperBound + count + 2)...])
        }
        return body
    }

    // MARK: Awaiting

    func ask(_ request: Data, isHead: Bool = false) async throws -> Answer {
        try await Self.onThread { [self] in
            try put(request)
            return try answer(isHead: isHead)
        }
    }

    func ask(_ request: String) async throws -> Answer {
        try await ask(Data(request.utf8), isHead: request.hasPrefix("HEAD "))
    }

    /// Reads until the text has come, and returns all that came.
    func read(until text: String) async throws -> String {
        try await Self.onThread { [self] in
            var all = Data()
            while all.range(of: Data(text.utf8)) == nil {
                let more = try some()
                guard !more.isEmpty else { throw Closed() }
                all += more
            }
            return String(decoding: all, as: UTF8.self)
        }
    }

    /// Waits until the server closes the connection, and returns what came before.
    func end() async throws -> String {
        try await Self.onThread { [self] in
            var all = Data()
            do {
                while case let more = try some(), !more.isEmpty { all += more }
            } catch is Closed {
                // Resetting is closing too.
            }
            return String(decoding: all, as: UTF8.self)
        }
    }
}
