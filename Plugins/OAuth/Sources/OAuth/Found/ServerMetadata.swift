public import FoundationEssentials

/// What a server says about how people sign in there (RFC 8414, and what OpenID Connect says the same way).
public struct ServerMetadata: Sendable, Hashable, Codable {
    /// To the letter.
    public let issuer: String
    /// The page for the browser; nil if it cannot be used with a proof key (S256).
    public let authorization: URL?
    public let token: URL
    /// Where programs register themselves (RFC 7591).
    public let registration: URL?
    public let revocation: URL?
    /// Where codes for other devices are issued (RFC 8628).
    public let deviceAuthorization: URL?
    /// Nil if it does not say.
    public let scopes: [String]?
    /// Whether the browser comes back with the issuer (RFC 9207).
    public let namesIssuer: Bool

    static let sizeLimit = 64 * 1_024
    private static let scopeLimit = 500

    /// Items of the query that a sign-in adds itself: an address that has one could lead elsewhere.
    private static let ownItems: Set<String> = [
        "client_id", "redirect_uri", "response_type", "scope", "state", "code_challenge",
        "code_challenge_method", "resource", "login_hint", "request", "request_uri",
    ]

    /// - Parameters:
    ///   - bytes: the answer, which may be anything.
    ///   - asked: the issuer that was asked.
    init(_ bytes: Data, of asked: URL) throws(DiscoveryFailure) {
        guard bytes.count <= Self.sizeLimit, let answer = try? JSONDecoder().decode(Answer.self, from: bytes),
            let issuer = answer.issuer, (answer.scopes?.count ?? 0) <= Self.scopeLimit
        else { throw .notUnderstood }
        guard Self.isSame(issuer, asked.absoluteString) else { throw .otherIssuer }
        guard let token = answer.token else { throw .notUnderstood }
        func place(_ text: String?) throws(DiscoveryFailure) -> URL? {
            guard let text else { return nil }
            guard let url = WebPlace.read(text), WebPlace.mayName(url, from: asked) else {
                throw .unsafePlace
            }
            return url
        }
        guard let token = try place(token) else { throw .notUnderstood }
        let page = try place(answer.authorization)
        if let page, !WebPlace.names(page).isDisjoint(with: Self.ownItems) { throw .unsafePlace }
        if let page, !WebPlace.isBeside(page, asked) { throw .otherPage }
        let isProved = answer.challenges?.contains("S256") == true
        let hasCodes = answer.responses?.contains("code") ?? true
        let isGranted = answer.grants?.contains("authorization_code") ?? true
        self.issuer = issuer
        self.token = token
        authorization = isProved && hasCodes && isGranted ? page : nil
        registration = try place(answer.registration)
        revocation = try place(answer.revocation)
        deviceAuthorization = try place(answer.device)
        scopes = answer.scopes
        namesIssuer = answer.namesIssuer ?? false
        guard authorization != nil || deviceAuthorization != nil else { throw .noWay }
    }

    /// All hosts, in lower case.
    var hosts: Set<String> {
        Set(
            [authorization, token, registration, revocation, deviceAuthorization].compactMap(\.self)
                .map(WebPlace.host))
    }

    /// To the letter, but for the slash that stands for no path.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        func plain(_ text: String) -> String {
            text.hasSuffix("/") && text.utf8.count(where: { $0 == UInt8(ascii: "/") }) == 3
                ? String(text.dropLast()) : text
        }
        return plain(one) == plain(other)
    }

    private struct Answer: Decodable {
        let issuer: String?
        let authorization: String?
        let token: String?
        let registration: String?
        let revocation: String?
        let device: String?
        let scopes: [String]?
        let responses: [String]?
        let grants: [String]?
        let challenges: [String]?
        let namesIssuer: Bool?

        enum CodingKeys: String, CodingKey {
            case issuer
            case authorization = "authorization_endpoint"
            case token = "token_endpoint"
            case registration = "registration_endpoint"
            case revocation = "revocation_endpoint"
            case device = "device_authorization_endpoint"
            case scopes = "scopes_supported"
            case responses = "response_types_supported"
            case grants = "grant_types_supported"
            case challenges = "code_challenge_methods_supported"
            case namesIssuer = "authorization_response_iss_parameter_supported"
        }
    }
}
