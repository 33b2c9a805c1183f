import FoundationEssentials
import IMAP
import MailKernelAPI
import OAuth
import SigningIn

/// Brings accounts of Gmail and Google Workspace.
struct GmailProvider: AccountProvider {
    private let host: HostServices
    private let endpoints: GmailEndpoints
    private let client: ClientMemory

    init(_ host: HostServices) {
        self.host = host
        endpoints = GmailEndpoints(host.settings, log: host.log)
        client = GoogleClient.memory(host)
    }

    var setups: [AccountSetup] {
        [
            AccountSetup(
                id: "gmail", title: "Add your Gmail account", serviceName: "Gmail",
                explanation:
                    "Your browser opens Google's page, where you allow mailkernel to read and send your mail. "
                    + "You need a client ID of your own from Google, which is free and takes about ten minutes. "
                    + "The Gmail guide shows how to get one, step by step.",
                helpURL: Self.help, services: [service]),
            AccountSetup(
                id: GmailPassword.setupID, title: "Add Gmail with an app password", serviceName: "Gmail",
                explanation:
                    "The quick way: four clicks at Google, no client ID. Your account needs 2-Step Verification. "
                    + "An app password opens all of your mail and does not expire; you can revoke it at Google.",
                helpURL: Self.passwordHelp, services: [service]),
        ]
    }

    /// Gmail, and domains whose mail Google receives.
    private var service: KnownService {
        KnownService(
            id: "gmail", name: "Gmail", domains: ["gmail.com", "googlemail.com"],
            mailHosts: ["google.com", "googlemail.com"],
            incoming: DiscoveredServer(
                endpoints.imap.endpoint.host, port: endpoints.imap.endpoint.port,
                security: endpoints.imap.security),
            submission: DiscoveredServer(
                endpoints.submission.endpoint.host, port: endpoints.submission.endpoint.port,
                security: endpoints.submission.security))
    }

    /// The program's own document, at the address that the page is from.
    private static let help = URL(string: "/docs/gmail.html")
    private static let passwordHelp = URL(string: "/docs/gmail.html#an-app-password")

    private var password: GmailPassword { GmailPassword(imap: endpoints.imap) }

    func authorize(_ step: AuthorizationAnswer) async throws(AccountError) -> AuthorizationStep {
        let signIn = GmailSignIn(endpoints, client: client, network: host.network)
        switch step {
        case .begin(let request):
            // The user chooses the way of a new account, and of one whose sign-in is to be changed.
            let isChosen = request.account == nil || request.discovered?.isToBeChanged == true
            let current = request.account.map { GmailAccount.usesAppPassword($0.settings) } ?? false
            if isChosen ? request.setupID == GmailPassword.setupID : current {
                return password.begin(again: request.account)
            }
            return try await signIn.begin(request)
        case .form(let answers, let memory) where GmailPassword.asked(memory):
            return .finished([try password.filledIn(answers, memory)])
        case .form(let answers, let memory): return try await signIn.filledIn(answers, memory)
        case .redirected(let items, let memory): return try await signIn.cameBack(items, memory)
        case .shown: throw .badAnswer("no code was shown")
        }
    }

    func validate(_ candidate: AccountCandidate) async throws(AccountError) -> ValidatedAccount {
        let address = try GmailAccount.address(in: candidate.settings)
        if GmailAccount.usesAppPassword(candidate.settings) {
            try await tryPassword(address, CandidateSecrets(candidate))
        } else {
            try await tryToken(
                address, keeper(candidate.settings, CandidateSecrets(candidate), remembers: false))
        }
        return ValidatedAccount(
            address: address, displayName: address, identities: [EmailAddress(email: address)])
    }

    private func tryPassword(_ address: String, _ secrets: any SecretStore) async throws(AccountError) {
        do throws(AccountError) {
            try await configuration(password.login(address, secrets)).tryOut(host: host)
        } catch {
            throw error.explainedForAppPasswords
        }
    }

    private func tryToken(_ address: String, _ keeper: TokenKeeper) async throws(AccountError) {
        // First alone, so that a refusal by the mail server is known as such.
        _ = try await keeper.token()
        do throws(AccountError) {
            try await configuration(login(address, keeper)).tryOut(host: host)
        } catch .authenticationRequired(let reason) {
            throw .authenticationRequired(
                reason:
                    "Google refused this address. You may have chosen a different account in the browser, "
                    + "or your administrator does not allow mail apps. Google's answer: \(reason)")
        }
    }

    func session(
        for account: Account, secrets: any SecretStore
    ) async throws(AccountError) -> any AccountSession {
        let address = try GmailAccount.address(in: account.settings)
        if GmailAccount.usesAppPassword(account.settings) {
            return IMAPAccountSession(configuration(password.login(address, secrets)), host: host)
        }
        let keeper = keeper(account.settings, secrets, remembers: true)
        return IMAPAccountSession(configuration(login(address, keeper)), host: host)
    }

    func revoke(_ account: Account, secrets: any SecretStore) async throws(AccountError) {
        if let address = try? GmailAccount.address(in: account.settings) {
            LeavingMail(user: address, host: endpoints.imap.endpoint.host, folder: host.dataFolder).remove()
        }
        // An app password can only be revoked at Google, by its owner.
        guard !GmailAccount.usesAppPassword(account.settings) else { return }
        try await GmailAccount.signIn(account.settings, secrets, memory: client, remembers: false)
            .revoke(at: TokenEndpoint(endpoints.service, network: host.network))
    }

    private func keeper(
        _ settings: [String: JSONValue], _ secrets: any SecretStore, remembers: Bool
    ) -> TokenKeeper {
        TokenKeeper(
            TokenEndpoint(endpoints.service, network: host.network),
            store: GmailAccount.signIn(settings, secrets, memory: client, remembers: remembers),
            clock: host.clock)
    }

    private func login(_ address: String, _ keeper: TokenKeeper) -> IMAPLogin {
        .oauth(user: address) { refused throws(AccountError) in try await keeper.token(refused: refused) }
    }

    private func configuration(_ login: IMAPLogin) -> IMAPConfiguration {
        var behavior = IMAPBehavior()
        behavior.savesSentCopies = true
        return IMAPConfiguration(
            imap: endpoints.imap, submission: endpoints.submission, login: login, behavior: behavior)
    }
}
