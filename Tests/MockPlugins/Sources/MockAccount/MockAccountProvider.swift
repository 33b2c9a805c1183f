import FoundationEssentials
import MailKernelAPI
import MailKernelConformance
import SuddenEnd

/// The reference accounts, misbehaving as told.
struct MockAccountProvider: AccountProvider {
    private let real: MemoryAccountProvider
    private let calls: Misbehavior<AccountError>
    private let end: SuddenEnd

    init(host: HostServices) {
        real = MemoryAccountPlugin.accountProvider(host: host)
        calls = Misbehavior(
            host, failure: .unreachable(host: MemoryMailServer.host, reason: "The mock was told to fail."),
            cancelled: .cancelled)
        end = SuddenEnd(host)
    }

    var setups: [AccountSetup] {
        end.come(in: "setups")
        return real.setups
    }

    func authorize(_ step: AuthorizationAnswer) async throws(AccountError) -> AuthorizationStep {
        // A form with one field twice.
        try await calls.perform("authorize") {
            try real.authorize(step)
        } garbage: {
            $0.withFieldsTwice
        }
    }

    func validate(_ candidate: AccountCandidate) async throws(AccountError) -> ValidatedAccount {
        // No address, and no sender.
        try await calls.call("validate") {
            try real.validate(candidate)
        } garbage: { _ in
            ValidatedAccount(address: "", displayName: "", identities: [])
        }
    }

    func session(
        for account: Account, secrets: any SecretStore
    ) async throws(AccountError) -> any AccountSession {
        end.come(in: "session")
        return try await calls.perform("session") {
            MockAccountSession(real: try real.session(for: account, secrets: secrets), calls: calls, end: end)
        }
    }

    func revoke(_ account: Account, secrets: any SecretStore) async throws(AccountError) {
        try await calls.perform("revoke") { try await real.revoke(account, secrets: secrets) }
    }
}

extension AuthorizationStep {
    fileprivate var withFieldsTwice: AuthorizationStep {
        guard case .form(let fields, let memory) = self else { return self }
        return .form(fields + fields, memory: memory)
    }
}
