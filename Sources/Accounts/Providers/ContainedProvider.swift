import FoundationEssentials
import MailKernelAPI
import PluginCalls

/// An account provider whose calls block nothing else: see `PluginCaller`.
package struct ContainedProvider {
    let inner: any AccountProvider
    let caller: PluginCaller
    private let listing: Listing<[AccountSetup]>

    package init(inner: any AccountProvider, caller: PluginCaller) {
        self.inner = inner
        self.caller = caller
        listing = Listing(caller.calls) {
            guard !caller.isSilent(in: .setups) else { return nil }
            return try? await caller.call(.setups) { _ throws(AccountError) in inner.setups }
        }
    }

    /// Empty if the plugin never said.
    package var setups: [AccountSetup] {
        get async {
            Array(await (listing.answer() ?? []).prefix(AnswerLimits.setups).filter(\.isWithinLimits))
        }
    }

    package func authorize(_ step: AuthorizationAnswer) async throws(AccountError) -> AuthorizationStep {
        try await caller.call(.authorize) { [inner] _ throws(AccountError) in
            var next = try await inner.authorize(step)
            try next.hold()
            return next
        }
    }

    package func validate(_ candidate: AccountCandidate) async throws(AccountError) -> ValidatedAccount {
        try await caller.call(.validate) { [inner] _ throws(AccountError) in
            let valid = try await inner.validate(candidate)
            try valid.checkLimits()
            return valid
        }
    }

    package func session(
        for account: Account, secrets: any SecretStore
    ) async throws(AccountError) -> any AccountSession {
        let silence = Silence(caller.calls.uptime)
        let secrets = LentSecrets(inner: secrets, silence: silence)
        let session = try await caller.call(.session, of: account.id, shared: silence) {
            [inner] _ throws(AccountError) in
            try await inner.session(for: account, secrets: secrets)
        }
        return ContainedSession(session, of: account.id, secrets: silence, caller)
    }

    package func revoke(_ account: Account, secrets: any SecretStore) async throws(AccountError) {
        try await caller.call(.revoke, of: account.id) { [inner] silence throws(AccountError) in
            try await inner.revoke(account, secrets: LentSecrets(inner: secrets, silence: silence))
        }
    }
}

extension PluginCaller {
    /// The same where an error says that there is no answer.
    func call<Answer: Sendable>(
        _ kind: PluginCallKind, of accountID: Id<Account>? = nil, shared: Silence? = nil,
        _ body: @escaping @Sendable (Silence) async throws(AccountError) -> Answer
    ) async throws(AccountError) -> Answer {
        let result: Result<Answer, AccountError>
        do throws(Unanswered) {
            result = try await call(kind, of: accountID, shared: shared, body)
        } catch {
            throw .local(reason: error.sentence)
        }
        return try result.mapError(\.held).get()
    }
}
