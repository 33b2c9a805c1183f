import FoundationEssentials
import MailKernelAPI
import OAuth
import SigningIn

/// Brings accounts of any service that speaks JMAP.
struct JMAPProvider: AccountProvider {
    private let host: HostServices

    init(_ host: HostServices) { self.host = host }

    var setups: [AccountSetup] {
        [
            AccountSetup(
                id: "jmap", title: "Add a JMAP account", serviceName: "your mail service",
                explanation:
                    "For services that speak JMAP, such as Fastmail, Stalwart and Cyrus. You need your "
                    + "password, or an API token from the service's settings.",
                protocols: [.jmap])
        ] + NamedService.all.map(\.setup)
    }

    func authorize(_ step: AuthorizationAnswer) async throws(AccountError) -> AuthorizationStep {
        let signIn = SignIn(host)
        if let next = try await signIn.next(step) { return next }
        switch step {
        case .begin(let request): return try await signIn.begin(request)
        case .form(let answers, let memory): return try await signIn.filledIn(answers, memory)
        case .redirected, .shown: throw .badAnswer("no browser was requested")
        }
    }

    func validate(_ candidate: AccountCandidate) async throws(AccountError) -> ValidatedAccount {
        let place = try Place(candidate.settings)
        let session = JMAPAccountSession(
            place, wire: try wire(place, CandidateSecrets(candidate), trying: candidate), log: host.log)
        let identities: [EmailAddress]
        do throws(AccountError) {
            _ = try await session.mailboxes()
            identities = try await session.senders()
        } catch {
            await session.close()
            throw error
        }
        await session.close()
        let own = identities.first { $0.email.lowercased() == place.address.lowercased() }
        let name = place.name.isEmpty ? own?.name : place.name
        var all = [EmailAddress(name: name, email: place.address)]
        for identity in identities
        where !all.contains(where: { $0.email.lowercased() == identity.email.lowercased() }) {
            all.append(identity)
        }
        return ValidatedAccount(
            address: place.address, displayName: name ?? place.address, identities: Array(all.prefix(1_000)))
    }

    func session(
        for account: Account, secrets: any SecretStore
    ) async throws(AccountError) -> any AccountSession {
        let place = try Place(account.settings)
        return JMAPAccountSession(place, wire: try wire(place, secrets), log: host.log)
    }

    func revoke(_ account: Account, secrets: any SecretStore) async throws(AccountError) {
        guard let found = try Place(account.settings).found else { return }
        try await DrawerSignIn(clientID: found.clientID, secrets: secrets).revoke(
            at: TokenEndpoint(found.service, network: host.network))
    }

    private func wire(
        _ place: Place, _ secrets: any SecretStore, trying candidate: AccountCandidate? = nil
    ) throws(AccountError) -> Wire {
        var proof = Proof(kind: place.kind, user: place.user, secrets: secrets)
        if place.kind == .oauth {
            guard let found = place.found else {
                throw .authenticationRequired(reason: "The sign-in settings for this service are missing.")
            }
            let first = candidate.flatMap { DrawerSignIn.firstToken(of: $0) }
            proof.renewed = first.map { trial($0) } ?? renewing(found, secrets)
        }
        return Wire(network: host.network, proof: proof, clock: host.clock)
    }

    private typealias Token = @Sendable (_ refused: Secret?) async throws(AccountError) -> Secret

    private func renewing(_ found: FoundService, _ secrets: any SecretStore) -> Token {
        let refused = RefusedClients(host.secrets)
        let store = DrawerSignIn(
            clientID: found.clientID, secrets: secrets, wasRefused: { await refused.note($0, $1) })
        let keeper = TokenKeeper(
            TokenEndpoint(found.service, network: host.network), store: store, clock: host.clock)
        return { refused throws(AccountError) in try await keeper.token(refused: refused) }
    }

    /// While it is tried nothing is renewed: the next refresh token could not be kept yet.
    private func trial(_ first: Secret) -> Token {
        { refused throws(AccountError) in
            guard refused == nil else {
                throw .authenticationRequired(reason: "The mail server did not accept this sign-in.")
            }
            return first
        }
    }
}
