import FoundationEssentials
import MailKernelAPI
import WebCalls

/// One method call of a request (RFC 8620, 3.2).
struct Call: Sendable {
    let name: String
    let arguments: [String: JSONValue]
    let id: String

    init(_ name: String, _ id: String, _ arguments: [String: JSONValue]) {
        self.name = name
        self.id = id
        self.arguments = arguments
    }

    /// A value of an earlier call of the same request.
    static func result(of id: String, _ name: String, _ path: String) -> JSONValue {
        ["resultOf": .string(id), "name": .string(name), "path": .string(path)]
    }

    var json: JSONValue { [.string(name), .object(arguments), .string(id)] }
}

/// The capabilities that this plugin uses.
enum Capability {
    static let core = "urn:ietf:params:jmap:core"
    static let mail = "urn:ietf:params:jmap:mail"
    static let submission = "urn:ietf:params:jmap:submission"
    static let quota = "urn:ietf:params:jmap:quota"
    static let sieve = "urn:ietf:params:jmap:sieve"
    static let vacation = "urn:ietf:params:jmap:vacationresponse"
}

/// The responses to the calls of a request.
struct Answer: Sendable, Decodable {
    struct Response: Sendable, Decodable {
        let name: String
        let id: String
        /// Of every method but `Email/get`, whose objects are many.
        let value: JSONValue
        let emails: EmailList?

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            name = try list.decode(String.self)
            if name == "Email/get" {
                emails = try list.decode(EmailList.self)
                value = .null
            } else {
                emails = nil
                value = try list.decode(JSONValue.self)
            }
            id = try list.decode(String.self)
        }
    }

    let methodResponses: [Response]
    let sessionState: String?

    /// The first response to this call: an implicit one, such as that of `onSuccessUpdateEmail`, comes later.
    func response(_ id: String) throws(MethodError) -> Response {
        guard let found = methodResponses.first(where: { $0.id == id }) else {
            throw MethodError(["type": "serverPartialFail", "description": "The response is missing."])
        }
        if found.name == "error" { throw MethodError(found.value) }
        return found
    }
}

struct EmailList: Sendable, Decodable {
    let state: String?
    let list: [Lenient<RawEmail>]
    let notFound: [String]?

    var found: [RawEmail] { list.compactMap(\.value) }
}
