import FoundationEssentials
import IMAP
import MailKernelAPI
import OAuth

/// Brings accounts of Gmail and Google Workspace.
struct GmailProvider: AccountProvider {
    private let host: HostServices
    private let endpoints: GmailEndpoints
    private let client: GoogleClient

    init(_ host: HostServices) {
        self.host = host
        endpoints = GmailEndpoints(host.settings, log: host.log)
        client = GoogleClient(host: host)
    }

    var setups: [AccountSetup] {
        [
            AccountSetup(
                id: "gmail", title: "Add your Gmail account", serviceName: "Gmail",
                explanation:
                    "Your browser opens Google's page, where you allow mailkernel to read and send your mail. "
                    + "You need a client ID of your own from Google, which is free. The Gmail guide shows how "
                    + "to get one, step by step.",
                helpURL: Self.help)
        ]
    }

    /// The program's own document, at the address that the page is from.
    private static let help = URL(string: "/docs/gmail.html")

    func authorize(_ step: AuthorizationAnswer) async throws(AccountError) -> AuthorizationStep {
        let signIn = GmailSignIn(endpoints: endpoints, client: client, network: host.network)
        switch step {
        case .begin(let request): return try await signIn.begin(request)
        case .form(let answers, let memory): return try await signIn.filledIn(answers, memory)
        case .redirected(let items, let memory): return try await signIn.cameBack(items, memory)
        }
    }

    func validate(_ candidate: AccountCandidate) async throws(AccountError) -> ValidatedAccount {
        let address = try GmailAccount.address(in: candidate.settings)
        let keeper = keeper(candidate.settings, CandidateSecrets(candidate))
        // First alone, so that a refusal by the mail server is known as such.
        _ = try await keeper.token()
        do throws(AccountError) {
            try await configuration(address, keeper).tryOut(host: host)
        } catch .authenticationRequired(let reason) {
            throw .authenticationRequired(
                reason:
                    "Google refused this address. You may have chosen a different account in the browser, "
                    + "or your administrator does not allow mail apps. Google's answer: \(reason)")
        }
        return ValidatedAccount(
            address: address, displayName: address, identities: [EmailAddress(email: address)])
    }

    func session(
        for account: Account, secrets: any SecretStore
    ) async throws(AccountError) -> any AccountSession {
        let address = try GmailAccount.address(in: account.settings)
        // The account is added: a client that works is worth keeping.
        let keeper = keeper(account.settings, secrets) { [client] in await client.remember($0) }
        return IMAPAccountSession(configuration(address, keeper), host: host)
    }

    func revoke(_ account: Account, secrets: any SecretStore) async throws(AccountError) {
        if let address = try? GmailAccount.address(in: account.settings) {
            LeavingMail(user: address, host: endpoints.imap.endpoint.host, folder: host.dataFolder).remove()
        }
        let drawer = GmailAccount.signIn(account.settings, secrets)
        guard let refreshToken = try await drawer.refreshToken() else { return }
        do throws(TokenFailure) {
            try await TokenEndpoint(endpoints.service, network: host.network).revoke(refreshToken)
        } catch {
            throw error.accountError(endpoints.service)
        }
    }

    private func keeper(
        _ settings: [String: JSONValue], _ secrets: any SecretStore,
        wasAccepted: @escaping @Sendable (OAuthClient) async -> Void = { _ in }
    ) -> TokenKeeper {
        let signIn = GmailAccount.signIn(
            settings, secrets,
            wasRefused: { [client] refusal, used in
                if refusal.isAboutTheClient { await client.forget(used) }
            }, wasAccepted: wasAccepted)
        return TokenKeeper(
            TokenEndpoint(endpoints.service, network: host.network), store: signIn, clock: host.clock)
    }

    private func configuration(_ address: String, _ keeper: TokenKeeper) -> IMAPConfiguration {
        var behavior = IMAPBehavior()
        behavior.savesSentCopies = true
        return IMAPConfiguration(
            imap: endpoints.imap, submission: endpoints.submission,
            login: .oauth(user: address) { refused throws(AccountError) in
                try await keeper.token(refused: refused)
            }, behavior: behavior)
    }
}
