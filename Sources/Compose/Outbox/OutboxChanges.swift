import FoundationEssentials
import MailKernelAPI
import Store

/// Changes to submissions that are not being sent.
extension Outbox {
    /// Calls a submission back.
    ///
    /// - Returns: nil if it can no longer be unsent.
    package func cancel(_ id: Id<EmailSubmission>, in accountID: Id<Account>) async throws -> EmailSubmission?
    {
        try await holding(id) { () async throws -> EmailSubmission? in
            if let taken = try await takeBack(id, in: accountID) { return taken }
            let canceled = try await unlessOvertaken(in: accountID) { unchanged -> EmailSubmission? in
                guard let submission = try await store.read.submissions([id], in: accountID).first,
                    submission.mayBeCalledBack
                else { return nil }
                return try await callBack(submission, asDraft: false, ifIn: unchanged)
            }
            guard let canceled else { return nil }
            await noticeWaiting()
            return canceled
        } ?? nil
    }

    /// - Parameters:
    ///   - more: changes to commit together with it.
    ///   - unchanged: fails unless this is so.
    func callBack(
        _ submission: EmailSubmission, asDraft: Bool, with more: [StorageChange] = [],
        ifIn unchanged: [ChangeSet.Precondition]
    ) async throws -> EmailSubmission {
        // From here on it is not sent, even if a later step fails.
        set(submission.id) { $0.countdown = nil }
        var canceled = submission
        canceled.undoStatus = .canceled
        canceled.sendState = .none
        canceled.nextTryAt = nil
        let changes = [.putSubmission(canceled)] + more
        if try await !drafts.returned(submission, with: changes, ifIn: unchanged) {
            // A client may have destroyed the email: its content is restored.
            try await returned.restore(submission, asDraft: asDraft)
            try await store.commit(changes, preconditions: unchanged)
        }
        await blobs.removeNowOrLater(submission.snapshotBlobID, in: submission.accountID)
        return canceled
    }

    /// A message in its undo delay when the program ended is not sent: it becomes a draft again, and the user
    /// decides (FR-COMP-02). Interrupted attempts are resolved before anything else happens to them.
    package func recover() async {
        // No submission waits for a page any more.
        await noticeWaiting()
        do {
            for account in try await store.read.accounts() {
                await recover(account.id, in: store) { _ in true }
            }
        } catch {
            log.write(.warning, "mailkernel", "The outbox could not be read. \(error.logged)")
        }
    }

    /// - Parameter store: the view of it for an account that this kernel looks after.
    func recover(
        _ accountID: Id<Account>, in store: MailStore, where isLeft: (EmailSubmission) -> Bool
    ) async {
        do {
            for submission in try await store.read.submissions(nil, in: accountID).filter(isLeft) {
                do {
                    try await recover(submission, in: store)
                } catch {
                    // Trouble with one must not decide what becomes of the others.
                    if submission.sendState == .sent { set(submission.id) { $0.state = .unfinished } }
                    log.write(
                        .warning, "mailkernel", "A message in the outbox could not be recovered. \(error)")
                }
            }
        } catch {
            log.write(.warning, "mailkernel", "The outbox could not be read. \(error.logged)")
        }
    }

    private func recover(_ submission: EmailSubmission, in store: MailStore) async throws {
        if submission.isScheduled { return }
        if submission.undoStatus == .pending {
            let notice = try NotSentNotice.change(for: submission, at: clock.now)
            _ = try await callBack(submission, asDraft: true, with: [notice], ifIn: [])
        } else if submission.sendState == .sending {
            var queued = submission
            queued.sendState = .queued
            if queued.mayHaveBeenSent {
                queued.failure = "The program ended while the message was being sent."
            }
            try await store.commit([.putSubmission(queued)])
        } else if submission.sendState == .sent {
            try await finish(submission)
        }
    }

    /// Tries a message again that could not be sent, or that waits for its next try. A scheduled one is sent now.
    package func retry(_ id: Id<EmailSubmission>, in accountID: Id<Account>) async throws -> Bool {
        let isRetried: Bool? = try await holding(id) {
            try await unlessOvertaken(in: accountID) { unchanged in
                guard var submission = try await store.read.submissions([id], in: accountID).first,
                    submission.undoStatus == .final || submission.isScheduled,
                    [.failed, .queued].contains(submission.sendState)
                else { return false }
                submission.becomeFinal(at: clock.now)
                submission.beginAgain(at: clock.now)
                try await drafts.fetchAgain(for: submission)
                try await store.commit([.putSubmission(submission)], preconditions: unchanged)
                return true
            }
        }
        states[accountID]?.hold = nil
        changed()
        return isRetried ?? false
    }

    /// Removes a submission that is no longer being sent.
    ///
    /// - Returns: whether it could be removed.
    package func forget(_ id: Id<EmailSubmission>, in accountID: Id<Account>) async throws -> Bool {
        let isForgotten: Bool? = try await holding(id) {
            try await unlessOvertaken(in: accountID) { unchanged in
                guard let submission = try await store.read.submissions([id], in: accountID).first,
                    submission.undoStatus == .canceled || [.sent, .failed].contains(submission.sendState)
                else { return false }
                let forgotten = StorageChange.destroySubmission(id, in: accountID)
                // Unsent content becomes a draft.
                let isDraft =
                    submission.sendState == .failed
                    ? try await drafts.returned(submission, with: [forgotten], ifIn: unchanged) : false
                if !isDraft { try await store.commit([forgotten], preconditions: unchanged) }
                try await store.removeBlob(submission.snapshotBlobID, in: accountID)
                return true
            }
        }
        return isForgotten ?? false
    }

    /// Changes a submission while it cannot be sent; nil if it is being sent or changed already.
    func holding<Answer>(
        _ id: Id<EmailSubmission>, _ change: () async throws -> Answer
    ) async throws -> Answer? {
        guard let before = take(id, as: .changing) else { return nil }
        defer { giveBack(id, before) }
        return try await change()
    }
}

extension EmailSubmission {
    fileprivate mutating func beginAgain(at date: Date) {
        sendState = .queued
        tries = 0
        nextTryAt = nil
        queuedAt = date
        // Only a user who knows that it may have been sent takes that risk with a retry.
        if !mayHaveBeenSent || failure == SendAttempt.doubt { failure = nil }
        if !wasGivenToSomebody { deliveryStatus = [:] }
    }

    /// It was certainly not handed over; or it has failed, and the user wants to edit it.
    fileprivate var mayBeCalledBack: Bool {
        undoStatus == .pending || sendState == .failed
            || sendState == .queued && !mayHaveBeenSent && !wasGivenToSomebody
    }
}
