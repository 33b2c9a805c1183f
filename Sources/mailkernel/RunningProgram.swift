import FoundationEssentials
import Glibc
import Kernel
import LocalServer
import MailKernelAPI

/// The program that runs on a data folder, asked by a command of the same user: it signs in as the page does,
/// with a start link.
struct RunningProgram {
    private let port: UInt16
    private let cookie: String

    /// Nil if none runs.
    init?(_ folders: KernelFolders) throws {
        guard InstanceLock.isHeld(folder: folders.data),
            let link = try StartLinks(folder: folders.server).make(),
            let url = URL(string: link), let port = url.port.flatMap({ UInt16(exactly: $0) }),
            let query = url.query(percentEncoded: true)
        else { return nil }
        self.port = port
        let answer = try Self.exchange(
            port, "GET /start?\(query) HTTP/1.0\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        let fields = answer.head.split(separator: "\r\n")
        guard let field = fields.first(where: { $0.lowercased().hasPrefix("set-cookie:") }),
            let cookie = field.dropFirst("set-cookie:".count).split(separator: ";").first
        else { throw CommandError("The running program did not let this command in.") }
        self.cookie = cookie.trimmingPrefix(while: { $0 == " " }).description
    }

    /// Calls one method.
    func call(
        _ name: String, _ arguments: [String: JSONValue], using capability: String
    ) throws -> [String: JSONValue] {
        let request: JSONValue = [
            "using": ["urn:ietf:params:jmap:core", .string(capability)],
            "methodCalls": [[.string(name), .object(arguments), "0"]],
        ]
        let body = try JSONEncoder().encode(request)
        let head =
            "POST /jmap/api HTTP/1.0\r\nHost: 127.0.0.1:\(port)\r\nOrigin: http://127.0.0.1:\(port)\r\n"
            + "Cookie: \(cookie)\r\nContent-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n"
        let answer = try Self.exchange(port, head, body)
        let json = try? JSONDecoder().decode(JSONValue.self, from: answer.body)
        guard let response = json?["methodResponses"]?.arrayValue?.first?.arrayValue, response.count == 3,
            let result = response[1].objectValue
        else { throw CommandError("The running program answered in a way that was not understood.") }
        guard response[0] != "error" else {
            throw CommandError("The running program refused. \(result["description"]?.stringValue ?? "")")
        }
        return result
    }

    private static func exchange(
        _ port: UInt16, _ head: String, _ body: Data = Data()
    ) throws -> (head: String, body: Data) {
        let stopped = CommandError("The running program cannot be reached.")
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw stopped }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw stopped }
        var rest = Data(head.utf8) + body
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw stopped }
            rest = rest.dropFirst(count)
        }
        var answer = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count >= 0, answer.count < 50_000_000 else { throw stopped }
            if count == 0 { break }
            answer.append(contentsOf: buffer[..<count])
        }
        guard let end = answer.firstRange(of: Data("\r\n\r\n".utf8)) else { throw stopped }
        return (String(decoding: answer[..<end.lowerBound], as: UTF8.self), Data(answer[end.upperBound...]))
    }
}
