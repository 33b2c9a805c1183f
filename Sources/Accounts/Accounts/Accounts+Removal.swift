import MailKernelAPI
import Store

/// The remaining work for an account whose mail was removed: kept until it is done, even if the secret store
/// is locked or the program ends in between.
struct AccountRemoval: Codable, Sendable {
    static let collection = "account-removal"

    let account: Account
    /// Whether to revoke the sign-in: not for an account that was never added.
    var revokes = true

    var key: DocumentKey { DocumentKey(Self.collection, account.id.rawValue) }

    var begun: StorageChange {
        get throws { .putDocument(Document(key, value: try JSONValue(encoding: self))) }
    }

    var done: StorageChange { .destroyDocument(key) }
}

extension Accounts {
    /// Removes an account and all of its data. If the service does not respond or the secret store waits for
    /// the user, the rest continues in the background.
    package func remove(_ id: Id<Account>) async throws {
        let stays = await leaving?(id)
        let removed: AccountRemoval?
        do {
            removed = try await exclusively(id) { try await removeMail(of: id) }
        } catch {
            // Even if the caller was canceled.
            if let stays { await Task { await stays() }.value }
            throw error
        }
        guard let removal = removed else { return }
        let rest = Task { await finish(removal) }
        await wait(for: rest, atMost: Self.removalPatience)
    }

    private func removeMail(of id: Id<Account>) async throws -> AccountRemoval? {
        guard let account = try await store.account(id) else {
            // Called again: finish the rest.
            let key = DocumentKey(AccountRemoval.collection, id.rawValue)
            return try await store.read.document(key)?.read(as: AccountRemoval.self)
        }
        let wasRunning = syncs[id] != nil
        // The lease goes with the account.
        let ending = Task { await end(id, releases: false) }
        // Without its deadlines: nothing that they could still bring is wanted.
        while await !wait(for: ending, atMost: Self.pluginPatience) {
            provider(account.pluginID)?.caller.calls.giveUp(for: id)
        }
        let removal = AccountRemoval(account: account)
        do {
            try await store.commit([removal.begun])
            try await store.removeAccount(id)
        } catch {
            guard try await isGone(after: error, removal, wasRunning: wasRunning) else { throw error }
        }
        store.leases?.drop(id)
        status.set(nil, of: id)
        return removal
    }

    /// Whether an account is gone although its removal failed, for example if only a later step failed. If
    /// not, it continues as before.
    private func isGone(
        after error: any Error, _ removal: AccountRemoval, wasRunning: Bool
    ) async throws -> Bool {
        do {
            if try await store.account(removal.account.id) == nil { return true }
            // Should the note stay, the next start sees that the account is there.
            _ = try? await store.commit([removal.done])
        } catch {
            log.write(
                .warning, "mailkernel", "Removed accounts could not be checked. \(error.sentence)")
        }
        if wasRunning { await start(removal.account) }
        return false
    }

    /// Continues unfinished removals: at the start, and after a vault was unlocked.
    func finishRemovals() async {
        do {
            let kept = try await store.allDocuments(in: AccountRemoval.collection)
            for removal in kept.compactMap({ $0.read(as: AccountRemoval.self) }) { await finish(removal) }
        } catch {
            log.write(
                .warning, "mailkernel",
                "Removed accounts could not be read; this will be retried. \(error.sentence)")
            finishRemovalsLater()
        }
    }

    private func finish(_ removal: AccountRemoval) async {
        let account = removal.account
        await exclusively(account.id) {
            do {
                // Another task may have finished it.
                guard try await store.read.document(removal.key) != nil else { return }
                // The program ended before anything was removed.
                guard try await store.account(account.id) == nil else {
                    try await store.commit([removal.done])
                    return
                }
                try await Notices(store: store).forgetAll(of: account.id)
                try await onboarding.beginAgainWithoutAccounts()
                // The mail is gone from here; a service that cannot be told is no reason to keep the secrets. One
                // that has let the same address in again would end that as well.
                if removal.revokes, try await !isThereAgain(account) { _ = await revoke(account) }
                // Cut off by the end of the program: the next start asks the service again.
                try Self.goOn()
                hosts.forget(account.id)
                try await secrets.remove(account)
                try await store.commit([removal.done])
            } catch AccountError.cancelled {
            } catch {
                let reason = (error as? SecretError).map { AccountError.secrets($0).sentence } ?? "\(error)"
                log.write(
                    .warning, "mailkernel",
                    "The secrets of a removed account could not be removed; this will be retried. \(reason)")
                // A secret store that waits for the user says when it is unlocked.
                if error is StorageError { finishRemovalsLater() }
            }
        }
    }

    private func isThereAgain(_ account: Account) async throws(StorageError) -> Bool {
        try await store.read.accounts().contains {
            $0.pluginID == account.pluginID && $0.address.lowercased() == account.address.lowercased()
        }
    }

    /// Removes the secrets of an account that was not added, even if the caller was canceled. Secrets that
    /// cannot be removed now are recorded, and removed later.
    func forgetSecrets(_ removal: AccountRemoval) async {
        await Task {
            // If this fails, the record stays, and the next start tries again.
            guard (try? await secrets.remove(removal.account)) != nil else { return }
            _ = try? await store.commit([removal.done])
        }.value
    }

    /// Revokes the sign-ins of all accounts. Returns a sentence for each one that failed.
    package func revokeAll() async -> [String] {
        let all: [Account]
        do {
            all = try await store.read.accounts()
        } catch {
            return [
                "Sign-ins could not be revoked, because the accounts could not be read. \(error.sentence)"
            ]
        }
        return await withTaskGroup(of: String?.self) { group in
            for account in all { group.addTask { await self.revoke(account) } }
            var problems: [String] = []
            for await problem in group { if let problem { problems.append(problem) } }
            return problems
        }
    }

    /// A service that does not answer is not waited for longer than the user would.
    private nonisolated func revoke(_ account: Account) async -> String? {
        guard let provider = provider(account.pluginID) else { return nil }
        let drawer = secrets.drawer(account)
        let failed = "The sign-in of \(account.address) could not be revoked at its service."
        let asking = Task { () -> String? in
            do throws(AccountError) {
                try await provider.revoke(account, secrets: drawer)
                return nil
            } catch {
                return "\(failed) \(error.sentence)"
            }
        }
        guard await wait(for: asking, atMost: Self.servicePatience) else {
            asking.cancel()
            return "\(failed) It does not respond."
        }
        return await asking.value
    }

    /// Whether it ended in time. Otherwise it continues.
    @discardableResult
    private nonisolated func wait<Value: Sendable>(
        for task: Task<Value, Never>, atMost seconds: Double
    ) async -> Bool {
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        Task {
            _ = await task.value
            end.yield(true)
        }
        let timer = Task { [clock] in
            if (try? await clock.sleep(for: seconds)) != nil { end.yield(false) }
        }
        defer { timer.cancel() }
        for await isDone in ends { return isDone }
        return false
    }

    private static let servicePatience = 10.0
    /// For a call of the account's session; then for the call that closes it.
    private static let pluginPatience = 2.0
    /// Within it the service's. With both calls of the session it must stay below 15 s (FR-ACCT-05).
    private static let removalPatience = 10.5
}
