public import MailKernelAPI
import SigningIn

/// A sign-in in an account's drawer of the secret store. The client's id is no secret and stands elsewhere.
public struct DrawerSignIn: SignInStore {
    private enum Name {
        static let refreshToken = "refreshToken"
        static let clientSecret = "clientSecret"
        static let firstToken = "accessToken"
    }

    private let clientID: String?
    private let secrets: any SecretStore

    private let wasRefused: @Sendable (TokenFailure.Refusal, OAuthClient) async -> Void
    private let wasAccepted: @Sendable (OAuthClient) async -> Void

    /// - Parameters:
    ///   - wasRefused: told when the service does not renew the sign-in.
    ///   - wasAccepted: told when it does.
    public init(
        clientID: String?, secrets: any SecretStore,
        wasRefused: @escaping @Sendable (TokenFailure.Refusal, OAuthClient) async -> Void = { _, _ in },
        wasAccepted: @escaping @Sendable (OAuthClient) async -> Void = { _ in }
    ) {
        self.clientID = clientID
        self.secrets = secrets
        self.wasRefused = wasRefused
        self.wasAccepted = wasAccepted
    }

    public func refused(_ refusal: TokenFailure.Refusal, _ client: OAuthClient) async {
        await wasRefused(refusal, client)
    }

    public func accepted(_ client: OAuthClient) async { await wasAccepted(client) }

    /// What `AccountCandidate.secrets` has to hold.
    ///
    /// - Parameter firstToken: the access token that came with the sign-in, where a candidate is tried with it.
    public static func secrets(
        refreshToken: Secret, client: OAuthClient, firstToken: Secret? = nil
    ) -> [String: Secret] {
        // An empty one takes the place of what an earlier client had.
        var secrets = [Name.refreshToken: refreshToken, Name.clientSecret: client.secret ?? Secret("")]
        secrets[Name.firstToken] = firstToken
        return secrets
    }

    /// For trying a candidate without renewing its sign-in: some services give the next refresh token with the
    /// next access token, and that one could not be kept yet.
    public static func firstToken(of candidate: AccountCandidate) -> Secret? {
        candidate.secrets[Name.firstToken]
    }

    public func signIn() async throws(AccountError) -> (refreshToken: Secret, client: OAuthClient) {
        guard let clientID, let refreshToken = try await refreshToken() else {
            throw .authenticationRequired(reason: "The sign-in is missing from your secret store.")
        }
        return (
            refreshToken, OAuthClient(id: clientID, secret: try await secrets.existing(Name.clientSecret))
        )
    }

    /// Nil if there is none.
    public func refreshToken() async throws(AccountError) -> Secret? {
        try await secrets.existing(Name.refreshToken)
    }

    /// Ends the sign-in at its service, if there is one.
    public func revoke(at endpoint: TokenEndpoint) async throws(AccountError) {
        guard let refreshToken = try await refreshToken() else { return }
        do throws(TokenFailure) {
            try await endpoint.revoke(refreshToken)
        } catch {
            throw error.accountError(endpoint.service)
        }
    }

    public func keep(_ refreshToken: Secret) async throws(AccountError) {
        do throws(SecretError) {
            try await secrets.store(refreshToken, named: Name.refreshToken)
        } catch {
            throw .secrets(error)
        }
    }
}
