import Foundation
import JMAP
import MailKernelAPI

/// The answer to one call.
package struct CallAnswer: Sendable {
    package let name: String
    package let arguments: JSONValue
    package let callID: String

    package subscript(key: String) -> JSONValue { arguments[key] ?? .null }
    /// The type of the error, if it is one.
    package var error: String? { name == "error" ? arguments["type"]?.stringValue : nil }
}

/// Calls as a client makes them. Its JSON is written and read by Foundation and not by what is tested.
extension TestKernel {
    package static let everything = [
        "urn:mailkernel:about", "urn:mailkernel:actions", "urn:mailkernel:lock",
        "urn:mailkernel:storage", "urn:mailkernel:imports",
        "urn:ietf:params:jmap:core", "urn:ietf:params:jmap:mail", "urn:ietf:params:jmap:submission",
        "urn:ietf:params:jmap:sieve", "urn:ietf:params:jmap:blob", "urn:ietf:params:jmap:mdn",
        "urn:ietf:params:jmap:quota",
        "urn:mailkernel:rules", "urn:mailkernel:senders",
        "urn:mailkernel:accounts", "urn:mailkernel:compose", "urn:mailkernel:connections",
        "urn:mailkernel:contacts", "urn:mailkernel:models", "urn:mailkernel:notifications",
        "urn:mailkernel:secrets", "urn:ietf:params:jmap:vacationresponse",
        "urn:mailkernel:plugins", "urn:mailkernel:preferences", "urn:mailkernel:presence",
        "urn:mailkernel:reading", "urn:mailkernel:sync",
    ]
    package static let page = JMAPClient(name: "page", mayWrite: true, isPage: true)
    package static let reader = JMAPClient(name: "reader", mayWrite: false, isPage: false)
    package static let urls = SessionURLs(
        api: "http://localhost/api",
        download: "http://localhost/download/{accountId}/{blobId}/{name}?type={type}",
        upload: "http://localhost/upload", eventSource: "http://localhost/events",
        webSocket: "ws://localhost/ws",
        signIn: "http://127.0.0.1/signin")

    /// Sends a request as it is.
    package func send(_ request: Data, as client: JMAPClient = page) async throws -> JSONValue {
        let answer = try await jmap.respond(to: request, for: client, at: Self.urls)
        return try JSONDecoder().decode(JSONValue.self, from: answer)
    }

    package func send(_ request: JSONValue, as client: JMAPClient = page) async throws -> JSONValue {
        try await send(try JSONEncoder().encode(request), as: client)
    }

    /// Makes calls, named `c0`, `c1` and so on, and returns their answers.
    package func calls(
        _ calls: [(name: String, arguments: JSONValue)], using: [String] = everything,
        as client: JMAPClient = page
    ) async throws -> [CallAnswer] {
        let answer = try await send(
            [
                "using": .array(using.map { .string($0) }),
                "methodCalls": .array(
                    calls.enumerated().map { .array([.string($1.name), $1.arguments, .string("c\($0)")]) }),
            ], as: client)
        return (answer["methodResponses"]?.arrayValue ?? []).map { element in
            let parts = element.arrayValue ?? []
            return CallAnswer(
                name: parts[0].stringValue ?? "", arguments: parts[1], callID: parts[2].stringValue ?? "")
        }
    }

    /// Makes one call of a method of Ada's account, or of the account in the arguments.
    @discardableResult
    package func call(
        _ name: String, _ arguments: JSONValue = [:], using: [String] = everything,
        as client: JMAPClient = page
    ) async throws -> CallAnswer {
        var members = arguments.objectValue ?? [:]
        if members["accountId"] == nil { members["accountId"] = .string(ada.rawValue) }
        guard let answer = try await calls([(name, .object(members))], using: using, as: client).first else {
            throw Missing("an answer")
        }
        return answer
    }

    /// The same for methods that are about the program.
    @discardableResult
    package func program(
        _ name: String, _ arguments: JSONValue = [:], as client: JMAPClient = page
    ) async throws -> CallAnswer {
        var members = arguments.objectValue ?? [:]
        members["accountId"] = "program"
        return try await call(name, .object(members), as: client)
    }

    /// Uploads bytes and returns their blob's id.
    package func upload(
        _ text: String, type: String = "text/plain", to account: Id<Account>? = nil
    ) async throws -> String {
        let upload = try await jmap.upload(type: type, to: (account ?? ada).rawValue, for: Self.page)
        try await upload.write(Data(text.utf8))
        let answer = try JSONDecoder().decode(JSONValue.self, from: try await upload.finish())
        guard let id = answer["blobId"]?.stringValue else { throw Missing("a blob id") }
        return id
    }

    /// Imports a message and returns the email's id.
    package func add(
        _ message: String, to role: Mailbox.Role = .inbox, keywords: [String] = [],
        receivedAt: String? = nil, of account: Id<Account>? = nil
    ) async throws -> String {
        let account = account ?? ada
        var object: [String: JSONValue] = [
            "blobId": .string(try await upload(message, type: "message/rfc822", to: account)),
            "mailboxIds": [try await mailbox(role, of: account).rawValue: true],
            "keywords": .object(Dictionary(uniqueKeysWithValues: keywords.map { ($0, true) })),
        ]
        if let receivedAt { object["receivedAt"] = .string(receivedAt) }
        let answer = try await call(
            "Email/import", ["accountId": .string(account.rawValue), "emails": ["k": .object(object)]])
        guard let id = answer["created"]["k"]?["id"]?.stringValue else {
            throw Missing("an import: \(answer.arguments)")
        }
        return id
    }

    package func download(_ blobID: String, of account: Id<Account>? = nil) async throws -> Data {
        let download = try await jmap.download(blobID, of: (account ?? ada).rawValue, for: Self.page)
        return try await download.bytes.read(at: 0, count: download.bytes.size)
    }
}

extension JSONValue {
    package subscript(index: Int) -> JSONValue? {
        guard let array = arrayValue, array.indices.contains(index) else { return nil }
        return array[index]
    }

    /// The strings of an array.
    package var strings: [String] { (arrayValue ?? []).compactMap(\.stringValue) }
    package var keys: [String] { (objectValue ?? [:]).keys.sorted() }
}
