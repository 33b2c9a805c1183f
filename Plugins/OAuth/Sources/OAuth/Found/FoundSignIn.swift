public import FoundationEssentials
public import MailKernelAPI

/// A sign-in at a service whose OAuth server was found: from its name to tokens, with the user's agreement to every
/// host, and a client of its own where the server registers one.
///
/// Give each answer of the kernel to `next` first: it returns nil for those that belong to the plugin's own steps.
public struct FoundSignIn: Sendable {
    /// What a sign-in begins with.
    public struct Start: Sendable {
        /// The server that signs people in.
        public var issuer: URL
        /// The address that signs in.
        public var address: String
        /// Where the browser comes back to.
        public var redirect: URL
        /// The hosts that the user has seen or entered; others are shown first.
        public var seen: Set<String>
        /// Whether the service takes a password too.
        public var allowsPassword: Bool
        /// The account's sign-in so far; nil for a new account.
        public var before: FoundService?
        /// What tokens are for, if a server of mail has said so.
        public var resource: String?
        /// What the plugin wants to have back.
        public var note: [String: String]

        public init(
            issuer: URL, address: String, redirect: URL, seen: Set<String>, allowsPassword: Bool,
            resource: String? = nil, note: [String: String] = [:]
        ) {
            self.issuer = issuer
            self.address = address
            self.redirect = redirect
            self.seen = Set(seen.map { $0.lowercased() })
            self.allowsPassword = allowsPassword
            self.resource = resource
            self.note = note
        }

        /// For an account that signs in again.
        public init(again before: FoundService, address: String, redirect: URL, note: [String: String]) {
            self.init(
                issuer: before.issuer, address: address, redirect: redirect, seen: before.hosts,
                allowsPassword: false, resource: before.resource, note: note)
            self.before = before
        }
    }

    /// What comes of a step.
    public enum Outcome: Sendable {
        case step(AuthorizationStep)
        /// The user chose a password, or there is no other way, which the sentence explains.
        case password(because: String?, note: [String: String])
        case signedIn(Grant)
    }

    /// A finished sign-in.
    public struct Grant: Sendable {
        /// For the account's settings.
        public let service: FoundService
        /// For the account's drawer, where `DrawerSignIn` finds them; with the first access token.
        public let secrets: [String: Secret]
        /// For requests before the account is there.
        public let accessToken: Secret
        public let note: [String: String]
    }

    let network: any PluginNetwork
    let clock: any HostClock
    let refused: RefusedClients

    public init(host: HostServices) {
        network = host.network
        clock = host.clock
        refused = RefusedClients(host.secrets)
    }

    public func begin(_ start: Start) async throws(AccountError) -> Outcome {
        var state = FoundState(start)
        if let known = start.before?.registered, await !refused.contains(known.id) { state.client = known }
        let host = WebPlace.host(start.issuer)
        guard start.seen.contains(host) else {
            state.asked = [host]
            let fields = FoundForm.fields([host], ways: state.waysBefore, isFirst: true)
            return .step(.form(fields, memory: state.secret))
        }
        return try await look(state)
    }

    /// - Returns: nil for an answer to a step that is not from here.
    public func next(_ answer: AuthorizationAnswer) async throws(AccountError) -> Outcome? {
        switch answer {
        case .begin: return nil
        case .form(let answers, let memory):
            guard let state = FoundState.known(memory) else { return nil }
            return try await filledIn(answers, state)
        case .redirected(let items, let memory):
            guard let state = FoundState.known(memory) else { return nil }
            return try await cameBack(items, state)
        case .shown(let memory):
            guard let state = FoundState.known(memory) else { return nil }
            return try await waited(state)
        }
    }

