public import MailKernelAPI
import Synchronization

/// The client of users who bring their own: given in the settings, or typed once and remembered.
public struct ClientMemory: Sendable {
    /// How a client is written as a secret.
    public struct Format: Sendable {
        let text: @Sendable (OAuthClient) -> String?
        let client: @Sendable (String) -> OAuthClient?

        public init(
            text: @escaping @Sendable (OAuthClient) -> String?,
            client: @escaping @Sendable (String) -> OAuthClient?
        ) {
            self.text = text
            self.client = client
        }
    }

    private static let secretName = "client"

    private let secrets: any SecretStore
    private let format: Format
    private let given: @Sendable () -> OAuthClient?
    private let recent = Recent()

    /// The client of a sign-in since the start: nothing is stored before an account is added, and the next
    /// account may be added before the first one is in use.
    private final class Recent: Sendable {
        let client = Mutex<OAuthClient?>(nil)
    }

    /// - Parameters:
    ///   - secrets: of the plugin.
    ///   - given: the client of the settings, which is used before any other.
    public init(
        _ secrets: any SecretStore, format: Format, given: @escaping @Sendable () -> OAuthClient?
    ) {
        self.secrets = secrets
        self.format = format
        self.given = given
    }

    /// Nil if there is none: the user has to be asked.
    public func known() async throws(AccountError) -> OAuthClient? {
        if let client = given() ?? recent.client.withLock({ $0 }) { return client }
        do throws(SecretError) {
            return try await secrets.secret(named: Self.secretName).flatMap { format.client($0.revealed) }
        } catch {
            // Without a secret store no account can be added either, which is reported later.
            guard error == .locked else { return nil }
            throw .secrets(error)
        }
    }

    /// Whether the user can change it only in the form.
    public var isTyped: Bool { given() == nil }

    /// The service accepted this client.
    public func note(_ client: OAuthClient) {
        recent.client.withLock { $0 = client }
    }

    /// Keeps a client that an added account uses, so that the next one need not ask for it.
    public func remember(_ client: OAuthClient) async {
        guard isTyped, let text = format.text(client), await stored() != client else { return }
        // If it cannot be kept, the user is asked once more.
        try? await secrets.store(Secret(text), named: Self.secretName)
    }

    /// The service no longer accepts this client: the next sign-in asks for another.
    public func forget(_ client: OAuthClient) async {
        recent.client.withLock { if $0 == client { $0 = nil } }
        guard await stored() == client else { return }
        try? await secrets.removeSecret(named: Self.secretName)
    }

    private func stored() async -> OAuthClient? {
        (try? await secrets.secret(named: Self.secretName))?.flatMap { format.client($0.revealed) }
    }
}

extension DrawerSignIn {
    /// A sign-in with a client from this memory, which learns whether the service still accepts it.
    ///
    /// - Parameter remembers: false while a candidate is tried: only a client that works is worth keeping.
    public init(
        clientID: String?, secrets: any SecretStore, memory: ClientMemory, remembers: Bool
    ) {
        self.init(
            clientID: clientID, secrets: secrets,
            wasRefused: { refusal, used in
                if refusal.isAboutTheClient { await memory.forget(used) }
            },
            wasAccepted: { used in
                if remembers { await memory.remember(used) }
            })
    }
}
