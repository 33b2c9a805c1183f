import FoundationEssentials
import Mail
import MailKernelAPI
import Store
import Sync

/// Sends due submissions.
extension Outbox {
    private static let longestWait = 86_400.0
    private static let notUsable = "The account cannot be used right now."

    /// Sends the due submissions of an account. Returns when to check again.
    func due(of account: Account) async -> Date? {
        do {
            try await finishSent(of: account.id)
            guard account.status == .active, store.looksAfter(account.id) else {
                states[account.id]?.hold = nil
                return try await queueOverdue(of: account.id)
            }
            if let until = states[account.id]?.hold?.until, until > uptime.uptime {
                let again = clock.now.addingTimeInterval(until - uptime.uptime)
                return min(try await queueOverdue(of: account.id) ?? again, again)
            }
            states[account.id]?.hold = nil
            let next = [try await goOnTakingBack(account.id), try await sendDue(of: account.id)]
                .compactMap(\.self).min()
            // Submissions not reached yet may pass their undo delay before the account can send again.
            guard states[account.id]?.hold != nil else { return next }
            return [next, try await queueOverdue(of: account.id)].compactMap { $0 }.min()
        } catch is CancellationError {
            // The turn may have ended, and what is counted here goes on.
            return store.sharing == nil ? nil : clock.now.addingTimeInterval(1)
        } catch StorageError.stateMismatch(.submission, _) {
            // Another kernel came before.
            return clock.now
        } catch {
            if error.isLostLease { return clock.now }
            log.write(.warning, "mailkernel", "The outbox of an account could not continue. \(error.logged)")
            return clock.now.addingTimeInterval(Self.lookAgain)
        }
    }

    /// Sends due submissions, oldest first. Returns when the next one is due.
    private func sendDue(of accountID: Id<Account>) async throws -> Date? {
        var next: Date?
        let onTheirWay = try await store.read.submissions(nil, in: accountID).filter(\.isOnItsWay)
        if onTheirWay.isEmpty { states[accountID]?.refused = nil }
        forgetAttended(besides: onTheirWay, in: accountID)
        for submission in onTheirWay {
            try Task.checkCancellation()
            guard let due = due(submission) else {
                guard store.sharing != nil, submissions[submission.id]?.countdown == nil else { continue }
                if let again = try await attend(submission) { next = min(next ?? again, again) }
                continue
            }
            guard due <= clock.now else {
                next = min(next ?? due, due)
                continue
            }
            let again = try await send(submission)
            if let again { next = min(next ?? again, again) }
            // Order is preserved: the rest waits for the account as well.
            if states[accountID]?.hold != nil { return next }
        }
        return next
    }

    /// When a submission is to be tried; nil while its undo time stands still.
    private func due(_ submission: EmailSubmission) -> Date? {
        if submission.isScheduled { return submission.sendAt }
        if submission.undoStatus == .pending {
            // A submission without a countdown is left over from an earlier run, and must never be sent by
            // itself; or another kernel counts.
            guard let countdown = submissions[submission.id]?.countdown, !countdown.isPaused else {
                return nil
            }
            return clock.now.addingTimeInterval(countdown.seconds(at: uptime.uptime))
        }
        guard let next = submission.nextTryAt else { return clock.now }
        // The clock was set back: no pause is as long as that.
        return next.timeIntervalSince(clock.now) > RetrySchedule.sending.longest ? clock.now : next
    }

    /// - Returns: when to try again.
    private func send(_ submission: EmailSubmission) async throws -> Date? {
        guard let before = take(submission.id, as: .sending) else { return nil }
        defer { giveBack(submission.id, before) }
        // The view of this turn, should it end meanwhile.
        guard let store = store.lookingAfter(submission.accountID) else { return clock.now }
        let unchanged = try await unchanged(in: submission.accountID)
        // Read again: it may have been called back while others were sent.
        guard
            var submission = try await store.read.submissions([submission.id], in: submission.accountID)
                .first, submission.isOnItsWay
        else { return nil }
        if submission.isScheduled, submission.sendAt > clock.now { return submission.sendAt }
        let isTooOld = submission.undoStatus == .final && isTooOld(submission)
        // A message that may have been sent is looked for before it fails.
        if isTooOld, !submission.mayHaveBeenSent {
            submission.sendState = .failed
            submission.failure = Self.tooLate(after: submission.failure)
            return try await conclude(submission, in: store.expecting(unchanged))
        }
        guard let sync = await accounts.sync(submission.accountID) else {
            try await queue(&submission, ifIn: unchanged)
            return wait(for: submission.accountID)
        }
        if let again = try await assemble(&submission, in: store.expecting(unchanged)) { return again }
        guard submission.sendState != .failed else { return nil }
        submission.becomeFinal(at: clock.now)
        submission.sendState = .sending
        try await store.commit([.putSubmission(submission)], preconditions: unchanged)
        set(submission.id) { $0.countdown = nil }
        let source = try await StoredBlob(submission.snapshotBlobID, in: submission.accountID, store.read)
        let attempt = SendAttempt(session: sync.session, now: clock.now, isTooLate: isTooOld)
        states[submission.accountID]?.isAsked = false
        let (tried, problem) = try await attempt.carryOut(submission, source) {
            marked in try await store.commit([.putSubmission(marked)])
        }
        guard case .ofAccount(let error) = problem else {
            if case .ofMessage(isSignedIn: false) = problem {} else { states[tried.accountID]?.refused = nil }
            return try await conclude(tried, after: problem, in: store)
        }
        try await store.commit([.putSubmission(tried)])
        return await wait(for: sync, because: error)
    }

