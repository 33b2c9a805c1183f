import Foundation
import FoundationNetworking
import MailKernelConformance
import TestSupport
import Testing

/// What the page does: it comes by the start link, gets a session, and asks over JMAP.
final class PageClient: NSObject, URLSessionTaskDelegate, Sendable {
    private let base: URL
    private let cookie: String

    /// - Parameter program: one that is ready.
    init(_ program: Command) async throws {
        let link = try #require(program.outputSoFar.split(separator: " ").last { $0.hasPrefix("http") })
        let start = try #require(URL(string: link.trimmingCharacters(in: .newlines)))
        base = try #require(URL(string: "/", relativeTo: start)).absoluteURL
        let session = URLSession(configuration: .ephemeral, delegate: StaysThere(), delegateQueue: nil)
        let (_, response) = try await session.data(from: start)
        let set = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Set-Cookie")
        cookie = String(try #require(set?.split(separator: ";").first))
    }

    /// Redirects are not followed: the cookie is in the answer before.
    private final class StaysThere: NSObject, URLSessionTaskDelegate {
        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
            completionHandler: @escaping (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }
    }

    /// Sends JSON, or asks for it, and returns the status with what was answered.
    func ask(_ path: String, _ body: [String: Any]? = nil) async throws -> (
        status: Int, answer: [String: Any]
    ) {
        var request = URLRequest(url: base.appending(path: path))
        request.setValue(cookie, forHTTPHeaderField: "Cookie")
        request.setValue(String(base.absoluteString.dropLast()), forHTTPHeaderField: "Origin")
        if let body {
            request.httpMethod = "POST"
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = try JSONSerialization.data(withJSONObject: body)
        }
        let (data, response) = try await URLSession.shared.data(for: request)
        let answer = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, answer ?? [:])
    }

    /// Keeps bytes with an account.
    func upload(_ bytes: Data, to account: String) async throws -> (status: Int, answer: [String: Any]) {
        var request = URLRequest(url: try #require(URL(string: "jmap/upload/\(account)/", relativeTo: base)))
        request.setValue(cookie, forHTTPHeaderField: "Cookie")
        request.setValue(String(base.absoluteString.dropLast()), forHTTPHeaderField: "Origin")
        request.httpMethod = "POST"
        let (data, response) = try await URLSession.shared.upload(for: request, from: bytes)
        let answer = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, answer ?? [:])
    }

    /// One call of any method.
    func request(_ method: String, _ arguments: [String: Any]) async throws -> (
        status: Int, answer: [String: Any]
    ) {
        var using = [
            "urn:ietf:params:jmap:core", "urn:ietf:params:jmap:mail", "urn:ietf:params:jmap:submission",
            "urn:mailkernel:accounts", "urn:mailkernel:actions", "urn:mailkernel:compose",
            "urn:mailkernel:contacts",
            "urn:mailkernel:lock", "urn:mailkernel:notifications", "urn:mailkernel:preferences",
            "urn:mailkernel:plugins", "urn:mailkernel:storage", "urn:mailkernel:sync",
        ]
        // Only offered with a model plugin.
        if method.hasPrefix("Model/") { using.append("urn:mailkernel:models") }
        return try await ask("jmap/api", ["using": using, "methodCalls": [[method, arguments, "0"]]])
    }

    /// The same, and its answer.
    @discardableResult
    func call(_ method: String, _ arguments: [String: Any]) async throws -> [String: Any] {
        let answer = try await request(method, arguments).answer
        // A program that restarts refuses for a moment, which a test may wait for.
        guard let responses = answer["methodResponses"] as? [[Any]], let first = responses.first else {
            throw CannotStart(description: "\(method): \(answer)")
        }
        guard first[0] as? String == method else { throw CannotStart(description: "\(method): \(first)") }
        return first[1] as? [String: Any] ?? [:]
    }

    // MARK: Signing in

