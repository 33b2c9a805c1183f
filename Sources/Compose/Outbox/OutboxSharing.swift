import FoundationEssentials
import MailKernelAPI
import Store

/// A submission whose undo delay another kernel counts.
struct UnattendedSubmission {
    let accountID: Id<Account>
    let sendAt: Date
    /// The uptime since which it is unchanged.
    let since: Double
}

/// The outbox on a store that several kernels share. The kernel on which a message was sent counts its undo delay; the
/// one that looks after the account then hands it over.
extension Outbox {
    /// The longest undo delay.
    private static let longestDelay = 30.0
    /// A kernel that counts a delay has changed the submission so long after its end.
    private static let grace = 15.0
    /// How often a kernel shows that it still counts a delay that stands still.
    private static let beat = 10.0

    /// What keeps a change from overwriting that of another kernel.
    func unchanged(in accountID: Id<Account>) async throws(StorageError) -> [ChangeSet.Precondition] {
        guard store.sharing != nil else { return [] }
        return [
            .init(.submission, in: accountID, is: try await store.read.state(of: .submission, in: accountID))
        ]
    }

    /// Makes a change again if another kernel came before.
    func unlessOvertaken<Answer>(
        in accountID: Id<Account>, _ change: ([ChangeSet.Precondition]) async throws -> Answer
    ) async throws -> Answer {
        while true {
            do {
                return try await change(try await unchanged(in: accountID))
            } catch StorageError.stateMismatch(.submission, _) {
                try Task.checkCancellation()
            }
        }
    }

    /// Another kernel queued, canceled or sent something.
    func othersChanged(_ accountIDs: Set<Id<Account>>) async {
        for id in accountIDs {
            let counting = submissions.filter { $0.value.countdown != nil }.map(\.key)
            guard !counting.isEmpty, let found = try? await store.read.submissions(counting, in: id) else {
                continue
            }
            for submission in found where submission.undoStatus != .pending {
                set(submission.id) { $0.countdown = nil }
            }
        }
        changed()
    }

    // MARK: Turns

    /// Resolves the attempts that the former holder of the account's lease left behind.
    package func turnBegan(_ accountID: Id<Account>) async {
        guard let store = store.lookingAfter(accountID) else { return }
        await recover(accountID, in: store) { $0.undoStatus != .pending }
    }

    /// The account can send.
    package func accountOpened() { changed() }

    /// What was not handed over yet is handed over by the next holder.
    package func turnLost(_ accountID: Id<Account>) {
        if case .round(let task, _) = states[accountID]?.work { task.cancel() }
        // What is counted here becomes final here.
        changed()
    }

    // MARK: Messages of kernels that have gone

    /// Makes a message a draft again if the kernel that counted its undo delay has gone: it may be that the user could
    /// not undo it. Returns when to look again.
    func attend(_ submission: EmailSubmission) async throws -> Date? {
        let delay = submission.sendAt.timeIntervalSince(submission.queuedAt)
        let patience = min(max(delay, 0), Self.longestDelay) + Self.grace
        guard let seen = unattended[submission.id], seen.sendAt == submission.sendAt else {
            // By the uptime, because the clocks of two computers differ.
            unattended[submission.id] = UnattendedSubmission(
                accountID: submission.accountID, sendAt: submission.sendAt, since: uptime.uptime)
            return clock.now.addingTimeInterval(patience)
        }
        let left = seen.since + patience - uptime.uptime
        guard left <= 0 else { return clock.now.addingTimeInterval(left) }
        unattended[submission.id] = nil
        noticed.insert(submission.accountID)
        _ = try await holding(submission.id) { try await giveUp(submission) }
        return nil
    }

    private func giveUp(_ submission: EmailSubmission) async throws {
        try await unlessOvertaken(in: submission.accountID) { unchanged in
            let now = try await store.read.submissions([submission.id], in: submission.accountID).first
            guard let now, now.undoStatus == .pending, now.sendAt == submission.sendAt else { return }
            let notice = try NotSentNotice.change(for: now, at: clock.now)
            _ = try await callBack(now, asDraft: true, with: [notice], ifIn: unchanged)
        }
    }

    /// Forgets those that are not pending any more.
    func forgetAttended(besides pending: [EmailSubmission], in accountID: Id<Account>) {
        guard !unattended.isEmpty else { return }
        let ids = Set(pending.map(\.id))
        unattended = unattended.filter { $0.value.accountID != accountID || ids.contains($0.key) }
    }

    /// Shows other kernels that this one still counts the delays that stand still.
    func beatWhilePaused() {
        guard store.sharing != nil, heartbeat == nil, !paused.isEmpty else { return }
        heartbeat = Task { [clock, weak self] in
            while (try? await clock.sleep(for: Self.beat)) != nil, await self?.notePaused() == true {}
            await self?.beatEnded()
        }
    }

    private func beatEnded() { heartbeat = nil }

    private func notePaused() async -> Bool {
        let ids = paused
        for account in (try? await store.read.accounts()) ?? [] {
            for id in ids { try? await note(id, in: account.id) }
        }
        return !ids.isEmpty
    }
}