    /// The time is over, and why it could not be sent in time is still worth knowing.
    private static func tooLate(after reason: String?) -> String {
        guard let reason, ![AccountError.offline.sentence, notUsable, AccountPause.sentence].contains(reason)
        else {
            return SendAttempt.tooLate
        }
        return "\(SendAttempt.tooLate). \(reason)"
    }

    /// Makes the message of a submission that was queued before all of it was here.
    ///
    /// - Returns: when to try again, if it still is not.
    private func assemble(_ submission: inout EmailSubmission, in store: MailStore) async throws -> Date? {
        guard try await store.read.blobInfo(submission.snapshotBlobID, in: submission.accountID) == nil
        else { return nil }
        submission.becomeFinal(at: clock.now)
        set(submission.id) { $0.countdown = nil }
        var next: Date?
        switch try await drafts.assemble(submission) {
        case .ready: return nil
        case .waiting(let reason):
            next = clock.now.addingTimeInterval(Self.lookAgain)
            submission.sendState = .queued
            submission.failure = reason
        case .failed(let reason):
            submission.sendState = .failed
            submission.failure = reason
        }
        submission.nextTryAt = next
        try await store.commit([.putSubmission(submission)])
        return next
    }

    /// Stores what became of a try. Returns when there is to be another.
    private func conclude(
        _ tried: EmailSubmission, after problem: SendAttempt.Problem? = nil, in store: MailStore
    ) async throws -> Date? {
        var submission = tried
        submission.nextTryAt = nil
        if problem.isPassing {
            let pause = RetrySchedule.sending.pause(after: submission.tries)
            submission.nextTryAt = pause.map { clock.now + $0 }
            if pause == nil { submission.sendState = .failed }
        }
        if let kept = submission.keptHere(at: clock.now, isAnswered: problem.isAnswer) {
            // The user relies on the service, and may be away.
            let notice = try await KeptHereNotice(store: store).change(for: kept, at: clock.now)
            try await store.commit([.putSubmission(kept), notice])
            return kept.sendAt
        }
        if submission.sendState == .failed, submission.wasGivenToSomebody { submission.giveUpTheRest() }
        var changes: [StorageChange] = [.putSubmission(submission)]
        if submission.sendState == .sent {
            changes += try await RefusalNotice(store: store).changes(for: submission, at: clock.now)
            changes += try await HeldMessage.noted(for: submission, in: store)
        }
        try await store.commit(changes)
        if submission.sendState == .sent {
            do {
                try await finish(submission)
            } catch {
                set(submission.id) { $0.state = .unfinished }
                throw error
            }
        }
        return submission.nextTryAt
    }

    private func isTooOld(_ submission: EmailSubmission) -> Bool {
        clock.now.timeIntervalSince(max(submission.queuedAt, submission.sendAt)) > Self.longestWait
    }

    // MARK: What follows from sending

    /// Should the program end before this, it is done at the next start.
    func finish(_ submission: EmailSubmission) async throws {
        try await drafts.sent(submission)
        try await store.removeBlob(submission.snapshotBlobID, in: submission.accountID)
        submissions[submission.id] = nil
    }

    private func finishSent(of accountID: Id<Account>) async throws {
        let unfinished = submissions.filter { $0.value.state == .unfinished }.map(\.key)
        guard !unfinished.isEmpty else { return }
        for submission in try await store.read.submissions(unfinished, in: accountID) {
            try await finish(submission)
        }
    }

    // MARK: Accounts that cannot send

    /// Submissions past their undo delay keep their place until the account has signed in again. Returns when
    /// the next one passes it.
    private func queueOverdue(of accountID: Id<Account>) async throws -> Date? {
        var next: Date?
        for submission in try await store.read.submissions(nil, in: accountID)
        where submission.undoStatus == .pending && !submission.isScheduled {
            guard let due = due(submission) else { continue }
            guard due <= clock.now else {
                next = min(next ?? due, due)
                continue
            }
            guard let before = take(submission.id, as: .sending) else { continue }
            defer { giveBack(submission.id, before) }
            let unchanged = try await unchanged(in: accountID)
            guard var read = try await store.read.submissions([submission.id], in: accountID).first
            else { continue }
            try await queue(&read, ifIn: unchanged)
        }
        return next
    }

    private func queue(
        _ submission: inout EmailSubmission, ifIn unchanged: [ChangeSet.Precondition]
    ) async throws {
        guard submission.undoStatus == .pending else { return }
        submission.becomeFinal(at: clock.now)
        // Without a reason if another kernel sends it.
        if try await AccountPause.load(submission.accountID, from: store) != nil {
            submission.failure = AccountPause.sentence
        } else if store.looksAfter(submission.accountID) {
            submission.failure = Self.notUsable
        }
        try await store.commit([.putSubmission(submission)], preconditions: unchanged)
        set(submission.id) { $0.countdown = nil }
    }
}

extension EmailSubmission {
    /// Waiting to be sent. One that is `sending` without an attempt in progress was left over after an error
    /// of the store.
    var isOnItsWay: Bool { sendState == .queued || sendState == .sending }
}