    /// A sign-in as the page sees it.
    func signIn(_ id: String) async throws -> [String: Any] {
        let answer = try await call("SignIn/get", ["accountId": "program", "ids": [id]])
        return try #require((answer["list"] as? [[String: Any]])?.first, "\(answer)")
    }

    func beginSignIn(_ object: [String: Any]) async throws -> String {
        let answer = try await call("SignIn/set", ["accountId": "program", "create": ["s": object]])
        let made = (answer["created"] as? [String: [String: Any]])?["s"]
        return try #require(made?["id"] as? String, "\(answer)")
    }

    func answer(_ id: String, _ form: [String: String]) async throws {
        let answer = try await call(
            "SignIn/set", ["accountId": "program", "update": [id: ["form": form]]])
        #expect((answer["updated"] as? [String: Any])?[id] != nil, "\(answer)")
    }

    /// Waits until it is in one of these states. Events tell only that it has changed, so it is looked at.
    func signIn(_ id: String, comesTo states: String...) async throws -> [String: Any] {
        let wanted = "the sign-in is “\(states.joined(separator: ", "))”"
        return try await polling(for: wanted) {
            let now = try await signIn(id)
            guard let state = now["state"] as? String else { return nil }
            if states.contains(state) { return now }
            if state == "failed" { throw CannotStart(description: "not that \(wanted): \(now)") }
            return nil
        }
    }

    // MARK: Mail

    /// Writes and sends a message of one line.
    @discardableResult
    func send(
        from account: String, _ address: String, to recipient: String, subject: String
    ) async throws -> String {
        let mailboxes = try await call("Mailbox/get", ["accountId": account])
        let list = mailboxes["list"] as? [[String: Any]] ?? []
        let drafts = try #require(
            list.first { $0["role"] as? String == "drafts" }?["id"] as? String, "\(list)")
        let identities = try await call("Identity/get", ["accountId": account])
        let identity = try #require((identities["list"] as? [[String: Any]])?.first?["id"] as? String)
        let draft: [String: Any] = [
            "mailboxIds": [drafts: true], "keywords": ["$draft": true], "from": [["email": address]],
            "to": [["email": recipient]], "subject": subject,
            "bodyStructure": ["type": "text/plain", "partId": "1"], "bodyValues": ["1": ["value": "Hello"]],
        ]
        let made = try await call("Email/set", ["accountId": account, "create": ["d": draft]])
        let email = (made["created"] as? [String: [String: Any]])?["d"]?["id"] as? String
        let submission: [String: Any] = [
            "identityId": identity, "emailId": try #require(email, "\(made)"),
        ]
        let sent = try await call(
            "EmailSubmission/set", ["accountId": account, "create": ["s": submission]])
        let created = (sent["created"] as? [String: [String: Any]])?["s"]
        return try #require(created?["id"] as? String, "\(sent)")
    }

    /// Waits until the server has taken a message.
    func isSent(_ submission: String, of account: String) async throws -> Bool {
        try await polling(for: "a message is sent or not") {
            let answer = try await call("EmailSubmission/get", ["accountId": account, "ids": [submission]])
            let state = (answer["list"] as? [[String: Any]])?.first?["sendState"] as? String
            return state == "sent" ? true : state == "failed" ? false : nil
        }
    }

    /// Waits until a message with this subject is in the inbox.
    func isInInbox(of account: String, subject: String) async throws -> Bool {
        try await polling(until: "“\(subject)” is in the inbox") {
            let mailboxes = try await call("Mailbox/get", ["accountId": account])
            let inbox = (mailboxes["list"] as? [[String: Any]])?.first { $0["role"] as? String == "inbox" }
            guard let inbox = inbox?["id"] as? String else { return false }
            let filter = ["inMailbox": inbox, "subject": subject]
            let found = try await call("Email/query", ["accountId": account, "filter": filter])
            return (found["ids"] as? [String])?.isEmpty == false
        }
        return true
    }
}
