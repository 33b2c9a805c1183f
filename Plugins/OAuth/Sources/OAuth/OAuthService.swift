public import FoundationEssentials
public import MailKernelAPI

/// A service that signs in with OAuth 2.0, as values.
public struct OAuthService: Sendable, Hashable {
    /// Who it is, in sentences: "Google".
    public var name: String
    /// The page that the browser opens.
    public var authorization: URL
    /// Where codes and refresh tokens become access tokens.
    public var token: URL
    /// Where a sign-in is ended; nil if the service has no such place.
    public var revocation: URL?
    public var scopes: [String]
    /// What else the page has to be told, such as `access_type`.
    public var parameters: [String: String]

    public init(
        name: String, authorization: URL, token: URL, revocation: URL? = nil, scopes: [String],
        parameters: [String: String] = [:]
    ) {
        self.name = name
        self.authorization = authorization
        self.token = token
        self.revocation = revocation
        self.scopes = scopes
        self.parameters = parameters
    }
}

/// The program's client at the service. For installed programs the secret protects nothing, but some services
/// require it.
public struct OAuthClient: Sendable, Hashable {
    public var id: String
    public var secret: Secret?

    public init(id: String, secret: Secret?) {
        self.id = id
        self.secret = secret
    }
}
