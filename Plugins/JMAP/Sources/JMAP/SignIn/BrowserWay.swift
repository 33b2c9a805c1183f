import FoundationEssentials
import MailKernelAPI
import OAuth

/// The way to a JMAP account with the browser, at a service that says who signs people in for it.
struct BrowserWay: Sendable {
    enum Outcome {
        case step(AuthorizationStep)
        /// The user chose a password, or there is no other way.
        case password(Site)
        case signedIn(Forms.Person, Site)
    }

    /// Where the account is, and who signs in.
    struct Site: Codable {
        var address: String
        var name: String
        var user: String
        var session: URL
        /// The session that was read before, and its account; nil for a new account.
        var account: String?
        var isKnown = false
    }

    private static let note = "site"

    private let signIn: FoundSignIn
    private let network: any PluginNetwork

    init(_ host: HostServices) {
        signIn = FoundSignIn(host: host)
        network = host.network
    }

    /// With the server that the search for the service has named, or that its session names; nil if there is none.
    ///
    /// - Parameter known: hosts of the service that need no agreement.
    func begin(
        _ site: Site, named ways: [DiscoveredService.Authentication], redirect: URL, allowsPassword: Bool,
        knowing known: Set<String> = []
    ) async throws(AccountError) -> Outcome? {
        var seen = known
        if let host = site.session.host(percentEncoded: false) { seen.insert(host) }
        var issuer: URL?
        var resource: String?
        for case .oauth(let named) in ways where issuer == nil { issuer = named }
        if let host = issuer?.host(percentEncoded: false) {
            seen.insert(host)
        } else if let found = await metadata(of: site.session) {
            (issuer, resource) = (found.issuers.first, found.resource)
        }
        guard let issuer else { return nil }
        return try outcome(
            try await signIn.begin(
                FoundSignIn.Start(
                    issuer: issuer, address: site.address, redirect: redirect, seen: seen,
                    allowsPassword: allowsPassword, resource: resource, note: [Self.note: try text(site)])))
    }

    /// For an account that signed in that way.
    func begin(
        again place: Place, _ service: FoundService, redirect: URL
    ) async throws(AccountError) -> Outcome {
        let site = Site(
            address: place.address, name: place.name, user: place.user, session: place.session,
            account: place.account, isKnown: true)
        return try outcome(
            try await signIn.begin(
                FoundSignIn.Start(
                    again: service, address: place.address, redirect: redirect,
                    note: [Self.note: try text(site)])))
    }

    /// Nil if the answer is not to one of these steps.
    func next(_ answer: AuthorizationAnswer) async throws(AccountError) -> Outcome? {
        guard let next = try await signIn.next(answer) else { return nil }
        return try outcome(next)
    }

    /// Asks for the session without a password: a service with OAuth says where its description is (RFC 9728).
    private func metadata(of session: URL) async -> ResourceMetadata? {
        let request = HTTPRequest(
            "GET", session, headers: ["Accept": "application/json"], purpose: "find out how to sign in",
            silence: .seconds(15))
        guard let answer = try? await network.send(request), answer.status == 401,
            let place = ResourceMetadata.place(in: answer.headers["www-authenticate"], of: session)
        else { return nil }
        return try? await ServerDiscovery(network: network).resource(at: place, of: session)
    }

    private func outcome(_ outcome: FoundSignIn.Outcome) throws(AccountError) -> Outcome {
        switch outcome {
        case .step(let step): return .step(step)
        case .password(_, let note): return .password(try site(note))
        case .signedIn(let grant):
            let site = try site(grant.note)
            let tokens = Forms.Tokens(
                service: grant.service.settings, secrets: grant.secrets.mapValues(\.revealed))
            var person = Forms.Person(
                address: site.address, name: site.name, kind: .oauth, proof: grant.accessToken.revealed,
                user: site.user)
            person.tokens = tokens
            return .signedIn(person, site)
        }
    }

    private func text(_ site: Site) throws(AccountError) -> String {
        guard let data = try? JSONEncoder().encode(site) else {
            throw .local(reason: "The sign-in cannot be remembered.")
        }
        return String(decoding: data, as: UTF8.self)
    }

    private func site(_ note: [String: String]) throws(AccountError) -> Site {
        guard let text = note[Self.note],
            let site = try? JSONDecoder().decode(Site.self, from: Data(text.utf8))
        else { throw .badAnswer("the saved state of the sign-in is invalid") }
        return site
    }
}
