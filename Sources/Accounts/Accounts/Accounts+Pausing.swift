import FoundationEssentials
import Mail
import MailKernelAPI
import Store
import Sync

/// A paused account neither syncs nor sends. Its mail stays readable; changes and messages wait.
extension Accounts {
    package func isPaused(_ account: Account) async throws(StorageError) -> Bool {
        guard account.status == .inactive else { return false }
        return try await AccountPause.load(account.id, from: store) != nil
    }

    /// - Throws: `AccountProblem.notPausable` if the account has no service, or is signed out.
    package func pause(_ id: Id<Account>) async throws {
        try await exclusively(id) {
            guard let account = try await store.account(id) else { throw AccountError.notFound }
            guard try await !isPaused(account) else { return }
            try await checkPausable(account)
            let pause = AccountPause(since: clock.now)
            try await change(id) {
                try await [pause.change(for: id)] + explained(in: id)
            } _: {
                $0.status = .inactive
            }
            await end(id)
            await endVisit(id)
            localSignIns.forget(id)
            status.set(.idle, of: id)
        }
    }

    /// - Throws: `AccountProblem.notPausable`.
    package func checkPausable(_ account: Account) async throws {
        guard account.status == .active else { throw AccountProblem.notPausable(.signedOut) }
        guard try await isKeptHereOnly(account.id) else { return }
        // Such as one with POP3: the mail is here, but it comes from a service.
        let setups = await provider(account.pluginID)?.setups ?? []
        guard setups.contains(where: { $0.kind == .account }) else {
            throw AccountProblem.notPausable(.local)
        }
    }

    /// Whether this device has the only copy of the account's mail: no service can give it again.
    package func isKeptHereOnly(_ id: Id<Account>) async throws(StorageError) -> Bool {
        try await RemoteMap.stored(id, in: store)?.features.contains(.local) == true
    }

    package func resume(_ id: Id<Account>) async throws {
        try await exclusively(id) {
            guard let account = try await store.account(id) else { throw AccountError.notFound }
            guard try await isPaused(account), let pause = try await AccountPause.load(id, from: store)
            else { return }
            let active = try await change(id) {
                try await queuedAgain(in: id, since: pause.since) + [AccountPause.ended(id)]
            } _: {
                $0.status = .active
            }
            try await hosts.allowAll(of: [active])
            try await startIfSetUp(active)
        }
    }

    /// Messages that are on their way say why they wait.
    private func explained(in id: Id<Account>) async throws(StorageError) -> [StorageChange] {
        try await store.read.submissions(nil, in: id)
            .filter { $0.sendState == .queued && $0.undoStatus == .final }
            .map { submission in
                var submission = submission
                submission.failure = AccountPause.sentence
                return .putSubmission(submission)
            }
    }

    /// The time that an account was inactive is none that its mail had to be sent in (FR-SYNC-07). All of it
    /// keeps its place.
    func queuedAgain(in id: Id<Account>, since: Date) async throws(StorageError) -> [StorageChange] {
        let pause = max(0, clock.now.timeIntervalSince(since))
        return try await store.read.submissions(nil, in: id)
            .filter { [.queued, .sending].contains($0.sendState) }
            .map { submission in
                var submission = submission
                submission.queuedAt = min(submission.queuedAt.addingTimeInterval(pause), clock.now)
                if submission.failure == AccountPause.sentence { submission.failure = nil }
                return .putSubmission(submission)
            }
    }
}
