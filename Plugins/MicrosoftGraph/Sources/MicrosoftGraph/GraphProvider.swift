import FoundationEssentials
import MailKernelAPI
import MicrosoftLogin
import OAuth
import Synchronization

/// Brings accounts of Outlook.com and Microsoft 365, through Microsoft Graph.
struct GraphProvider: AccountProvider {
    static let sharedID = "graph-shared"
    /// The program's own document, at the address that the page is from.
    private static let help = URL(string: "/docs/microsoft.html#microsoft-graph-or-imap")

    private let host: HostServices
    private let endpoints: GraphEndpoints
    private let client: ClientMemory
    private let challenges = Challenges()

    init(_ host: HostServices) {
        self.host = host
        endpoints = GraphEndpoints(host.settings, log: host.log)
        client = .microsoft(host)
    }

    /// The plugin for IMAP is offered for the same organizations, and first.
    var setups: [AccountSetup] {
        [
            AccountSetup(
                id: "graph", title: "Add a Microsoft account without IMAP", serviceName: "Microsoft",
                explanation:
                    "Choose this if your organization has turned off IMAP: new mail shows within 30 seconds instead "
                    + "of at once. You sign in with your browser and need a client ID from Microsoft here too.",
                helpURL: Self.help, services: [endpoints.login.cloud.organizations]),
            AccountSetup(
                id: Self.sharedID, title: "Add a shared mailbox of Microsoft 365 without IMAP",
                serviceName: "Microsoft",
                explanation:
                    "You sign in with your own account, which must be allowed to open the shared mailbox.",
                helpURL: Self.help),
        ]
    }

    func authorize(_ step: AuthorizationAnswer) async throws(AccountError) -> AuthorizationStep {
        var claims: String?
        if case .begin(let request) = step, let account = request.account {
            claims = challenges.take(try MicrosoftAccount(account.settings).owner)
        }
        let signIn = MicrosoftSignIn(
            endpoints.login, sharedID: Self.sharedID, client: client, network: host.network, claims: claims
        ) { [endpoints] in endpoints.scopes(isShared: $0) }
        switch step {
        case .begin(let request): return try await signIn.begin(request)
        case .form(let answers, let memory): return try await signIn.filledIn(answers, memory)
        case .redirected(let items, let memory): return try await signIn.cameBack(items, memory)
        case .shown: throw .badAnswer("no code was shown")
        }
    }

    func validate(_ candidate: AccountCandidate) async throws(AccountError) -> ValidatedAccount {
        let account = try MicrosoftAccount(candidate.settings)
        guard let first = DrawerSignIn.firstToken(of: candidate) else {
            throw .badAnswer("the sign-in has no access token")
        }
        // With the token that came with the sign-in: nothing is renewed while it is tried.
        let wire = wire(account) { refused throws(AccountError) in
            guard refused == nil else { throw .authenticationRequired(reason: Sentences.refusedToken) }
            return first
        }
        let owner = try await Trial(wire: wire, account: account).run()
        return ValidatedAccount(
            address: owner.address, displayName: owner.name ?? owner.address,
            identities: [EmailAddress(name: owner.name, email: owner.address)])
    }

    func session(
        for account: Account, secrets: any SecretStore
    ) async throws(AccountError) -> any AccountSession {
        let settings = try MicrosoftAccount(account.settings)
        let signIn = DrawerSignIn(
            clientID: settings.clientID, secrets: secrets, memory: client, remembers: true)
        let service = endpoints.login.service(scopes: endpoints.scopes(isShared: settings.mailbox != nil))
        let keeper = TokenKeeper(
            TokenEndpoint(service, network: host.network), store: signIn, clock: host.clock)
        let wire = wire(settings) { refused throws(AccountError) in try await keeper.token(refused: refused) }
        return GraphAccountSession(
            wire: wire, attempts: Attempts(folder: host.dataFolder, owner: account.address), log: host.log)
    }

    func revoke(_ account: Account, secrets: any SecretStore) async throws(AccountError) {
        // Microsoft has no place where a program could end its sign-in; the guide names the page for users.
        await Attempts(folder: host.dataFolder, owner: account.address).remove()
    }

    private func wire(
        _ account: MicrosoftAccount,
        token: @escaping @Sendable (Secret?) async throws(AccountError) -> Secret
    ) -> GraphWire {
        GraphWire(
            network: host.network, place: endpoints.place(sharedMailbox: account.mailbox), clock: host.clock,
            token: token, challenged: { [challenges] in challenges.note($0, for: account.owner) })
    }
}

/// What servers want to be proved by the next sign-in, by account. Lost at the end of the program: the next request
/// brings it again.
private final class Challenges: Sendable {
    private let all = Mutex<[String: String]>([:])

    func note(_ claims: String, for owner: String) { all.withLock { $0[owner] = claims } }
    func take(_ owner: String) -> String? { all.withLock { $0.removeValue(forKey: owner) } }
}
