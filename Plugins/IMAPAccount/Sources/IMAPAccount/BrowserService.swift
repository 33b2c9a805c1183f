import FoundationEssentials
import IMAP
import MailKernelAPI
import OAuth
import SigningIn

/// How a service signs in with the browser, as the user's settings say it:
/// `{"authorizationUrl", "tokenUrl", "revocationUrl", "scopes", "parameters", "clientId", "clientSecret"}`.
struct BrowserService: Sendable, Hashable {
    let service: OAuthService
    let client: OAuthClient

    init?(_ name: String, _ value: JSONValue) {
        func url(_ key: String) -> URL? {
            value[key]?.stringValue.flatMap { URL(string: $0) }.flatMap { $0.scheme == "https" ? $0 : nil }
        }
        let scopes = (value["scopes"]?.arrayValue ?? []).compactMap(\.stringValue)
        guard let authorization = url("authorizationUrl"), let token = url("tokenUrl"),
            let id = value["clientId"]?.stringValue, !id.isEmpty, !scopes.isEmpty
        else { return nil }
        service = OAuthService(
            name: name, authorization: authorization, token: token, revocation: url("revocationUrl"),
            scopes: scopes,
            parameters: (value["parameters"]?.objectValue ?? [:]).compactMapValues(\.stringValue))
        client = OAuthClient(id: id, secret: value["clientSecret"]?.stringValue.map { Secret($0) })
    }
}

/// The way to an account of such a service.
struct BrowserAccounts: Sendable {
    private enum Note {
        static let service = "service"
        static let address = "address"
        static let name = "name"
    }

    let services: MailServices
    let host: HostServices

    func page(
        of service: MailService, for person: AccountForms.Person, redirect: URL
    ) throws(AccountError) -> AuthorizationStep {
        guard let browser = service.browser else { throw gone }
        let signIn = BrowserSignIn(
            client: browser.client, redirect: redirect,
            note: [Note.service: service.id, Note.address: person.address, Note.name: person.name])
        return .browser(
            try signIn.page(of: browser.service, loginHint: person.address), memory: signIn.memory)
    }

    func cameBack(
        _ items: [String: String], _ memory: Secret
    ) async throws(AccountError) -> AuthorizationStep {
        let signIn = try BrowserSignIn(memory: memory)
        guard let id = signIn.note[Note.service], let address = signIn.note[Note.address],
            let service = services.service(id: id), let browser = service.browser
        else { throw gone }
        let grant = try await TokenEndpoint(browser.service, network: host.network)
            .finish(signIn, with: items)
        guard let refreshToken = grant.refreshToken else {
            throw .authenticationRequired(reason: "\(service.name) granted access for a limited time only.")
        }
        let person = AccountForms.Person(
            address: address, password: "", name: signIn.note[Note.name] ?? "")
        let place = MailPlace(
            person, user: address, imap: service.imap, submission: service.submission, service: id,
            clientID: signIn.client.id)
        let secrets = DrawerSignIn.secrets(
            refreshToken: refreshToken, client: signIn.client, firstToken: grant.accessToken)
        return .finished([place.candidate(secrets)])
    }

    func login(_ place: MailPlace, _ secrets: any SecretStore) throws(AccountError) -> IMAPLogin {
        let keeper = TokenKeeper(
            TokenEndpoint(try service(of: place), network: host.network),
            store: DrawerSignIn(
                clientID: place.clientID, secrets: secrets,
                wasRefused: { [refused = RefusedClients(host.secrets)] refusal, client in
                    if place.found != nil { await refused.note(refusal, client) }
                }), clock: host.clock)
        return .oauth(user: place.user) { refused throws(AccountError) in
            try await keeper.token(refused: refused)
        }
    }

    /// While it is tried nothing is renewed: the next refresh token could not be kept, and the one that it takes
    /// the place of would be spent.
    func login(_ place: MailPlace, trying candidate: AccountCandidate) throws(AccountError) -> IMAPLogin {
        guard let first = DrawerSignIn.firstToken(of: candidate) else {
            return try login(place, CandidateSecrets(candidate))
        }
        return .trial(user: place.user, token: first)
    }

    func revoke(_ place: MailPlace, _ secrets: any SecretStore) async throws(AccountError) {
        let signIn = DrawerSignIn(clientID: place.clientID, secrets: secrets)
        guard try await signIn.refreshToken() != nil else { return }
        try await signIn.revoke(at: TokenEndpoint(try service(of: place), network: host.network))
    }

    private func service(of place: MailPlace) throws(AccountError) -> OAuthService {
        if let found = place.found { return found.service }
        guard let id = place.service, let browser = services.service(id: id)?.browser else { throw gone }
        return browser.service
    }

    private var gone: AccountError {
        .authenticationRequired(reason: "The sign-in settings for this service are missing.")
    }
}
