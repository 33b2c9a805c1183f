import FoundationEssentials
public import MailKernelAPI

/// How an account stays signed in at a service whose server was found, as its settings keep it.
public struct FoundService: Sendable, Hashable {
    private enum Key {
        static let issuer = "issuer"
        static let authorization = "authorizationUrl"
        static let token = "tokenUrl"
        static let revocation = "revocationUrl"
        static let scopes = "scopes"
        static let client = "clientId"
        static let hasSecret = "hasClientSecret"
        static let redirect = "redirectUrl"
        static let resource = "resource"
        static let hosts = "hosts"
    }

    public let service: OAuthService
    public let clientID: String
    let issuer: URL
    let redirect: String
    let resource: String?
    /// A client with a secret, which only the account's drawer has.
    let hasSecret: Bool
    /// The hosts that the user has agreed to.
    public let hosts: Set<String>

    init(
        _ server: ServerMetadata, issuer: URL, scopes: [String], client: RegisteredClient,
        resource: String?, hosts: Set<String>
    ) {
        service = Self.service(server, issuer: issuer, scopes: scopes, resource: resource)
        clientID = client.id
        hasSecret = client.secret != nil
        redirect = client.redirect
        self.issuer = issuer
        self.resource = resource
        self.hosts = hosts
    }

    static func service(
        _ server: ServerMetadata, issuer: URL, scopes: [String], resource: String?
    ) -> OAuthService {
        OAuthService(
            name: WebPlace.host(issuer), authorization: server.authorization ?? server.token,
            token: server.token, revocation: server.revocation, scopes: scopes,
            parameters: resource.map { ["resource": $0] } ?? [:])
    }

    /// - Parameter settings: what `settings` was.
    public init?(_ settings: JSONValue) {
        func url(_ key: String) -> URL? { settings[key]?.stringValue.flatMap(WebPlace.read) }
        func texts(_ key: String) -> [String] {
            (settings[key]?.arrayValue ?? []).compactMap(\.stringValue)
        }
        guard let issuer = url(Key.issuer), let token = url(Key.token),
            let client = settings[Key.client]?.stringValue, !client.isEmpty
        else { return nil }
        self.issuer = issuer
        resource = settings[Key.resource]?.stringValue
        service = OAuthService(
            name: WebPlace.host(issuer), authorization: url(Key.authorization) ?? token, token: token,
            revocation: url(Key.revocation), scopes: texts(Key.scopes),
            parameters: resource.map { ["resource": $0] } ?? [:])
        clientID = client
        hasSecret = settings[Key.hasSecret]?.boolValue ?? false
        redirect = settings[Key.redirect]?.stringValue ?? ""
        hosts = Set(texts(Key.hosts))
    }

    public var settings: JSONValue {
        var values: [String: JSONValue] = [
            Key.issuer: .string(issuer.absoluteString),
            Key.authorization: .string(service.authorization.absoluteString),
            Key.token: .string(service.token.absoluteString),
            Key.scopes: .array(service.scopes.map { .string($0) }), Key.client: .string(clientID),
            Key.hasSecret: .bool(hasSecret), Key.redirect: .string(redirect),
            Key.hosts: .array(hosts.sorted().map { .string($0) }),
        ]
        values[Key.revocation] = service.revocation.map { .string($0.absoluteString) }
        values[Key.resource] = resource.map { .string($0) }
        return .object(values)
    }

    /// The client, as far as the browser needs it; nil if it has a secret.
    var registered: RegisteredClient? {
        hasSecret ? nil : RegisteredClient(id: clientID, secret: nil, secretEnds: nil, redirect: redirect)
    }
}

/// The clients that servers no longer know, in a plugin's part of the secret store: the next sign-in registers again.
public struct RefusedClients: Sendable {
    private static let name = "refusedClients"
    private static let most = 20

    private let secrets: any SecretStore

    public init(_ secrets: any SecretStore) { self.secrets = secrets }

    /// Remembers a client that a server refused; other refusals are not about it.
    public func note(_ refusal: TokenFailure.Refusal, _ client: OAuthClient) async {
        guard refusal.isAboutTheClient else { return }
        let known = await ids
        guard !known.contains(client.id) else { return }
        let kept = (known + [client.id]).suffix(Self.most)
        guard let data = try? JSONEncoder().encode(Array(kept)) else { return }
        // Without the note the user has to remove the account to get a new client.
        try? await secrets.store(Secret(String(decoding: data, as: UTF8.self)), named: Self.name)
    }

    func contains(_ id: String) async -> Bool { await ids.contains(id) }

    private var ids: [String] {
        get async {
            let text = (try? await secrets.secret(named: Self.name))??.revealed ?? ""
            return (try? JSONDecoder().decode([String].self, from: Data(text.utf8))) ?? []
        }
    }
}
