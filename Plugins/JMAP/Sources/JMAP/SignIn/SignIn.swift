import FoundationEssentials
import MailKernelAPI
import OAuth
import SigningIn

/// Finds the session of a service, and asks before it goes to a server that the user has not named.
struct SignIn: Sendable {
    /// Where services have their session, in the order in which they are tried.
    private static let paths = [Signpost.path, "/jmap/session", "/jmap"]

    let network: any PluginNetwork
    let clock: any HostClock
    private let browser: BrowserWay

    init(_ host: HostServices) {
        (network, clock) = (host.network, host.clock)
        browser = BrowserWay(host)
    }

    private enum Memory: SignInState {
        case first(again: [String: JSONValue]?, redirect: URL)
        case discovered(address: String, user: String, session: URL)
        /// - address: nil if it is asked for.
        case named(service: String, address: String?)
        case changed
        case server(Forms.Person)
        case more(Forms.Person, session: URL, hosts: [String], account: String)
    }

    func begin(_ request: AuthorizationRequest) async throws(AccountError) -> AuthorizationStep {
        if request.account == nil, let found = request.discovered, let url = found.jmap, url.scheme == "https"
        {
            return try await discovered(found, url, redirect: request.redirect)
        }
        if request.account == nil, let service = NamedService.all.first(where: { $0.id == request.setupID }) {
            let address = request.discovered?.address
            let memory = Memory.named(service: service.id, address: address)
            return .form(Forms.named(service, asksAddress: address == nil), memory: memory.secret)
        }
        let place = try request.account.map { account throws(AccountError) in try Place(account.settings) }
        // The user can also change to a password or token.
        if let place, let service = place.found, request.discovered?.isToBeChanged != true {
            return try await show(
                try await browser.begin(again: place, service, redirect: request.redirect))
        }
        let memory = Memory.first(again: request.account?.settings, redirect: request.redirect)
        return .form(Forms.first(again: request.account, place?.kind ?? .password), memory: memory.secret)
    }

    /// The user has seen the server: only the password and the name are missing.
    private func discovered(
        _ found: DiscoveredService, _ url: URL, redirect: URL
    ) async throws(AccountError) -> AuthorizationStep {
        if found.isToBeChanged {
            let fields = Forms.found(found.address) + Forms.server(url, user: found.userName)
            return .form(fields, memory: Memory.changed.secret)
        }
        let site = BrowserWay.Site(
            address: found.address, name: "", user: found.userName, session: url)
        let ways = found.authentication
        let outcome = try await browser.begin(
            site, named: ways, redirect: redirect, allowsPassword: ways.isEmpty || ways.contains(.password))
        if let outcome { return try await show(outcome) }
        return password(at: site)
    }

    private func password(at site: BrowserWay.Site) -> AuthorizationStep {
        let memory = Memory.discovered(address: site.address, user: site.user, session: site.session)
        return .form(Forms.found(nil), memory: memory.secret)
    }

    // MARK: The browser

    /// Takes the next step of a sign-in with the browser; nil if the answer belongs to another.
    func next(_ answer: AuthorizationAnswer) async throws(AccountError) -> AuthorizationStep? {
        guard let outcome = try await browser.next(answer) else { return nil }
        return try await show(outcome)
    }

    private func show(_ outcome: BrowserWay.Outcome) async throws(AccountError) -> AuthorizationStep {
        switch outcome {
        case .step(let step): return step
        case .password(let site): return password(at: site)
        case .signedIn(let person, let site) where site.isKnown:
            return finished(person, site.session, site.account)
        case .signedIn(let person, let site):
            return try await find(person, at: site.session, path: Self.path(of: site.session))
        }
    }

    /// - Parameter hosts: those that the service is known to have.
    private func browse(
        _ site: BrowserWay.Site, _ redirect: URL, knowing hosts: Set<String> = []
    ) async throws(AccountError) -> AuthorizationStep? {
        let outcome = try await browser.begin(
            site, named: [], redirect: redirect, allowsPassword: false, knowing: hosts)
        guard let outcome else { return nil }
        return try await show(outcome)
    }

