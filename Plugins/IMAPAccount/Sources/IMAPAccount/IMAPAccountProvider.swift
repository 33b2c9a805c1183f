import FoundationEssentials
import IMAP
import MailKernelAPI
import OAuth
import POP3
import SigningIn

/// Brings accounts of any service that speaks IMAP and SMTP, or POP3 and SMTP.
struct IMAPAccountProvider: AccountProvider {
    private let host: HostServices
    private let services: MailServices
    private let forms: AccountForms
    private let browsers: BrowserAccounts
    private let found: FoundAccounts

    init(_ host: HostServices) {
        self.host = host
        services = MailServices(host.settings, log: host.log)
        forms = AccountForms(services: services)
        browsers = BrowserAccounts(services: services, host: host)
        found = FoundAccounts(host)
    }

    var setups: [AccountSetup] {
        [
            AccountSetup(
                id: "imap", title: "Add another mail account", serviceName: "your mail server",
                explanation:
                    "For any service with IMAP, or with POP3 only. You enter the servers only if mailkernel does "
                    + "not know them.",
                services: services.all.filter { $0.browser == nil }.map(\.known) + MailServices.closed,
                protocols: [.imap])
        ]
            + services.all.filter { $0.browser != nil }.map { service in
                AccountSetup(
                    id: Self.prefix + service.id, title: "Add your \(service.name) account",
                    serviceName: service.name,
                    explanation: "You sign in on the page of \(service.name), in your browser.",
                    services: [service.known])
            }
    }

    /// Of the setups of services that sign in with the browser.
    private static let prefix = "service-"

    // MARK: Signing in

    /// The state between the forms.
    private enum Memory: SignInState {
        case first(again: [String: JSONValue]?)
        case second(AccountForms.Person)
        case secondPOP3(AccountForms.Person)
        case browser(service: String, redirect: URL)
        case found(DiscoveredService)
        /// The settings of an account whose sign-in the user changes.
        case changed([String: JSONValue])
    }

    func authorize(_ step: AuthorizationAnswer) async throws(AccountError) -> AuthorizationStep {
        if let outcome = try await found.next(step) { return show(outcome) }
        switch step {
        case .begin(let request): return try await begin(request)
        case .form(let answers, let memory):
            switch try Memory(memory) {
            case .first(let account): return try whoItIs(answers, again: account)
            case .second(let person):
                let (user, imap, submission) = try forms.servers(in: answers)
                let place = MailPlace(person, user: user, imap: imap, submission: submission)
                return .finished([place.candidate(password: person.password)])
            case .secondPOP3(let person):
                return .finished([try forms.popPlace(person, answers).candidate(password: person.password)])
            case .found(let service): return .finished([try forms.candidate(in: answers, at: service)])
            case .changed(let settings):
                return .finished([try forms.candidate(in: answers, changing: try MailPlace(settings))])
            case .browser(let id, let redirect):
                return try browsers.page(
                    of: try service(id), for: try AccountForms.owner(in: answers), redirect: redirect)
            }
        case .redirected(let items, let memory): return try await browsers.cameBack(items, memory)
        case .shown: throw .badAnswer("no code was shown")
        }
    }

    private func begin(_ request: AuthorizationRequest) async throws(AccountError) -> AuthorizationStep {
        if let account = request.account {
            let place = try MailPlace(account.settings)
            if request.discovered?.isToBeChanged == true {
                return try begin(changing: place, account, request)
            }
            if let service = place.found {
                return show(try await found.begin(again: place, service, redirect: request.redirect))
            }
            if place.clientID != nil {
                let person = AccountForms.Person(address: place.address, password: "", name: place.name)
                return try browsers.page(
                    of: try service(place.service ?? ""), for: person, redirect: request.redirect)
            }
        } else if let id = browserService(in: request) {
            if let address = request.discovered?.address {
                let person = AccountForms.Person(address: address, password: "", name: "")
                return try browsers.page(of: try service(id), for: person, redirect: request.redirect)
            }
            return .form(
                AccountForms.owner, memory: Memory.browser(service: id, redirect: request.redirect).secret)
        } else if let service = request.discovered {
            if let outcome = try await found.begin(service, redirect: request.redirect) {
                return show(outcome)
            }
            return .form(forms.found(service), memory: Memory.found(service).secret)
        }
        return .form(
            forms.first(again: request.account), memory: Memory.first(again: request.account?.settings).secret
        )
    }

    /// The user has chosen how the account is to sign in.
    private func begin(
        changing place: MailPlace, _ account: Account, _ request: AuthorizationRequest
    ) throws(AccountError) -> AuthorizationStep {
        guard let id = browserService(in: request) else {
            return .form(forms.changing(place), memory: Memory.changed(account.settings).secret)
        }
        let service = try service(id)
        guard service.imap.endpoint.host == place.imap.endpoint.host else {
            throw .unsupported("moving to another server. Remove the account here and add it again")
        }
        let person = AccountForms.Person(address: place.address, password: "", name: place.name)
        return try browsers.page(of: service, for: person, redirect: request.redirect)
    }

