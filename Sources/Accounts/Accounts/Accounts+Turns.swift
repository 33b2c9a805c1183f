import Mail
import MailKernelAPI
import Store
import Sync

/// One of the kernels on a shared store looks after an account at a time.
extension Accounts {
    /// What happens when this kernel begins to look after an account, before and after its session is opened, and when
    /// it has lost its turn.
    package struct TurnSteps: Sendable {
        package var before: @Sendable (Account) async -> Void
        package var after: @Sendable (Account) async -> Void
        /// Another kernel may look after the account by now.
        package var lost: @Sendable (Id<Account>) async -> Void

        package init(
            before: @escaping @Sendable (Account) async -> Void,
            after: @escaping @Sendable (Account) async -> Void,
            lost: @escaping @Sendable (Id<Account>) async -> Void
        ) {
            self.before = before
            self.after = after
            self.lost = lost
        }
    }

    /// - Parameter steps: not used on a store that this kernel has for itself.
    package func whenTurnBegins(_ steps: TurnSteps) { turnSteps = steps }

    /// To be called exclusively.
    func startTurn(_ account: Account, _ provider: ContainedProvider) async {
        let id = account.id
        if let problem = localSignIns.problems[id] {
            status.setTurn(.elsewhere, of: id)
            return status.set(problem, of: id)
        }
        guard await hasSecrets(account) else { return status.setTurn(.signInNeeded, of: id) }
        guard let lease = await lease(of: id), let keeper else { return }
        // The kernel may have been stopped meanwhile.
        guard isRunning else { return await keeper.release(id) }
        await endVisit(id)
        status.setTurn(.here, of: id)
        await turnSteps?.before(account)
        do {
            // It may have been added, or changed, by another kernel.
            try await hosts.allowAll(of: [account])
        } catch {
            log.write(.warning, "mailkernel", "The hosts of an account could not be read. \(error.sentence)")
        }
        if await open(account, provider, store.under(lease)) {
            await turnSteps?.after(account)
        } else {
            let problem = status.all.statuses[id]
            await end(id)
            status.setTurn(.elsewhere, of: id)
            localSignIns.problems[id] = problem
            status.set(problem, of: id)
        }
    }

    /// Nil if another kernel has it, or the store does not respond: that is shown, and tried again.
    private func lease(of id: Id<Account>) async -> StoreLease? {
        do throws(StorageError) {
            if let lease = try await keeper?.take(id) { return lease }
            status.setTurn(.elsewhere, of: id)
            status.set(.idle, of: id)
        } catch {
            log.write(.info, "mailkernel", "The store gave no lease. \(error.sentence)")
            if error.isOfServer {
                status.setSilent(error, of: id)
            } else {
                status.setTurn(.elsewhere, of: id)
            }
        }
        return nil
    }

    /// The account as the store has it now: begins, ends or restarts the work for it.
    ///
    /// - Parameter before: the account when it was looked at last.
    func takeTurn(_ account: Account, before: Account?) async {
        await exclusively(account.id) {
            guard isRunning else { return }
            do {
                guard account.status == .active else { return try await setAside(account) }
                if let before, before.settings != account.settings || before.pluginID != account.pluginID {
                    await endVisit(account.id)
                    if syncs[account.id] != nil { await end(account.id) }
                }
                guard syncs[account.id] == nil else { return }
                try await startIfSetUp(account)
            } catch {
                log.write(.info, "mailkernel", "An account could not be started. \(error.logged)")
                if let error = error as? StorageError, error.isOfServer {
                    status.setSilent(error, of: account.id)
                }
            }
        }
    }

    /// Another kernel found that the service does not accept the sign-in, or the user paused the account there.
    private func setAside(_ account: Account) async throws(StorageError) {
        await end(account.id)
        await endVisit(account.id)
        let problem = try await SignInProblem.load(account.id, from: store)
        status.set(problem?.status ?? .idle, of: account.id)
    }

    /// Another kernel looks after the account.
    func turnEnded(_ id: Id<Account>) async {
        await turnSteps?.lost(id)
        await exclusively(id) {
            guard !store.looksAfter(id) else { return }
            await end(id, releases: false)
            status.setTurn(.elsewhere, of: id)
        }
    }

    /// The service does not accept this computer's sign-in. That of another one may work: only if no other kernel takes
    /// the account is it made inactive.
    func standBack(_ id: Id<Account>, _ problem: SignInProblem) async {
        await end(id)
        var refused = problem.status
        refused.isSignInRefused = true
        localSignIns.problems[id] = refused
        status.setTurn(.elsewhere, of: id)
        status.set(refused, of: id)
        Task { [weak self, clock] in
            guard (try? await clock.sleep(for: 5 * LeaseKeeper.interval)) != nil else { return }
            await self?.setInactiveIfFree(id, problem)
        }
    }

    private func setInactiveIfFree(_ id: Id<Account>, _ problem: SignInProblem) async {
        await exclusively(id) {
            guard isRunning, localSignIns.problems[id] != nil, let keeper,
                (try? await keeper.take(id)) != nil
            else {
                return
            }
            await setInactive(id, problem)
            await keeper.release(id)
        }
    }

    /// Another kernel has removed the account. Its secrets are on each computer.
    func wasRemovedElsewhere(_ account: Account) async {
        await exclusively(account.id) {
            await end(account.id, releases: false)
            await endVisit(account.id)
            store.leases?.drop(account.id)
            localSignIns.forget(account.id)
            status.set(nil, of: account.id)
            hosts.forget(account.id)
            do {
                try await secrets.remove(account)
            } catch {
                let reason = (error as? SecretError).map { AccountError.secrets($0).sentence } ?? "\(error)"
                log.write(
                    .warning, "mailkernel", "The secrets of a removed account could not be removed. \(reason)"
                )
            }
        }
    }

    /// Other kernels changed something that the service is to know.
    func heardOfOthers(_ types: Set<DataType>, in id: Id<Account>) async {
        guard let sync = syncs[id] else { return }
        if types.contains(.documents(SyncRequest.collection)) { return await refresh(id) }
        let own: Set<DataType> = [.documents(PendingChanges.collection), .documents(SyncEpoch.collection)]
        if !types.isDisjoint(with: own.union(step?.types ?? [])) { await sync.changed() }
    }

    /// The user wants new mail, and another kernel fetches it; or the account could not be opened.
    func beginOrAskOther(_ id: Id<Account>) async {
        guard keeper != nil else { return await beginAgain(id) }
        let key = DocumentKey(SyncRequest.collection, "refresh", accountID: id)
        // If it fails, mail comes all the same, only later.
        _ = try? await store.commit([.putDocument(Document(key, value: .string(ids.text("R"))))])
    }
}

extension Accounts {
    /// Opens an account that could not be opened before, such as while the secret store was locked.
    private func beginAgain(_ id: Id<Account>) async {
        guard isRunning, let account = try? await store.account(id), account.status == .active,
            providers[account.pluginID] != nil
        else { return }
        try? await exclusively(id) { try await startIfSetUp(account) }
    }
}

/// Asks the kernel that looks after an account to fetch new mail.
private enum SyncRequest {
    static let collection = "sync-request"
}
