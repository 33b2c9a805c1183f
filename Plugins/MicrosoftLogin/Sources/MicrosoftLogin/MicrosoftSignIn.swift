import FoundationEssentials
public import MailKernelAPI
public import OAuth
import SigningIn

/// The way from a setup to an account that can be tried.
public struct MicrosoftSignIn: Sendable {
    private let settings: MicrosoftSettings
    private let sharedID: String
    private let client: ClientMemory
    private let network: any PluginNetwork
    /// The permissions, for one's own mailbox or a shared one.
    private let scopes: @Sendable (_ isShared: Bool) -> [String]
    private let claims: String?

    /// - Parameters:
    ///   - sharedID: the setup for shared mailboxes.
    ///   - claims: what a server wants to be proved by the sign-in (OAuth's parameter `claims`); nil if nothing.
    ///   - scopes: the permissions, for one's own mailbox or a shared one.
    public init(
        _ settings: MicrosoftSettings, sharedID: String, client: ClientMemory, network: any PluginNetwork,
        claims: String? = nil, scopes: @escaping @Sendable (_ isShared: Bool) -> [String]
    ) {
        self.settings = settings
        self.sharedID = sharedID
        self.client = client
        self.network = network
        self.claims = claims
        self.scopes = scopes
    }

    private func steps(isShared: Bool) -> ClientSignIn {
        var service = settings.service(scopes: scopes(isShared))
        service.parameters["claims"] = claims
        return ClientSignIn(
            TokenEndpoint(service, network: network), memory: client,
            form: MicrosoftForm(isMicrosoft: settings.isMicrosoft, sharedID: sharedID))
    }

    public func begin(_ request: AuthorizationRequest) async throws(AccountError) -> AuthorizationStep {
        let again = try request.account.map { account throws(AccountError) in
            try MicrosoftAccount(account.settings)
        }
        let address = again?.address ?? request.discovered?.address
        let isShared = again.map { $0.mailbox != nil } ?? (request.setupID == sharedID)
        return try await steps(isShared: isShared).begin(
            request, redirect: try Self.registered(request.redirect),
            note: address.map { MicrosoftForm.note($0, mailbox: again?.mailbox) },
            lastClientID: again?.clientID)
    }

    /// Microsoft lets programs return to any port of `localhost`, by this name alone.
    private static func registered(_ redirect: URL) throws(AccountError) -> URL {
        let text = redirect.absoluteString.replacing(
            "//127.0.0.1:", with: "//localhost:", maxReplacements: 1)
        guard let url = URL(string: text) else { throw .badAnswer("the address to return to is invalid") }
        return url
    }

    /// What the state of a form says about the mailbox.
    private struct Asked: SignInState {
        let setupID: String
        let note: [String: String]?
    }

    public func filledIn(
        _ answers: [String: Secret], _ memory: Secret
    ) async throws(AccountError) -> AuthorizationStep {
        let asked = try Asked(memory)
        let isShared = asked.note.map { $0[MicrosoftForm.mailbox] != nil } ?? (asked.setupID == sharedID)
        return try await steps(isShared: isShared).filledIn(answers, memory)
    }

    public func cameBack(
        _ items: [String: String], _ memory: Secret
    ) async throws(AccountError) -> AuthorizationStep {
        .finished([MicrosoftAccount.candidate(try await steps(isShared: false).cameBack(items, memory))])
    }
}

extension ClientMemory {
    /// The client that the settings name as `clientId`, or the one that was typed. Microsoft's have no secret.
    public static func microsoft(_ host: HostServices) -> ClientMemory {
        ClientMemory(
            host.secrets, format: Format(text: { $0.id }, client: { OAuthClient(id: $0, secret: nil) })
        ) {
            host.settings["clientId"]?.stringValue.flatMap {
                $0.isEmpty ? nil : OAuthClient(id: $0, secret: nil)
            }
        }
    }
}
