import MailKernelAPI
import Store
import Sync

extension Accounts {
    /// Reactivates an account that has signed in again: with the settings and secrets of the candidate with
    /// the same address. Nothing changes if it throws.
    ///
    /// - Parameters:
    ///   - candidates: the results of the sign-in.
    ///   - entered: the hosts that the user entered for it.
    /// - Throws: `AccountProblem.anotherAccount` if the user signed in to a different account.
    @discardableResult
    package func reauthenticate(
        _ id: Id<Account>, with candidates: [AccountCandidate], entered: Set<String> = []
    ) async throws -> Account {
        guard let account = try await store.account(id), let provider = provider(account.pluginID) else {
            throw AccountError.notFound
        }
        // Before the first contact: another kernel may have added the account while this one ran.
        try await hosts.allowAll(of: [account])
        var others: [String] = []
        for candidate in candidates {
            let valid = try await provider.validate(candidate)
            if valid.address.lowercased() == account.address.lowercased() {
                return try await exclusively(id) { try await takeUp(id, candidate, entered) }
            }
            others.append(valid.address)
        }
        throw AccountProblem.anotherAccount(others.first ?? "", expected: account.address)
    }

    private func takeUp(
        _ id: Id<Account>, _ candidate: AccountCandidate, _ entered: Set<String>
    ) async throws -> Account {
        guard let account = try await store.account(id) else { throw AccountError.notFound }
        try Self.goOn()
        // What it asked for this time is not all that the account needs.
        let entered = entered.isEmpty ? [] : entered.union(try await hosts.known(of: id))
        let drawer = secrets.drawer(account)
        var before: [String: Secret] = [:]
        for name in candidate.secrets.keys { before[name] = try await drawer.secret(named: name) }
        let active: Account
        do {
            // First, so that the new settings are never used with the old secrets.
            for (name, secret) in candidate.secrets { try await drawer.store(secret, named: name) }
            try Self.goOn()
            active = try await change(id) {
                try await queuedAnew(in: id) + SignInProblem.solved(id) + AccountHosts.keep(entered, of: id)
                    + secretNames(candidate, of: id)
            } _: { account in
                account.settings = candidate.settings
                account.status = .active
            }
        } catch {
            for name in candidate.secrets.keys {
                if let old = before[name] {
                    try? await drawer.store(old, named: name)
                } else {
                    try? await drawer.removeSecret(named: name)
                }
            }
            throw error
        }
        await end(id)
        localSignIns.forget(id)
        if !entered.isEmpty { hosts.allow(entered, of: active) }
        try await startIfSetUp(active)
        return active
    }

    /// The time that an account was inactive is none that its mail had to be sent in (FR-SYNC-07). All of it
    /// keeps its place.
    private func queuedAnew(in id: Id<Account>) async throws(StorageError) -> [StorageChange] {
        guard let problem = try await SignInProblem.load(id, from: store) else { return [] }
        let pause = max(0, clock.now.timeIntervalSince(problem.since))
        return try await store.read.submissions(nil, in: id)
            .filter { [.queued, .sending].contains($0.sendState) }
            .map { submission in
                var submission = submission
                submission.queuedAt = min(submission.queuedAt.addingTimeInterval(pause), clock.now)
                return .putSubmission(submission)
            }
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
            status.set(SyncStatus(.failed, problem: problem.sentence), of: id)
        }
    }

    func setInactive(_ id: Id<Account>, _ problem: SignInProblem) async {
        do {
            guard let account = try await store.account(id) else { return }
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