    /// The service of the chosen setup, if that one signs in with the browser.
    private func browserService(in request: AuthorizationRequest) -> String? {
        guard request.setupID.hasPrefix(Self.prefix) else { return nil }
        return String(request.setupID.dropFirst(Self.prefix.count))
    }

    private func show(_ outcome: FoundAccounts.Outcome) -> AuthorizationStep {
        switch outcome {
        case .step(let step): step
        case .password(let service, let reason):
            .form(forms.found(service, because: reason), memory: Memory.found(service).secret)
        }
    }

    private func service(_ id: String) throws(AccountError) -> MailService {
        guard let service = services.service(id: id) else {
            throw .unsupported("a service that is no longer in the settings")
        }
        return service
    }

    private func whoItIs(
        _ answers: [String: Secret], again settings: [String: JSONValue]?
    ) throws(AccountError) -> AuthorizationStep {
        let person = try forms.person(in: answers)
        if let settings {
            var place = try MailPlace(settings)
            guard person.address.lowercased() == place.address.lowercased() else {
                throw .invalid(field: "address", reason: "This account's address is \(place.address).")
            }
            place.address = person.address
            if place.leave != nil { place.leave = try AccountForms.leave(in: answers) }
            return .finished([place.candidate(password: person.password)])
        }
        guard let service = try forms.service(in: answers, person) else {
            if forms.choosesPOP3(answers) {
                return .form(forms.secondPOP3(person), memory: Memory.secondPOP3(person).secret)
            }
            return .form(forms.second(person), memory: Memory.second(person).secret)
        }
        let place = MailPlace(
            person, user: person.address, imap: service.imap, submission: service.submission,
            service: service.id)
        return .finished([place.candidate(password: person.password)])
    }

    // MARK: The account

    func validate(_ candidate: AccountCandidate) async throws(AccountError) -> ValidatedAccount {
        let place = try MailPlace(candidate.settings)
        let login = try login(place, CandidateSecrets(candidate), trying: candidate)
        let configuration = place.configuration(login)
        let hint = place.service.flatMap { services.service(id: $0)?.hint } ?? ""
        do throws(AccountError) {
            if let pop3 = place.popConfiguration(login) {
                try await pop3.tryReceiving(host: host)
            } else {
                try await configuration.tryReceiving(host: host)
            }
        } catch {
            throw error.explained("", hint)
        }
        do throws(AccountError) {
            try await configuration.trySending(host: host)
        } catch {
            throw error.explained("Receiving works, but sending does not.", hint)
        }
        let name = place.name.isEmpty ? nil : place.name
        return ValidatedAccount(
            address: place.address, displayName: name ?? place.address,
            identities: [EmailAddress(name: name, email: place.address)])
    }

    func session(
        for account: Account, secrets: any SecretStore
    ) async throws(AccountError) -> any AccountSession {
        let place = try MailPlace(account.settings)
        let login = try login(place, secrets)
        if let pop3 = place.popConfiguration(login) {
            return try POP3AccountSession(pop3, address: place.address, host: host)
        }
        var configuration = place.configuration(login)
        if let scripts = place.service.flatMap({ services.service(id: $0)?.scripts }) {
            configuration.scripts = scripts
        }
        return IMAPAccountSession(configuration, host: host)
    }

    func revoke(_ account: Account, secrets: any SecretStore) async throws(AccountError) {
        let place = try MailPlace(account.settings)
        if place.leave != nil {
            try await POP3AccountSession.remove(place.address, host: host)
        } else {
            MailboxIdentities(user: place.user, host: place.imap.endpoint.host, folder: host.dataFolder)
                .remove()
        }
        if place.clientID != nil { try await browsers.revoke(place, secrets) }
    }

    private func login(
        _ place: MailPlace, _ secrets: any SecretStore, trying candidate: AccountCandidate? = nil
    ) throws(AccountError) -> IMAPLogin {
        if place.clientID != nil {
            if let candidate { return try browsers.login(place, trying: candidate) }
            return try browsers.login(place, secrets)
        }
        return .password(user: place.user) { () throws(AccountError) in
            try await secrets.required(MailPlace.passwordName, "The password")
        }
    }
}

extension AccountError {
    /// The same, with more for the user after the reason: what works, and how to sign in at this service.
    fileprivate func explained(_ note: String, _ hint: String) -> AccountError {
        switch self {
        case .authenticationRequired(let reason):
            .authenticationRequired(reason: Self.text(reason, note, hint))
        case .refused(let reason): .refused(Self.text(reason, note))
        case .insecure(let host, let reason):
            .insecure(
                host: host,
                reason: Self.text(reason, note, "Some servers use STARTTLS on a different port."))
        case .unreachable(let host, let reason):
            .unreachable(host: host, reason: Self.text(reason, note))
        case .offline, .denied, .throttled, .notFound, .cursorExpired, .badAnswer, .unsupported, .invalid,
            .secrets, .cancelled, .local:
            self
        }
    }

    /// Reasons of servers come with a full stop and without.
    private static func text(_ reason: String, _ more: String...) -> String {
        let isEnded = reason.last.map { ".!?".contains($0) } ?? true
        return ([isEnded ? reason : reason + "."] + more).filter { !$0.isEmpty }.joined(separator: " ")
    }
}