    private func filledIn(
        _ answers: [String: Secret], _ before: FoundState
    ) async throws(AccountError) -> Outcome {
        var state = before
        let way = FoundForm.way(in: answers)
        if way == .password, state.allowsPassword { return .password(because: nil, note: state.note) }
        if state.asksForClient {
            state.client = try FoundForm.client(in: answers, redirect: state.redirect)
            state.asksForClient = false
        }
        try FoundForm.check(answers, state.asked)
        state.seen.formUnion(state.asked)
        state.agreed.formUnion(state.asked)
        state.asked = []
        // The first form comes before the server was asked which ways it has.
        guard let server = state.server else { return try await look(state) }
        return try await go(way ?? state.ways(of: server)[0], state, server)
    }

    // MARK: The server

    /// Asks the server how people sign in there.
    private func look(_ before: FoundState) async throws(AccountError) -> Outcome {
        var state = before
        let server: ServerMetadata
        do throws(DiscoveryFailure) {
            server = try await ServerDiscovery(network: network).metadata(of: state.issuer)
        } catch {
            return try instead(of: error, state)
        }
        state.server = server
        let unseen = server.hosts.subtracting(state.seen)
        if state.client?.isGood(for: state.redirect, at: clock.now) != true { state.client = nil }
        state.asksForClient = state.client == nil && server.registration == nil
        if state.asksForClient, state.allowsPassword { return try instead(of: .noRegistration, state) }
        let ways = state.ways(of: server)
        guard unseen.isEmpty, !state.asksForClient, ways.count == 1 else {
            // Also those that the user has agreed to: the kernel forgets them if an answer changes later.
            state.asked = unseen.union(state.agreed).sorted()
            let fields = FoundForm.fields(state.asked, ways: ways, asksForClient: state.asksForClient)
            return .step(.form(fields, memory: state.secret))
        }
        return try await go(ways[0], state, server)
    }

    /// A password, where the service takes one.
    private func instead(of failure: DiscoveryFailure, _ state: FoundState) throws(AccountError) -> Outcome {
        let server = WebPlace.host(state.issuer)
        guard state.allowsPassword, !failure.isAboutThisDevice else { throw failure.accountError(server) }
        return .password(because: failure.sentence(server), note: state.note)
    }

    private func go(
        _ way: FoundState.Way, _ before: FoundState, _ server: ServerMetadata
    ) async throws(AccountError) -> Outcome {
        guard before.ways(of: server).contains(way) else {
            throw .invalid(field: FoundForm.Name.way, reason: "Please choose how to sign in.")
        }
        var state = before
        let client: RegisteredClient
        do throws(DiscoveryFailure) {
            client = try await self.client(state, server)
        } catch {
            return try instead(of: error, state)
        }
        state.client = client
        switch way {
        case .browser: return .step(try browser(&state, client, server))
        case .code: return try await code(state, client, server)
        case .password: return .password(because: nil, note: state.note)
        }
    }

    private func client(
        _ state: FoundState, _ server: ServerMetadata
    ) async throws(DiscoveryFailure) -> RegisteredClient {
        if let client = state.client { return client }
        return try await ClientRegistration(network: network).register(
            at: server, redirect: state.redirect, scopes: MailScopes.wanted(server.scopes))
    }

    // MARK: The browser

    private func browser(
        _ state: inout FoundState, _ client: RegisteredClient, _ server: ServerMetadata
    ) throws(AccountError) -> AuthorizationStep {
        guard let redirect = URL(string: state.redirect) else {
            throw .local(reason: "The browser could not return.")
        }
        let signIn = BrowserSignIn(client: client.client, redirect: redirect)
        let page = try signIn.page(of: state.service(of: server), loginHint: state.address)
        state.browser = signIn.memory.revealed
        return .browser(page, memory: state.secret)
    }

