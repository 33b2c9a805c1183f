import FoundationEssentials
import IMAP
import IMAPTestSupport
import MailKernelAPI

/// An account plugin as others write them on the library, for Dovecot on loopback.
struct DovecotProvider: AccountProvider {
    enum Way: Sendable { case oauth, password, startTLS }

    let servers: MailServers
    var way = Way.oauth
    var behavior = IMAPBehavior()
    var sends = false
    let host: HostServices

    var setups: [AccountSetup] {
        [AccountSetup(id: "account", title: "Add a test account", serviceName: "Dovecot")]
    }

    func authorize(_ step: AuthorizationAnswer) async throws(AccountError) -> AuthorizationStep {
        switch step {
        case .begin(let request):
            let fields = [
                FormField(
                    name: "address", label: "Address", kind: .email,
                    initialValue: request.account?.address ?? ""),
                FormField(name: "secret", label: "Password", kind: .password),
            ]
            return .form(fields)
        case .form(let values, _):
            guard let address = values["address"]?.revealed, address.contains("@") else {
                throw .invalid(field: "address", reason: "An address has an @ in it.")
            }
            guard let secret = values["secret"], !secret.revealed.isEmpty else {
                throw .invalid(field: "secret", reason: "A password is needed.")
            }
            return .finished([
                AccountCandidate(settings: ["address": .string(address)], secrets: ["secret": secret])
            ])
        case .redirected, .shown: throw .badAnswer("no browser was asked for")
        }
    }

    func validate(_ candidate: AccountCandidate) async throws(AccountError) -> ValidatedAccount {
        let address = candidate.settings["address"]?.stringValue ?? ""
        let tried = configuration(address) { _ throws(AccountError) in
            candidate.secrets["secret"] ?? Secret("")
        }
        try await tried.tryReceiving(host: host)
        return ValidatedAccount(
            address: address, displayName: address, identities: [EmailAddress(email: address)])
    }

    func session(
        for account: Account, secrets: any SecretStore
    ) async throws(AccountError) -> any AccountSession {
        IMAPAccountSession(
            configuration(account.address) { _ throws(AccountError) in
                let secret: Secret?
                do throws(SecretError) {
                    secret = try await secrets.secret(named: "secret")
                } catch {
                    throw .secrets(error)
                }
                guard let secret else {
                    throw .authenticationRequired(reason: "The password is missing.")
                }
                return secret
            }, host: host)
    }

    func configuration(
        _ address: String, _ secret: @escaping @Sendable (Secret?) async throws(AccountError) -> Secret
    ) -> IMAPConfiguration {
        let server =
            way == .startTLS
            ? MailServer("127.0.0.2", port: servers.ports.starttls, security: .startTLS)
            : MailServer("localhost", port: servers.ports.imaps)
        let login: IMAPLogin =
            way == .oauth
            ? .oauth(user: address, token: secret)
            : .password(user: address) { () throws(AccountError) in try await secret(nil) }
        return IMAPConfiguration(
            imap: server, submission: sends ? MailServer("localhost", port: 1) : nil, login: login,
            behavior: behavior)
    }
}
