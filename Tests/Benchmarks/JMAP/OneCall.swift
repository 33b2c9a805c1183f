import FoundationEssentials
import MailKernelAPI

extension HTTPConnection {
    /// Makes one call and returns the arguments of its answer. A record that was refused is an error.
    @discardableResult func call(
        _ method: String, _ arguments: JSONValue, in account: String
    ) throws -> JSONValue {
        var members = arguments.objectValue ?? [:]
        if members["accountId"] == nil { members["accountId"] = .string(account) }
        let text = String(decoding: try JSONEncoder().encode(JSONValue.object(members)), as: UTF8.self)
        let answer = try JSONDecoder().decode(
            JSONValue.self, from: try call("[\"\(method)\",\(text),\"0\"]"))
        let result = answer["methodResponses"]?.arrayValue?.first?.arrayValue?.dropFirst().first ?? .null
        for problem in ["notCreated", "notUpdated", "notDestroyed"] {
            if let object = result[problem]?.objectValue, !object.isEmpty {
                throw BenchError(description: "\(method): \(object)")
            }
        }
        return result
    }
}
