import FoundationEssentials
import Glibc

/// One connection to a server on this machine, kept open: as little as can be between the clock and the server.
final class HTTPConnection {
    private var descriptor: CInt
    private let port: Int
    private var credentials = ""
    private var buffer: [UInt8] = []

    convenience init(port: Int, token: String) throws {
        try self.init(port: port)
        credentials = "Authorization: Bearer \(token)"
    }

    /// As the page does: the link that the program prints is good for a session of its own.
    convenience init(startLink: String) throws {
        guard let parts = startLink.wholeMatch(of: /http:\/\/127\.0\.0\.1:([0-9]+)(\/start\?\S+)/),
            let port = Int(parts.1)
        else { throw BenchError(description: "This is no start link: \(startLink)") }
        try self.init(port: port)
        try send("GET \(parts.2) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        let head = try readHead()
        _ = try read(Self.length(head) ?? 0)
        guard let cookie = head.firstMatch(of: /(?i)set-cookie: ([^;\r]+)/)?.1 else {
            throw BenchError(description: "The program gives no session: \(head)")
        }
        credentials = "Cookie: \(cookie)\r\nOrigin: http://127.0.0.1:\(port)"
    }

    /// Another connection of the same session.
    convenience init(beside other: HTTPConnection) throws {
        try self.init(port: other.port)
        credentials = other.credentials
    }

    private init(port: Int) throws {
        self.port = port
        descriptor = try Self.open(port)
    }

    private static func open(_ port: Int) throws -> CInt {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard descriptor >= 0, status == 0 else {
            if descriptor >= 0 { close(descriptor) }
            throw BenchError(description: "Nothing listens on \(port).")
        }
        var one: CInt = 1
        setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
        // What does not come at all breaks one family of figures, and not the whole run.
        var patience = timeval(tv_sec: 300, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        return descriptor
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Sends JMAP calls and returns the answer's body.
    @discardableResult func call(_ calls: String) throws -> Data {
        if wasClosed {
            close(descriptor)
            descriptor = -1
            descriptor = try Self.open(port)
        }
        try begin(calls)
        return try answer()
    }

    /// As a server does with a connection that was idle for a while, when a peer took its time.
    private var wasClosed: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, CInt(MSG_PEEK | MSG_DONTWAIT)) == 0
    }

    /// Sends JMAP calls without waiting for their answer.
    func begin(_ calls: String) throws {
        let using =
            ["core", "mail", "submission"].map { "\"urn:ietf:params:jmap:\($0)\"" }
            + [
                "accounts", "actions", "compose", "contacts", "lock", "models", "preferences", "rules",
                "storage", "sync",
            ].map { "\"urn:mailkernel:\($0)\"" }
        let body = "{\"using\":[\(using.joined(separator: ","))],\"methodCalls\":[\(calls)]}"
        try post("/jmap/api", body)
    }

    /// Sends JSON without waiting for the answer.
    func post(_ path: String, _ body: String) throws {
        try send(
            """
            POST \(path) HTTP/1.1\r
            Host: 127.0.0.1:\(port)\r
            \(credentials)\r
            Content-Type: application/json\r
            Content-Length: \(body.utf8.count)\r
            \r
            \(body)
            """)
    }

    func answer() throws -> Data {
        let head = try readHead()
        guard head.hasPrefix("HTTP/1.1 200"), let length = Self.length(head) else {
            throw BenchError(description: "The server says: \(head)")
        }
        let body = try read(length)
        // A method that fails would be a fast one.
        guard !String(decoding: body.prefix(200), as: UTF8.self).contains("[\"error\"") else {
            throw BenchError(description: String(decoding: body.prefix(500), as: UTF8.self))
        }
        return body
    }

    /// Uploads bytes and returns the blob's id.
    func upload(_ bytes: Data, to account: String) throws -> String {
        try send(
            """
            POST /jmap/upload/\(account)/ HTTP/1.1\r
            Host: 127.0.0.1:\(port)\r
            \(credentials)\r
            Content-Type: application/octet-stream\r
            Content-Length: \(bytes.count)\r
            \r

            """)
        try send(Array(bytes)[...])
        let head = try readHead()
        let body = String(decoding: try read(Self.length(head) ?? 0), as: UTF8.self)
        guard let id = body.firstMatch(of: /"blobId":"([^"]+)"/)?.1 else {
            throw BenchError(description: "The server says: \(head)\(body)")
        }
        return String(id)
    }

    /// Begins to listen to state changes.
    func listen() throws {
        try send(
            """
            GET /jmap/events?types=*&closeafter=no&ping=0 HTTP/1.1\r
            Host: 127.0.0.1:\(port)\r
            \(credentials)\r
            \r

            """)
        _ = try readHead()
    }

    /// Waits until the stream says this.
    func wait(for text: String) throws {
        let wanted = Array(text.utf8)
        while true {
            if let place = buffer.indices.first(where: { buffer[$0...].starts(with: wanted) }) {
                buffer.removeFirst(place + wanted.count)
                return
            }
            try receive()
        }
    }

    private static func length(_ head: String) -> Int? {
        for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix("content-length:") {
            return Int(line.dropFirst("content-length:".count).filter { $0 != " " })
        }
        return nil
    }

    private func send(_ text: String) throws { try send(Array(text.utf8)[...]) }

    private func send(_ rest: ArraySlice<UInt8>) throws {
        var bytes = rest
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw BenchError(description: "The server closed the connection.") }
            bytes = bytes.dropFirst(count)
        }
    }

    private func readHead() throws -> String {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let place = buffer.indices.first(where: { buffer[$0...].starts(with: end) }) {
                let head = String(decoding: buffer[..<place], as: UTF8.self)
                buffer.removeFirst(place + end.count)
                return head
            }
            try receive()
        }
    }

    private func read(_ count: Int) throws -> Data {
        while buffer.count < count { try receive() }
        let body = Data(buffer[..<count])
        buffer.removeFirst(count)
        return body
    }

    private func receive() throws {
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = piece.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw BenchError(description: "The server has said nothing for 300 s.") }
        guard count > 0 else { throw BenchError(description: "The server closed the connection.") }
        buffer += piece[..<count]
    }
}
