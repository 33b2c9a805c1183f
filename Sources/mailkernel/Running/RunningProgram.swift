import FoundationEssentials
import LocalServer
import MailKernelAPI
import Store

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
        else { throw CommandError("The running program denied access to this command.") }
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
        else { throw CommandError("The running program sent an invalid response.") }
        guard response[0] != "error" else {
            throw CommandError(
                "The running program refused the request. \(result["description"]?.stringValue ?? "")")
        }
        return result
    }

    private static func exchange(
        _ port: UInt16, _ head: String, _ body: Data = Data()
    ) throws -> (head: String, body: Data) {
        guard let answer = LoopbackClient.exchange(port: port, request: Data(head.utf8) + body),
            let end = answer.firstRange(of: Data("\r\n\r\n".utf8))
        else { throw CommandError("The running program cannot be reached.") }
        return (String(decoding: answer[..<end.lowerBound], as: UTF8.self), Data(answer[end.upperBound...]))
    }
}
