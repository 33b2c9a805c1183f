import FoundationEssentials
import MailKernelAPI

/// A client that a server registered for this program (RFC 7591).
struct RegisteredClient: Sendable, Hashable, Codable {
    let id: String
    /// Most servers give none to programs on people's devices.
    let secret: String?
    /// When the secret ends, in seconds since 1970; nil if it does not.
    let secretEnds: Double?
    /// Where the browser comes back to: servers may take no other place.
    let redirect: String

    var client: OAuthClient { OAuthClient(id: id, secret: secret.map { Secret($0) }) }

    func isGood(for redirect: String, at now: Date) -> Bool {
        self.redirect == redirect && (secretEnds.map { now.timeIntervalSince1970 + 60 < $0 } ?? true)
    }
}

/// Makes this program known to a server that has never heard of it.
struct ClientRegistration: Sendable {
    private static let name = "mailkernel"
    private static let idLimit = 1_024

    let network: any PluginNetwork

    func register(
        at server: ServerMetadata, redirect: String, scopes: [String]
    ) async throws(DiscoveryFailure) -> RegisteredClient {
        guard let place = server.registration else { throw .noRegistration }
        var grants: [JSONValue] = ["authorization_code", "refresh_token"]
        if server.deviceAuthorization != nil { grants.append(.string(DeviceSignIn.grant)) }
        let wanted: JSONValue = [
            "client_name": .string(Self.name), "software_id": "org.mailkernel",
            "redirect_uris": [.string(redirect)], "application_type": "native",
            "token_endpoint_auth_method": "none", "grant_types": .array(grants),
            "response_types": ["code"], "scope": .string(scopes.joined(separator: " ")),
        ]
        guard let body = try? JSONEncoder().encode(wanted) else { throw .registrationRefused }
        let request = HTTPRequest(
            "POST", place, headers: ["Content-Type": "application/json", "Accept": "application/json"],
            body: DataSource(body), purpose: "register for signing in", silence: .seconds(30))
        let answer: HTTPResponse
        do throws(NetworkError) {
            answer = try await network.send(request)
        } catch {
            throw .network(error)
        }
        switch answer.status {
        case 200, 201: return try Self.read(answer.body, redirect: redirect)
        case 408, 429, 500...: throw .busy(status: answer.status)
        case 404, 405: throw .noRegistration
        default: throw .registrationRefused
        }
    }

    private static func read(_ bytes: Data, redirect: String) throws(DiscoveryFailure) -> RegisteredClient {
        guard bytes.count <= ServerMetadata.sizeLimit,
            let answer = try? JSONDecoder().decode(Answer.self, from: bytes), let id = answer.id,
            isPlain(id), answer.secret.map({ $0.isEmpty || isPlain($0) }) ?? true
        else { throw .notUnderstood }
        // The browser would be led elsewhere.
        guard answer.redirects?.contains(redirect) ?? true else { throw .registrationRefused }
        let secret = answer.secret.flatMap { $0.isEmpty ? nil : $0 }
        let ends = secret == nil ? nil : answer.secretEnds.flatMap { $0 > 0 ? $0 : nil }
        return RegisteredClient(id: id, secret: secret, secretEnds: ends, redirect: redirect)
    }

    private static func isPlain(_ text: String) -> Bool {
        (1...idLimit).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
    }

    private struct Answer: Decodable {
        let id: String?
        let secret: String?
        let secretEnds: Double?
        let redirects: [String]?

        enum CodingKeys: String, CodingKey {
            case id = "client_id"
            case secret = "client_secret"
            case secretEnds = "client_secret_expires_at"
            case redirects = "redirect_uris"
        }
    }
}
