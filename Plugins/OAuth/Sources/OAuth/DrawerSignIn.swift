public import MailKernelAPI
import SigningIn

/// A sign-in in an account's drawer of the secret store. The client's id is no secret and stands elsewhere.
public struct DrawerSignIn: SignInStore {
    private enum Name {
        static let refreshToken = "refreshToken"
        static let clientSecret = "clientSecret"
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
    public static func secrets(refreshToken: Secret, client: OAuthClient) -> [String: Secret] {
        // An empty one takes the place of what an earlier client had.
        [Name.refreshToken: refreshToken, Name.clientSecret: client.secret ?? Secret("")]
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

    public func keep(_ refreshToken: Secret) async throws(AccountError) {
        do throws(SecretError) {
            try await secrets.store(refreshToken, named: Name.refreshToken)
        } catch {
            throw .secrets(error)
        }
    }
}
