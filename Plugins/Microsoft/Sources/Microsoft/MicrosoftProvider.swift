import FoundationEssentials
import IMAP
import MailKernelAPI
import MicrosoftLogin
import OAuth

/// Brings accounts of Outlook.com and Microsoft 365, over IMAP and SMTP.
struct MicrosoftProvider: AccountProvider {
    static let sharedID = "microsoft-shared"

    private let host: HostServices
    private let endpoints: MicrosoftEndpoints
    private let client: ClientMemory

    init(_ host: HostServices) {
        self.host = host
        endpoints = MicrosoftEndpoints(host.settings, log: host.log)
        client = .microsoft(host)
    }

    var setups: [AccountSetup] {
        [
            AccountSetup(
                id: "microsoft", title: "Add your Outlook or Microsoft 365 account", serviceName: "Microsoft",
                explanation:
                    "Your browser opens Microsoft's page, where you allow mailkernel to read and send your mail. "
                    + "You need a client ID from Microsoft, your own or your organization's. The Microsoft guide "
                    + "shows how to get one.",
                helpURL: Self.help, services: endpoints.cloud.services),
            AccountSetup(
                id: Self.sharedID, title: "Add a shared mailbox of Microsoft 365",
                serviceName: "Microsoft",
                explanation:
                    "You sign in with your own account, which must be allowed to open the shared mailbox.",
                helpURL: Self.help),
        ]
    }

    /// The program's own document, at the address that the page is from.
    private static let help = URL(string: "/docs/microsoft.html")

    func authorize(_ step: AuthorizationAnswer) async throws(AccountError) -> AuthorizationStep {
        let signIn = MicrosoftSignIn(
            endpoints.login, sharedID: Self.sharedID, client: client, network: host.network
        ) { [endpoints] _ in endpoints.service.scopes }
        switch step {
        case .begin(let request): return try await signIn.begin(request)
        case .form(let answers, let memory): return try await signIn.filledIn(answers, memory)
        case .redirected(let items, let memory): return try await signIn.cameBack(items, memory)
        case .shown: throw .badAnswer("no code was shown")
        }
    }

    func validate(_ candidate: AccountCandidate) async throws(AccountError) -> ValidatedAccount {
        let account = try MicrosoftAccount(candidate.settings)
        let configuration = configuration(account, try login(account, trying: candidate))
        do throws(AccountError) {
            try await configuration.tryReceiving(host: host)
        } catch .authenticationRequired(let reason) {
            throw .authenticationRequired(reason: MailRefusal.receiving(account, answer: reason))
        }
        do throws(AccountError) {
            try await configuration.trySending(host: host)
        } catch .authenticationRequired(let reason) {
            throw .authenticationRequired(reason: MailRefusal.sending(answer: reason))
        }
        return ValidatedAccount(
            address: account.owner, displayName: account.owner,
            identities: [EmailAddress(email: account.owner)])
    }

    func session(
        for account: Account, secrets: any SecretStore
    ) async throws(AccountError) -> any AccountSession {
        let account = try MicrosoftAccount(account.settings)
        let store = DrawerSignIn(
            clientID: account.clientID, secrets: secrets, memory: client, remembers: true)
        let keeper = TokenKeeper(
            TokenEndpoint(endpoints.service, network: host.network), store: store, clock: host.clock)
        let login = IMAPLogin.oauth(user: account.owner) { refused throws(AccountError) in
            try await keeper.token(refused: refused)
        }
        return IMAPAccountSession(configuration(account, login), host: host)
    }

    func revoke(_ account: Account, secrets: any SecretStore) async throws(AccountError) {
        // Microsoft has no place where a program could end its sign-in; the guide names the page for users.
        let account = try MicrosoftAccount(account.settings)
        LeavingMail(user: account.owner, host: endpoints.imap.endpoint.host, folder: host.dataFolder).remove()
    }

    /// With the token that came with the sign-in: nothing is renewed while it is tried.
    private func login(
        _ account: MicrosoftAccount, trying candidate: AccountCandidate
    ) throws(AccountError) -> IMAPLogin {
        guard let first = DrawerSignIn.firstToken(of: candidate) else {
            throw .badAnswer("the sign-in has no access token")
        }
        return .trial(user: account.owner, token: first)
    }

    private func configuration(_ account: MicrosoftAccount, _ login: IMAPLogin) -> IMAPConfiguration {
        var behavior = IMAPBehavior()
        behavior.savesSentCopies = true
        return IMAPConfiguration(
            imap: endpoints.imap, submission: endpoints.submission, login: login, behavior: behavior)
    }
}
