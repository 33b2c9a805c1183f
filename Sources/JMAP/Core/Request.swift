import FoundationEssentials
import MailKernelAPI

/// A request as it came (RFC 8620, section 3.3).
struct Request {
    struct Call {
        var name: String
        var arguments: [String: JSONValue]
        var id: String
    }

    var capabilities: Set<Capability>
    var calls: [Call]
    /// Nil if the client did not send it, and then does not want it back.
    var createdIDs: [String: String]?

    init(_ data: Data, limits: JMAPLimits) throws(RequestProblem) {
        guard data.count <= limits.maxSizeRequest else {
            throw .limit("maxSizeRequest", "A request can have at most \(limits.maxSizeRequest) bytes.")
        }
        let json: JSONValue
        do {
            json = try JSONReader.read(data)
        } catch {
            throw .core("notJSON", "The request is not I-JSON. \(error)")
        }
        guard let object = json.objectValue else { throw .notRequest("It is not an object.") }
        capabilities = try Self.capabilities(object["using"])
        guard let list = object["methodCalls"]?.arrayValue else {
            throw .notRequest("“methodCalls” must be an array.")
        }
        guard list.count <= limits.maxCallsInRequest else {
            throw .limit("maxCallsInRequest", "A request can have at most \(limits.maxCallsInRequest) calls.")
        }
        calls = []
        for element in list { calls.append(try Self.call(element)) }
        createdIDs = try Self.createdIDs(object["createdIds"])
    }

    private static func capabilities(_ value: JSONValue?) throws(RequestProblem) -> Set<Capability> {
        guard let list = value?.arrayValue else {
            throw .notRequest("“using” must be an array of strings.")
        }
        var capabilities: Set<Capability> = []
        for element in list {
            guard let name = element.stringValue else {
                throw .notRequest("“using” must be an array of strings.")
            }
            guard let capability = Capability(rawValue: ExactName.of(name)) else {
                throw .core(
                    "unknownCapability", "The capability “\(name.prefix(100))” is not supported.")
            }
            capabilities.insert(capability)
        }
        return capabilities
    }

    private static func call(_ value: JSONValue) throws(RequestProblem) -> Call {
        guard let parts = value.arrayValue, parts.count == 3, let name = parts[0].stringValue,
            let arguments = parts[1].objectValue, let id = parts[2].stringValue
        else { throw .notRequest("Each call must be an array of a name, an object and a call id.") }
        return Call(name: name, arguments: arguments, id: id)
    }

    private static func createdIDs(_ value: JSONValue?) throws(RequestProblem) -> [String: String]? {
        guard let value, value != .null else { return nil }
        guard let object = value.objectValue else {
            throw .notRequest("“createdIds” must be an object of ids.")
        }
        var ids: [String: String] = [:]
        for (key, id) in object {
            guard Id<Any>(key).isValid, let id = id.stringValue, Id<Any>(id).isValid else {
                throw .notRequest("“createdIds” must be an object of ids.")
            }
            ids[key] = id
        }
        return ids
    }
}

extension RequestProblem {
    static func core(_ name: String, _ detail: String) -> RequestProblem {
        RequestProblem(type: "urn:ietf:params:jmap:error:\(name)", status: 400, detail: detail)
    }

    static func notRequest(_ detail: String) -> RequestProblem { core("notRequest", detail) }

    static func limit(_ name: String, _ detail: String) -> RequestProblem {
        RequestProblem(type: "urn:ietf:params:jmap:error:limit", status: 400, detail: detail, limit: name)
    }
}