    // MARK: The forms

    func filledIn(
        _ answers: [String: Secret], _ memory: Secret
    ) async throws(AccountError) -> AuthorizationStep {
        switch try Memory(memory) {
        case .first(let settings, let redirect):
            return try await whoItIs(answers, again: settings, redirect)
        case .discovered(let address, let user, let session):
            var answers = answers
            answers[Forms.Name.address] = Secret(address)
            var person = try Forms.person(in: answers)
            person.user = user
            return try await find(person, at: session, path: Self.path(of: session))
        case .named(let id, let address): return try await named(id, address, answers)
        case .changed: return try await server(try Forms.person(in: answers), answers)
        case .server(let person): return try await server(person, answers)
        case .more(let person, let session, let hosts, let account):
            for (number, host) in hosts.enumerated() {
                let name = "\(Forms.Name.moreServers)\(number + 1)"
                guard answers.trimmed(name).lowercased() == host else {
                    throw .invalid(field: name, reason: "Your service uses \(host) here.")
                }
            }
            return finished(person, session, account)
        }
    }

    private func named(
        _ id: String, _ address: String?, _ answers: [String: Secret]
    ) async throws(AccountError) -> AuthorizationStep {
        guard let service = NamedService.all.first(where: { $0.id == id }),
            let session = URL(string: service.session)
        else { throw .badAnswer("the saved state of the sign-in is invalid") }
        var answers = answers
        answers[Forms.Name.kind] = Secret(service.kind.rawValue)
        if let address { answers[Forms.Name.address] = Secret(address) }
        let person = try Forms.person(in: answers)
        return try await find(person, at: session, path: Self.path(of: session), knowing: service.hosts)
    }

    private func server(
        _ person: Forms.Person, _ answers: [String: Secret]
    ) async throws(AccountError) -> AuthorizationStep {
        var person = person
        let (server, path) = try Forms.server(in: answers)
        let user = answers.trimmed(Forms.Name.user)
        if !user.isEmpty { person.user = user }
        guard user.utf8.count <= 254, user.hasNoControls, !user.contains(":") else {
            throw .invalid(field: Forms.Name.user, reason: "This cannot be a user name.")
        }
        return try await find(person, at: server, path: path)
    }

    /// The path and query of a session; nil if it has none.
    static func path(of session: URL) -> String? {
        let query = session.query().map { "?" + $0 } ?? ""
        let path = session.path() + query
        return path.isEmpty || path == "/" ? nil : path
    }

    private func whoItIs(
        _ answers: [String: Secret], again settings: [String: JSONValue]?, _ redirect: URL
    ) async throws(AccountError) -> AuthorizationStep {
        var person = try Forms.person(in: answers)
        if person.kind == .oauth { person.redirect = redirect }
        if let settings {
            var place = try Place(settings)
            guard person.address.lowercased() == place.address.lowercased() else {
                throw .invalid(
                    field: Forms.Name.address, reason: "This account's address is \(place.address).")
            }
            if person.kind == .oauth {
                let site = BrowserWay.Site(
                    address: place.address, name: place.name, user: place.user, session: place.session,
                    account: place.account, isKnown: true)
                if let step = try await browse(site, redirect) { return step }
                throw Self.noBrowser
            }
            (place.kind, place.found) = (person.kind, nil)
            return .finished([place.candidate(Secret(person.proof))])
        }
        if let service = Forms.service(in: answers, person), let session = URL(string: service.session) {
            if service.kind == .token, person.kind == .password {
                throw .invalid(field: Forms.Name.kind, reason: service.hint)
            }
            return try await find(
                person, at: session, path: Self.path(of: session), knowing: service.hosts)
        }
        let hint = "Your service's help names it. Often it is the part of the address after the @."
        return .form(
            Forms.server(person, host: person.domain, hint: hint), memory: Memory.server(person).secret)
    }

