public import FoundationEssentials
import MailKernelAPI

/// A message of a client over WebSocket (RFC 8887, section 4.3), and how it is answered.
public enum SocketMessage: Sendable {
    case request(Request)
    case pushEnable(EventSubscription)
    case pushDisable

    /// A request of methods: its message as a whole is what `JMAPService.respond` takes.
    public struct Request: Sendable, Hashable {
        /// The client's name for it.
        public var id: String?

        /// The service's answer as a message.
        public func reply(_ response: Data) -> Data {
            var members = Data("{\"@type\":\"Response\"".utf8)
            if let id { members += Data(",\"requestId\":".utf8) + JSONWriter.write(.string(id)) }
            return SocketMessage.put(members, into: response)
        }
    }

    /// A message that was refused: a RequestError.
    public struct Problem: Error, Sendable, Hashable {
        var problem: RequestProblem
        var requestID: String?

        public init(_ problem: RequestProblem, requestID: String?) {
            self.problem = problem
            self.requestID = requestID
        }

        public var json: Data {
            var object: [String: JSONValue] = [
                "@type": "RequestError", "requestId": requestID.map { .string($0) } ?? .null,
                "type": .string(problem.type), "status": .number(Double(problem.status)),
                "detail": .string(problem.detail),
            ]
            if let limit = problem.limit { object["limit"] = .string(limit) }
            return JSONWriter.write(.object(object))
        }
    }

    public init(_ message: Data) throws(Problem) {
        let json: JSONValue
        do {
            json = try JSONReader.read(message)
        } catch {
            throw Problem(.core("notJSON", "The message is not I-JSON. \(error)"), requestID: nil)
        }
        let id = json["id"]?.stringValue
        guard let object = json.objectValue else {
            throw Problem(.notRequest("The message is not an object."), requestID: nil)
        }
        switch object["@type"]?.stringValue {
        case "Request":
            guard object["id"] == nil || object["id"] == .null || id != nil else {
                throw Problem(.notRequest("“id” must be a string."), requestID: nil)
            }
            self = .request(Request(id: id))
        case "WebSocketPushEnable": self = .pushEnable(try Self.subscription(object))
        case "WebSocketPushDisable": self = .pushDisable
        default:
            throw Problem(
                .notRequest("“@type” must be Request, WebSocketPushEnable or WebSocketPushDisable."),
                requestID: id)
        }
    }

    private static func subscription(_ object: [String: JSONValue]) throws(Problem) -> EventSubscription {
        var members = Arguments(object)
        do throws(MethodError) {
            return EventSubscription(
                types: try members.names("dataTypes").map { Set($0) },
                lastEventID: try members.string("pushState"))
        } catch {
            throw Problem(.notRequest(error.description ?? "The message is invalid."), requestID: nil)
        }
    }

    /// A StateChange with its `pushState`.
    public static func stateChange(_ event: PushEvent) -> Data {
        put(
            Data("{\"pushState\":".utf8) + JSONWriter.write(.string(event.id)), into: Data(event.data.utf8))
    }

    /// Answers can be large, and are not read again to have members added.
    private static func put(_ members: Data, into object: Data) -> Data {
        let rest = object.dropFirst()
        return members + (rest.first == UInt8(ascii: "}") ? rest : Data(",".utf8) + rest)
    }
}
