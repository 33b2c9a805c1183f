import FoundationEssentials
import MailKernelAPI

/// A whole mail service on loopback: OAuth as Google does it, Dovecot, and a submission server that delivers
/// into it. It runs for as long as this process.
public struct MailService: Sendable {
    public struct Place: Sendable, Decodable {
        public let imaps: Int
        /// On 127.0.0.2, where signing in needs TLS.
        public let starttls: Int
        public let submissions: Int
        /// With TLS begun later.
        public let submission: Int
        public let oauth: Int
        public let certificate: String
        public let folder: String
    }

    /// A client that the OAuth server knows, with what it is told to do wrong for it alone.
    public struct Client: Sendable, Decodable {
        public let id: String
        public let secret: String
    }

    /// What the OAuth server saw of a client.
    public struct Seen: Sendable, Decodable {
        /// The kinds of grant that it asked for, in order.
        public let requests: [String]
        /// How many of its tokens are good.
        public let good: Int
        /// Everything that is secret.
        public let tokens: [String]
    }

    public let place: Place

    public static let password = MailServers.password
    private static let running = Task { try await start(["gmail"]) }
    private static let runningUsual = Task { try await start([]) }

    /// With the mailboxes that Gmail has.
    public static func gmail() async throws -> MailService { try await running.value }
    /// With the mailboxes that most have.
    public static func usual() async throws -> MailService { try await runningUsual.value }

    public static var isInstalled: Bool { MailServers.isInstalled }

    public var network: TestNetwork { TestNetwork(trusted: place.certificate) }

    private static func start(_ words: [String]) async throws -> MailService {
        let root = (0..<5).reduce(URL(filePath: #filePath)) { place, _ in place.deletingLastPathComponent() }
        let script =
            "cd '\(root.path)' && Tests/Tools/python-env >&2 && exec .build/python/bin/python -B "
            + "Tests/Servers/mail_service.py " + words.joined(separator: " ")
        // Ends when this process does.
        let child = try Helper(["/bin/sh", "-c", script])
        let line = try child.firstLine()
        return MailService(place: try JSONDecoder().decode(Place.self, from: Data(line.utf8)))
    }

    // MARK: The OAuth server

    public var oauth: String { "https://localhost:\(place.oauth)" }

    public func newClient() async throws -> Client { try await answer("POST", "/_test/client") }

    public func seen(_ client: Client) async throws -> Seen {
        try await answer("GET", "/_test/seen/\(client.id)")
    }

    /// - Parameter policy: JSON with some of `expires_in`, `scope`, `refresh` and `answers`, which are said
    ///   instead of what is right, one after the other: `{"status", "body", "times"}`.
    public func setPolicy(_ policy: String, of client: Client) async throws {
        let _: Nothing = try await answer("POST", "/_test/policy/\(client.id)", json: policy)
    }

    /// Revokes all tokens, as a user does in their Google account.
    public func revokeAll(of client: Client) async throws {
        let _: Nothing = try await answer("POST", "/_test/revoke/\(client.id)")
    }

    /// Access tokens end before their time.
    public func expireAll(of client: Client) async throws {
        let _: Nothing = try await answer("POST", "/_test/expire/\(client.id)")
    }

    /// Goes to the page as a person does, and comes back.
    ///
    /// - Parameter act: “allow”, or “deny”.
    public func visit(_ page: URL, as address: String, act: String = "allow") async throws -> [String: String]
    {
        var request = HTTPRequest("POST", page, purpose: "test")
        request.headers = ["Content-Type": "application/x-www-form-urlencoded"]
        request.body = DataSource(Data("email=\(address.replacing("@", with: "%40"))&act=\(act)".utf8))
        let answer = try await network.send(request)
        guard let location = answer.headers["location"],
            let items = URLComponents(string: location)?.queryItems
        else {
            throw Refused(words: "\(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
        }
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
    }

    public struct Refused: Error { public let words: String }
    private struct Nothing: Decodable {}

    private func answer<Answer: Decodable>(
        _ method: String, _ path: String, json: String? = nil
    ) async throws -> Answer {
        guard let url = URL(string: oauth + path) else { throw Refused(words: path) }
        let answer = try await network.send(
            HTTPRequest(
                method, url, headers: ["Content-Type": "application/json"],
                body: json.map { DataSource(Data($0.utf8)) }, purpose: "test"))
        guard answer.status == 200 else { throw Refused(words: "\(answer.status)") }
        return try JSONDecoder().decode(Answer.self, from: answer.body)
    }
}
