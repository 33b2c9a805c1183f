import MailKernelAPI
import OAuth
import Synchronization

/// The client that signs in at Microsoft: in the settings, or typed once and remembered.
struct ClientMemory: Sendable {
    private static let secretName = "client"

    let host: HostServices
    /// Of a sign-in since the start: nothing is stored before an account is added.
    private let recent = Recent()

    private final class Recent: Sendable {
        let id = Mutex<String?>(nil)
    }

    init(host: HostServices) {
        self.host = host
    }

    /// Nil if there is none: the user has to be asked.
    func known() async throws(AccountError) -> OAuthClient? {
        if let id = inSettings ?? recent.id.withLock({ $0 }) { return OAuthClient(id: id, secret: nil) }
        do throws(SecretError) {
            let kept = try await host.secrets.secret(named: Self.secretName)
            return kept.map { OAuthClient(id: $0.revealed, secret: nil) }
        } catch {
            // Without a secret store no account can be added either, which is reported later.
            guard error == .locked else { return nil }
            throw .secrets(error)
        }
    }

    /// Whether the user can only say another one in the form.
    var isTyped: Bool { inSettings == nil }

    /// Microsoft has let this one in.
    func note(_ client: OAuthClient) {
        recent.id.withLock { $0 = client.id }
    }

    /// Keeps a client that an added account uses, so that the next one need not ask for it.
    func remember(_ client: OAuthClient) async {
        guard isTyped, (try? await host.secrets.secret(named: Self.secretName))?.revealed != client.id
        else { return }
        // That it could not be kept means to be asked once more.
        try? await host.secrets.store(Secret(client.id), named: Self.secretName)
    }

    /// Microsoft no longer accepts it: the next sign-in asks for another.
    func forget(_ client: OAuthClient) async {
        recent.id.withLock { if $0 == client.id { $0 = nil } }
        guard (try? await host.secrets.secret(named: Self.secretName))?.revealed == client.id else { return }
        try? await host.secrets.removeSecret(named: Self.secretName)
    }

    private var inSettings: String? {
        host.settings["clientId"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
    }
}
