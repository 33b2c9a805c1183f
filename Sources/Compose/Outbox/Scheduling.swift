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
        undoStatus = .final
    }
}

extension Outbox {
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
