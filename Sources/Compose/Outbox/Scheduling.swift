import FoundationEssentials
import MailKernelAPI
import Store

extension EmailSubmission {
    /// The user has chosen when it is sent. Unlike one in its undo delay, it is counted by the wall clock and waits also
    /// while the program is not running; its `nextTryAt` tells it apart.
    package var isScheduled: Bool { undoStatus == .pending && nextTryAt != nil }

    mutating func schedule(at date: Date) { (sendAt, nextTryAt) = (date, date) }

    /// From here on it is on its way. The time in which it has to be sent begins.
    mutating func becomeFinal(at now: Date) {
        if isScheduled { (queuedAt, nextTryAt) = (now, nil) }
        if undoStatus == .pending, let date = envelope.holdUntil { sendAt = date }
        undoStatus = .final
    }
}

/// Scheduled messages that the service is to hold, so that they are sent also while this computer is off.
extension EmailSubmission {
    /// The user lets the service send it at its time. The service gets it after the undo delay, and it cannot be called
    /// back once the service has it.
    package var isHandedOver: Bool { undoStatus != .canceled && envelope.holdUntil != nil }

    /// When it is to leave for its recipients. Of one that is handed over, `sendAt` is the end of its undo delay until
    /// that is over.
    package var leavesAt: Date { isHandedOver ? envelope.holdUntil ?? sendAt : sendAt }

    /// The user has seen what it means, so there is no undo delay.
    mutating func handOver(at now: Date) {
        envelope.holdUntil = sendAt
        becomeFinal(at: now)
        failure = nil
    }

    /// Scheduled here again, if the program has given up before its time, and the service certainly did not take it.
    ///
    /// - Parameter isAnswered: whether its `failure` is what the service said.
    func keptHere(at now: Date, isAnswered: Bool) -> EmailSubmission? {
        guard isHandedOver, sendState == .failed, sendAt > now, !mayHaveBeenSent, !wasGivenToSomebody,
            let failure
        else { return nil }
        var kept = self
        kept.envelope.holdUntil = nil
        kept.undoStatus = .pending
        kept.sendState = .queued
        kept.tries = 0
        kept.deliveryStatus = [:]
        kept.failure =
            isAnswered
            ? "The service did not accept it: \(failure)"
            : "The message could not be handed to the service. \(failure)"
        kept.schedule(at: sendAt)
        return kept
    }
}

extension HoldLimits {
    func includes(_ date: Date, at now: Date) -> Bool {
        date.timeIntervalSince(now) <= Double(maxSeconds) && date <= latest ?? .distantFuture
    }
}

extension Outbox {
    /// For how long the account's service holds messages; nil if it does not. Any kernel that can sign in may ask.
    ///
    /// - Throws: if the service cannot be asked now.
    package func holdLimits(of accountID: Id<Account>) async throws -> HoldLimits? {
        guard let session = await accounts.session(accountID) else { throw AccountError.offline }
        return try await session.holdLimits()
    }

    /// Whether the account's service can hold a message that long.
    ///
    /// - Throws: if the service cannot be asked now.
    package func canHold(until date: Date, in accountID: Id<Account>) async throws -> Bool {
        try await holdLimits(of: accountID)?.includes(date, at: clock.now) ?? false
    }

    package enum HandOver: Sendable {
        case done
        case notScheduled
        /// The service cannot hold it until its time.
        case notHeld
        case notAsked
    }

    /// Hands a scheduled message to the service, which delivers it at its time.
    package func handOver(_ id: Id<EmailSubmission>, in accountID: Id<Account>) async throws -> HandOver {
        let limits: HoldLimits?
        do { limits = try await holdLimits(of: accountID) } catch { return .notAsked }
        let result: HandOver? = try await holding(id) {
            try await unlessOvertaken(in: accountID) { unchanged in
                guard var submission = try await store.read.submissions([id], in: accountID).first,
                    submission.isScheduled, submission.sendAt > clock.now
                else { return .notScheduled }
                guard let limits, limits.includes(submission.sendAt, at: clock.now) else { return .notHeld }
                submission.handOver(at: clock.now)
                try await store.commit([.putSubmission(submission)], preconditions: unchanged)
                return .done
            }
        }
        changed()
        return result ?? .notScheduled
    }

    /// Gives a scheduled message another time.
    ///
    /// - Returns: whether it still was scheduled.
    package func reschedule(
        _ id: Id<EmailSubmission>, in accountID: Id<Account>, to date: Date
    ) async throws -> Bool {
        let isChanged: Bool? = try await holding(id) {
            try await unlessOvertaken(in: accountID) { unchanged in
                guard var submission = try await store.read.submissions([id], in: accountID).first,
                    submission.isScheduled
                else { return false }
                submission.schedule(at: date)
                try await store.commit([.putSubmission(submission)], preconditions: unchanged)
                return true
            }
        }
        changed()
        return isChanged ?? false
    }
}