    /// - Parameter hosts: those that the service is known to have.
    private func find(
        _ person: Forms.Person, at server: URL, path: String?, knowing hosts: Set<String> = []
    ) async throws(AccountError) -> AuthorizationStep {
        let isBrowser = person.kind == .oauth
        let proof = Proof(
            kind: isBrowser ? .token : person.kind, user: person.user,
            secrets: CandidateSecrets([Proof.name: Secret(person.proof)]))
        let wire = Wire(network: network, proof: proof, clock: clock)
        for path in path.map({ [$0] }) ?? Self.paths {
            let url = try Resource.resolve(path, server)
            // A path can begin like the name of another server.
            guard Self.isSameServer(url, server) else {
                throw .invalid(
                    field: Forms.Name.path, reason: "A path begins with one slash, such as /jmap/session.")
            }
            let target = url.path() == Signpost.path ? await Signpost(network: network).target(of: url) : nil
            if let target, !Self.isSameServer(target, url) { return elsewhere(person, target, from: server) }
            let session = target ?? url
            if isBrowser, person.tokens == nil, let redirect = person.redirect {
                let site = BrowserWay.Site(
                    address: person.address, name: person.name, user: person.user, session: session)
                if let step = try await browse(site, redirect, knowing: hosts) { return step }
                continue
            }
            do throws(WireFailure) {
                let resource = try await wire.resource(at: session, account: nil)
                return agree(person, resource, session: session, knowing: hosts)
            } catch {
                switch error {
                case .network(.hostNotAllowed(let other)) where other != server.host(percentEncoded: false):
                    guard let place = URL(string: "https://\(other)") else {
                        throw error.meaning(now: clock.now)
                    }
                    return elsewhere(person, place, from: server)
                case .status(let response, _) where response.status == 404: continue
                case .account(.badAnswer), .unreadable: continue
                case .network, .status, .tooLarge, .account: throw error.meaning(now: clock.now)
                }
            }
        }
        if isBrowser, person.tokens == nil { throw Self.noBrowser }
        throw .invalid(
            field: Forms.Name.server, reason: "This server does not offer JMAP where it is expected.")
    }

    private static let noBrowser = AccountError.invalid(
        field: Forms.Name.kind,
        reason: "This service does not offer the browser. Go back and use a password or a token.")

    /// The server sends its users elsewhere: they agree first.
    private func elsewhere(_ person: Forms.Person, _ session: URL, from server: URL) -> AuthorizationStep {
        let hint = "\(server.host(percentEncoded: false) ?? "Your service") refers to this server."
        let fields = Forms.server(
            person, host: session.host(percentEncoded: false)?.lowercased() ?? "", hint: hint,
            port: session.port ?? 443, path: Self.path(of: session) ?? "")
        return .form(fields, memory: Memory.server(person).secret)
    }

    private static func isSameServer(_ one: URL, _ other: URL) -> Bool {
        one.host(percentEncoded: false)?.lowercased() == other.host(percentEncoded: false)?.lowercased()
            && (one.port ?? 443) == (other.port ?? 443)
    }

    /// Other servers of the session are asked for: the user has not named them.
    private func agree(
        _ person: Forms.Person, _ resource: Resource, session: URL, knowing known: Set<String>
    ) -> AuthorizationStep {
        let own = session.host(percentEncoded: false)?.lowercased() ?? ""
        let hosts = resource.hosts.subtracting([own]).subtracting(known).sorted()
        guard !hosts.isEmpty else { return finished(person, session, resource.accountID) }
        let memory = Memory.more(person, session: session, hosts: hosts, account: resource.accountID)
        return .form(Forms.more(hosts), memory: memory.secret)
    }

    private func finished(
        _ person: Forms.Person, _ session: URL, _ account: String?
    ) -> AuthorizationStep {
        var place = Place(
            address: person.address, name: person.name, user: person.user, kind: person.kind,
            session: session, account: account)
        guard let tokens = person.tokens else { return .finished([place.candidate(Secret(person.proof))]) }
        place.found = FoundService(tokens.service)
        return .finished([place.candidate(tokens.secrets.mapValues { Secret($0) })])
    }
}
