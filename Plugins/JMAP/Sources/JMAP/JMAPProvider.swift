import FoundationEssentials
import MailKernelAPI
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
        let signIn = SignIn(network: host.network, clock: host.clock)
        switch step {
        case .begin(let request): return try signIn.begin(request)
        case .form(let answers, let memory): return try await signIn.filledIn(answers, memory)
        case .redirected, .shown: throw .badAnswer("no browser was requested")
        }
    }

    func validate(_ candidate: AccountCandidate) async throws(AccountError) -> ValidatedAccount {
        let place = try Place(candidate.settings)
        let session = JMAPAccountSession(
            place, wire: wire(place, CandidateSecrets(candidate)), log: host.log)
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
        return JMAPAccountSession(place, wire: wire(place, secrets), log: host.log)
    }

    private func wire(_ place: Place, _ secrets: any SecretStore) -> Wire {
        Wire(
            network: host.network, proof: Proof(kind: place.kind, user: place.user, secrets: secrets),
            clock: host.clock)
    }
}
