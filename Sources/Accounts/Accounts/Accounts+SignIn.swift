import MailKernelAPI
import Store
import Sync

extension Accounts {
    /// Gives an account another sign-in: the settings and secrets of the candidate with the same address, which is tried
    /// first. An inactive account is active again, unless it is paused. Nothing changes if it throws.
    ///
    /// - Parameters:
    ///   - candidates: the results of the sign-in.
    ///   - pluginID: the plugin that it was a sign-in of; nil for the account's own.
    ///   - entered: the hosts that the user entered for it.
    /// - Throws: `AccountProblem.anotherAccount` if the user signed in to a different account.
    @discardableResult
    package func reauthenticate(
        _ id: Id<Account>, with candidates: [AccountCandidate], of pluginID: String? = nil,
        entered: Set<String> = []
    ) async throws -> Account {
        guard let account = try await store.account(id),
            let provider = provider(pluginID ?? account.pluginID)
        else { throw AccountError.notFound }
        // Before the first contact: another kernel may have added the account while this one ran.
        try await hosts.allowAll(of: [account])
        var others: [String] = []
        for candidate in candidates {
            let valid = try await provider.validate(candidate)
            if valid.address.lowercased() == account.address.lowercased() {
                var way = NewWay(
                    pluginID: pluginID ?? account.pluginID, candidate: candidate, valid: valid,
                    entered: entered)
                try await tryMove(of: account, to: &way)
                return try await exclusively(id) { [way] in try await takeUp(id, way, seen: account) }
            }
            others.append(valid.address)
        }
        throw AccountProblem.anotherAccount(others.first ?? "", expected: account.address)
    }

    private func takeUp(_ id: Id<Account>, _ way: NewWay, seen: Account) async throws -> Account {
        guard let account = try await store.account(id) else { throw AccountError.notFound }
        try Self.goOn()
        var way = way
        // Another sign-in may have moved it meanwhile.
        if account.pluginID != seen.pluginID { way.isMove = true }
        try await finishSignInChange(of: account)
        let isPaused = try await isPaused(account)
        let candidate = way.candidate
        let hostChanges = try await self.hostChanges(of: account, way)
        let drawer = secrets.drawer(account)
        let signIn = SignInChange(
            to: candidate.secrets.keys, from: try await SecretNames.load(id, from: store) ?? [])
        let changed: Account
        do {
            try await store.commit([try signIn.begun(for: id)])
            for (name, secret) in candidate.secrets {
                try await drawer.store(secret, named: SignInChange.waiting(name))
            }
            try Self.goOn()
            changed = try await change(id) {
                try await queuedAgain(in: id) + SignInProblem.solved(id) + hostChanges.kept
                    + newIdentities(of: way.valid, for: account) + moveChanges(of: account, way) + [
                        ServiceAddresses.keep(way.valid, of: id), secretNames(candidate, of: id),
                        signIn.decided(for: id),
                    ]
            } _: { account in
                account.pluginID = way.pluginID
                account.settings = candidate.settings
                account.status = isPaused ? .inactive : .active
            }
        } catch {
            // Even if the caller was canceled.
            let decision = Task { try await decided(id) }
            guard let decided = try await decision.value else { throw error }
            changed = decided
        }
        await end(id)
        await endVisit(id)
        localSignIns.forget(id)
        if let allowed = hostChanges.allowed { hosts.allow(allowed, of: changed) }
        if isPaused { _ = try await hasSettledSecrets(changed) } else { try await startIfSetUp(changed) }
        return changed
    }

    private func queuedAgain(in id: Id<Account>) async throws(StorageError) -> [StorageChange] {
        guard let problem = try await SignInProblem.load(id, from: store) else { return [] }
        return try await queuedAgain(in: id, since: problem.since)
    }

    /// The service no longer accepts the sign-in, after enough attempts (FR-ACCT-04): the mail stays
    /// readable, queued messages stay queued, and nothing is tried until the user has signed in.
    package func deactivate(_ id: Id<Account>, because reason: AccountError, after sync: AccountSync) async {
        await exclusively(id) {
            // It may have been taken up again, or removed, since.
            guard self.sync(id) === sync else { return }
            let problem = SignInProblem(sentence: reason.sentence, since: clock.now)
            if keeper != nil { return await standBack(id, problem) }
            await setInactive(id, problem)
            await end(id)
            status.set(problem.status, of: id)
        }
    }

    func setInactive(_ id: Id<Account>, _ problem: SignInProblem) async {
        do {
            // The user may have paused it meanwhile.
            guard let account = try await store.account(id), account.status == .active else { return }
            let changes = { try problem.changes(for: account) }
            try await change(id, with: changes) { $0.status = .inactive }
        } catch {
            // It is tried again at the next start.
            log.write(.warning, "mailkernel", "An account could not be set to inactive. \(error.logged)")
        }
    }

    /// Retries all waiting accounts, because the reason may be gone: an unlocked vault, a network.
    package func tryAgain() async {
        localSignIns = LocalSignIns()
        do {
            for account in try await store.read.accounts() where account.status == .active {
                if let sync = syncs[account.id] {
                    await sync.asked()
                    await asked?(account.id)
                } else {
                    try await exclusively(account.id) { () throws(StorageError) in
                        try await startIfSetUp(account)
                    }
                }
            }
        } catch {
            log.write(.warning, "mailkernel", "The accounts could not be retried. \(error.logged)")
        }
        Task { await finishRemovals() }
    }
}