    private func cameBack(
        _ items: [String: String], _ before: FoundState
    ) async throws(AccountError) -> Outcome {
        var state = before
        guard let server = state.server, let memory = state.browser, let client = state.client else {
            throw .badAnswer("the saved state of the sign-in is invalid")
        }
        // Another server could have led the browser back here, to learn this one's code (RFC 9207).
        if server.namesIssuer || items["iss"] != nil, items["iss"] != server.issuer {
            throw .badAnswer("the browser returned from a different server")
        }
        let signIn = try BrowserSignIn(memory: Secret(memory))
        let endpoint = TokenEndpoint(state.service(of: server), network: network)
        var refusal: TokenFailure.Refusal?
        do throws(AccountError) {
            // Before the code is asked for: it also checks the state.
            if let error = items["error"] { refusal = TokenFailure.Refusal(error) }
            let grant = try await endpoint.finish(signIn, with: items) { refusal = $0 }
            return .signedIn(try finished(grant, state, server, client))
        } catch {
            // It has forgotten the client, or its secret has ended.
            guard refusal?.isAboutTheClient == true, !state.isRepeated, server.registration != nil,
                error.retry == .afterSignIn
            else { throw error }
            (state.client, state.isRepeated) = (nil, true)
            return try await go(.browser, state, server)
        }
    }

    // MARK: Another device

    private func code(
        _ before: FoundState, _ client: RegisteredClient, _ server: ServerMetadata
    ) async throws(AccountError) -> Outcome {
        var state = before
        guard let place = server.deviceAuthorization else { throw .unsupported("a code") }
        let service = state.service(of: server)
        let endpoint = TokenEndpoint(service, network: network)
        var items = [
            (name: "client_id", value: client.id), ("scope", service.scopes.joined(separator: " ")),
        ]
        if let secret = client.secret { items.append(("client_secret", secret)) }
        let answer: HTTPResponse
        do throws(TokenFailure) {
            answer = try await endpoint.post(items, to: place, purpose: "sign in")
        } catch {
            throw error.accountError(service)
        }
        guard answer.status == 200 else {
            let refusal = DeviceSignIn.refusal(answer)
            if refusal?.isAboutTheClient == true, !state.isRepeated, server.registration != nil {
                (state.client, state.isRepeated) = (nil, true)
                return try await go(.code, state, server)
            }
            throw (refusal.map { .refused($0) } ?? TokenFailure.busy(status: answer.status))
                .accountError(service)
        }
        let device: DeviceSignIn
        do throws(DiscoveryFailure) {
            device = try DeviceSignIn(answer.body, of: state.issuer, at: clock.now)
        } catch {
            throw error.accountError(service.name)
        }
        state.device = device
        return .step(.code(device.shown, memory: state.secret))
    }

    private func waited(_ state: FoundState) async throws(AccountError) -> Outcome {
        guard let server = state.server, let device = state.device, let client = state.client else {
            throw .badAnswer("the saved state of the sign-in is invalid")
        }
        let endpoint = TokenEndpoint(state.service(of: server), network: network)
        let grant = try await device.wait(at: endpoint, client: client.client, clock: clock)
        return .signedIn(try finished(grant, state, server, client))
    }

    private func finished(
        _ grant: TokenGrant, _ state: FoundState, _ server: ServerMetadata, _ client: RegisteredClient
    ) throws(AccountError) -> Grant {
        let name = WebPlace.host(state.issuer)
        let scopes = MailScopes.wanted(server.scopes)
        if let given = grant.scopes, scopes.contains(MailScopes.mail), !given.contains(MailScopes.mail) {
            throw .authenticationRequired(
                reason: "The permission to read, write and send mail was not granted.")
        }
        guard let refreshToken = grant.refreshToken else {
            throw .authenticationRequired(reason: "\(name) granted access for a limited time only.")
        }
        let service = FoundService(
            server, issuer: state.issuer, scopes: scopes, client: client, resource: state.resource,
            hosts: state.seen)
        return Grant(
            service: service,
            secrets: DrawerSignIn.secrets(
                refreshToken: refreshToken, client: client.client, firstToken: grant.accessToken),
            accessToken: grant.accessToken, note: state.note)
    }
}
