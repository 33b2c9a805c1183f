import FoundationEssentials
import IMAP
import MailKernelAPI

/// Brings accounts of any service that speaks IMAP and SMTP.
struct IMAPAccountProvider: AccountProvider {
    private let host: HostServices
    private let services: MailServices
    private let forms: AccountForms

    init(_ host: HostServices) {
        self.host = host
        services = MailServices(host.settings, log: host.log)
        forms = AccountForms(services: services)
    }

    var setups: [AccountSetup] {
        [
            AccountSetup(
                id: "imap", title: "Add another mail account", serviceName: "your mail server",
                explanation:
                    "For every service that lets mail programs in by IMAP and SMTP. The servers of many "
                    + "are known.")
        ]
    }

    // MARK: Signing in

    /// What is remembered between the forms.
    private enum Memory: Codable {
        case first(again: [String: JSONValue]?)
        case second(AccountForms.Person)

        var secret: Secret {
            Secret(String(decoding: (try? JSONEncoder().encode(self)) ?? Data(), as: UTF8.self))
        }

        init(_ secret: Secret) throws(AccountError) {
            guard let memory = try? JSONDecoder().decode(Memory.self, from: Data(secret.revealed.utf8))
            else { throw .badAnswer("the memory of a sign-in is not one") }
            self = memory
        }
    }

    func authorize(_ step: AuthorizationAnswer) throws(AccountError) -> AuthorizationStep {
        switch step {
        case .begin(let request):
            return .form(
                forms.first(again: request.account),
                memory: Memory.first(again: request.account?.settings).secret)
        case .form(let answers, let memory):
            switch try Memory(memory) {
            case .first(let account): return try whoItIs(answers, again: account)
            case .second(let person):
                let (user, imap, submission) = try forms.servers(in: answers)
                let place = MailPlace(person, user: user, imap: imap, submission: submission)
                return .finished([place.candidate(password: person.password)])
            }
        case .redirected:
            throw .unsupported("signing in with a browser")
        }
    }

    private func whoItIs(
        _ answers: [String: Secret], again settings: [String: JSONValue]?
    ) throws(AccountError) -> AuthorizationStep {
        let person = try forms.person(in: answers)
        if let settings {
            var place = try MailPlace(settings)
            guard person.address.lowercased() == place.address.lowercased() else {
                throw .invalid(field: "address", reason: "This account is \(place.address).")
            }
            place.address = person.address
            return .finished([place.candidate(password: person.password)])
        }
        guard let service = try forms.service(in: answers, person) else {
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
        let password = candidate.secrets[MailPlace.passwordName]
        let configuration = place.configuration { () throws(AccountError) in
            guard let password else { throw .authenticationRequired(reason: "The password is missing.") }
            return password
        }
        let hint = place.service.flatMap { services.service(id: $0)?.hint } ?? ""
        do throws(AccountError) {
            try await configuration.tryReceiving(host: host)
        } catch {
            throw error.explained("", hint)
        }
        do throws(AccountError) {
            try await configuration.trySending(host: host)
        } catch {
            throw error.explained("Receiving works, sending does not. ", hint)
        }
        let name = place.name.isEmpty ? nil : place.name
        return ValidatedAccount(
            address: place.address, displayName: name ?? place.address,
            identities: [EmailAddress(name: name, email: place.address)])
    }

    func session(
        for account: Account, secrets: any SecretStore
    ) async throws(AccountError) -> any AccountSession {
        let configuration = try MailPlace(account.settings).configuration { () throws(AccountError) in
            let password: Secret?
            do throws(SecretError) {
                password = try await secrets.secret(named: MailPlace.passwordName)
            } catch {
                throw .secrets(error)
            }
            guard let password else {
                throw .authenticationRequired(reason: "The password is not in your secret store.")
            }
            return password
        }
        return IMAPAccountSession(configuration, host: host)
    }
}

extension AccountError {
    /// The same with what a person can do about it.
    fileprivate func explained(_ beginning: String, _ hint: String) -> AccountError {
        switch self {
        case .authenticationRequired(let reason):
            .authenticationRequired(
                reason: beginning + reason + (hint.isEmpty ? "" : " \(hint)"))
        case .refused(let reason): .refused(beginning + reason)
        case .insecure(let host, let reason):
            .insecure(
                host: host,
                reason: beginning + reason + " Some servers begin with STARTTLS, on another port.")
        case .unreachable(let host, let reason): .unreachable(host: host, reason: beginning + reason)
        default: self
        }
    }
}
