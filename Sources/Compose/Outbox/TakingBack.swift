import FoundationEssentials
import Mail
import MailKernelAPI
import Store

/// Messages that services hold and that the user takes back.
///
///     noted here ──▶ canceled at the service, where it becomes a draft ──▶ canceled here
///
/// Wherever this is interrupted, the next run of the program goes on: the service answers the same again.
extension Outbox {
    /// Takes back a message that the service holds.
    ///
    /// - Returns: nil if there is none, or if it can no longer be stopped.
    /// - Throws: if the service cannot be asked now. It is asked again later.
    func takeBack(
        _ id: Id<EmailSubmission>, in accountID: Id<Account>
    ) async throws -> EmailSubmission? {
        guard let submission = try await store.read.submissions([id], in: accountID).first,
            submission.isHeld(at: clock.now),
            var held = try await HeldMessage.load(id, accountID, from: store)
        else { return nil }
        guard let session = await accounts.session(accountID) else { throw AccountError.offline }
        guard try await session.holdLimits()?.canCancel == true else { return nil }
        if !held.isTakenBack {
            held.isTakenBack = true
            try await store.commit([try held.change()])
        }
        takingBack.insert(accountID)
        defer { changed() }
        return try await carryThrough(held, session)
    }

    private func carryThrough(
        _ held: HeldMessage, _ session: any AccountSession
    ) async throws -> EmailSubmission? {
        let isCanceled: Bool
        do throws(AccountError) {
            isCanceled = try await session.cancelHeld(messageID: held.messageID)
        } catch {
            // What the service refuses now, it refuses later as well.
            switch error {
            case .refused, .unsupported:
                var kept = held
                kept.isTakenBack = false
                try await store.commit([try kept.change()])
            case .offline, .unreachable, .insecure, .authenticationRequired, .denied, .throttled, .notFound,
                .cursorExpired, .badAnswer, .invalid, .secrets, .cancelled, .local:
                break
            }
            throw error
        }
        guard isCanceled else {
            try await store.commit([held.removal])
            return nil
        }
        return try await unlessOvertaken(in: held.accountID) { unchanged -> EmailSubmission? in
            let read = store.read
            guard
                var canceled = try await read.submissions([held.submissionID], in: held.accountID).first
            else {
                try await store.commit([held.removal])
                return nil
            }
            canceled.undoStatus = .canceled
            canceled.sendState = .none
            canceled.nextTryAt = nil
            let reminder = Reminder.removal(for: held.submissionID, in: held.accountID)
            try await store.commit(
                [.putSubmission(canceled), held.removal, reminder], preconditions: unchanged)
            return canceled
        }
    }

    /// Goes on with what an earlier run of the program, or a lost connection, has left, and forgets messages that were
    /// delivered since.
    ///
    /// - Returns: when to look again.
    func goOnTakingBack(_ accountID: Id<Account>) async throws -> Date? {
        guard takingBack.contains(accountID) || !lookedForHeld.contains(accountID) else { return nil }
        var isLeft = false
        for held in try await HeldMessage.all(in: accountID, store) {
            let id = held.submissionID
            let submission = try await store.read.submissions([id], in: accountID).first
            guard submission?.isHeld(at: clock.now) == true || held.isTakenBack else {
                try await store.commit([held.removal])
                continue
            }
            guard held.isTakenBack else { continue }
            guard let session = await accounts.session(accountID) else {
                isLeft = true
                continue
            }
            let isDone: Bool? = try await holding(id) {
                // Read again: the user may have had an answer meanwhile.
                guard let held = try await HeldMessage.load(id, accountID, from: store), held.isTakenBack
                else { return true }
                do {
                    _ = try await carryThrough(held, session)
                    return true
                } catch is AccountError {
                    return false
                }
            }
            if isDone != true { isLeft = true }
        }
        lookedForHeld.insert(accountID)
        guard isLeft else {
            takingBack.remove(accountID)
            return nil
        }
        takingBack.insert(accountID)
        return clock.now.addingTimeInterval(Self.lookAgain)
    }
}
